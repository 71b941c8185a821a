import { jsonBytes } from '../../engine/json/json-bytes.ts'
import type { Conversation, RenderContext, Violation } from '../../engine/messages/message.ts'
import { violation } from '../violation.ts'
import { type AnthropicMessage, blocksOf, isDirective, roleOf, typeOf } from './items.ts'
import { takesSystem } from './lay-out.ts'
import { ANTHROPIC_RULES } from './rules.ts'

/** Bytes of a request body that the API takes. */
export const MAX_REQUEST_BYTES = 32 * 1024 * 1024

/** Rules about which message may stand where, and about the request as a whole. */
export function checkPlaces(
  view: Conversation<AnthropicMessage>,
  context: Partial<RenderContext>,
): readonly Violation[] {
  // Messages that only change settings may stand anywhere: order is judged as if they were not there.
  const placed = view.items.flatMap((message, position) => (isDirective(message) ? [] : [{ message, position }]))
  return [
    ...checkStart(placed),
    ...checkSystem(placed),
    ...(context.strictAlternation === true ? checkAlternation(placed) : []),
    ...checkBytes(view),
  ]
}

interface PlacedMessage {
  readonly message: AnthropicMessage
  readonly position: number
}

function checkStart(placed: readonly PlacedMessage[]): readonly Violation[] {
  const [first] = placed
  if (first === undefined) {
    return [violation(ANTHROPIC_RULES.noMessages, {}, 'There are no messages.', 'Send at least one user message.')]
  }
  const opensWithCompaction = typeOf(blocksOf(first.message)[0] ?? { type: '' }) === 'compaction'
  if (roleOf(first.message) !== 'assistant' || opensWithCompaction) return []
  const text = 'The first message is the assistant’s.'
  return [violation(ANTHROPIC_RULES.first, { position: first.position }, text, 'Begin with a user message.')]
}

function checkSystem(placed: readonly PlacedMessage[]): readonly Violation[] {
  return placed.flatMap(({ message, position }, index) => {
    if (roleOf(message) !== 'system') return []
    const before = placed[index - 1]
    const after = placed[index + 1]
    const isBehindTurn = before !== undefined && takesSystem(before.message)
    const isBeforeAnswer = after === undefined || roleOf(after.message) !== 'user'
    if (isBehindTurn && isBeforeAnswer) return []
    const text = `System message ${position} does not stand between a user message and the assistant's answer.`
    return [
      violation(ANTHROPIC_RULES.systemPlace, { position }, text, 'Move it behind the last user message of a turn.'),
    ]
  })
}

function checkAlternation(placed: readonly PlacedMessage[]): readonly Violation[] {
  const speakers = placed.filter(({ message }) => roleOf(message) !== 'system')
  return speakers.flatMap(({ message, position }, index) => {
    const before = speakers[index - 1]
    if (before === undefined || roleOf(before.message) !== roleOf(message)) return []
    const text = `Message ${position} has the same role as the one before it.`
    return [violation(ANTHROPIC_RULES.alternation, { position }, text, 'Join the two messages.')]
  })
}

function checkBytes(view: Conversation<AnthropicMessage>): readonly Violation[] {
  const body = [view.system, view.tools ?? [], view.items]
  if (mostBytes(body) <= MAX_REQUEST_BYTES) return []
  const bytes = jsonBytes(view.system) + jsonBytes(view.tools) + jsonBytes(view.items)
  if (bytes <= MAX_REQUEST_BYTES) return []
  const text = `The request is ${bytes} bytes, the limit is ${MAX_REQUEST_BYTES}.`
  return [violation(ANTHROPIC_RULES.tooLarge, {}, text, 'Take pictures or large results out.')]
}

/** JSON bytes that a character takes at most: an escaped one. */
const BYTES_PER_CHARACTER = 6
/** JSON bytes of a number, a literal, or the marks around a value, at most. */
const BYTES_PER_VALUE = 30

/** More bytes than the JSON of this value can have: nearly every request is far below the limit, and nothing is written. */
function mostBytes(body: unknown): number {
  let bytes = 0
  const waiting = [body]
  while (waiting.length > 0) {
    const value = waiting.pop()
    bytes += BYTES_PER_VALUE
    if (typeof value === 'string') bytes += value.length * BYTES_PER_CHARACTER
    else if (value !== null && typeof value === 'object') {
      for (const [key, inner] of Object.entries(value)) {
        bytes += key.length * BYTES_PER_CHARACTER
        waiting.push(inner)
      }
    }
  }
  return bytes
}
