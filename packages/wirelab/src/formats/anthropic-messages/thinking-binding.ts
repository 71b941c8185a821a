import { canonicalJson } from '../../canonical-json.ts'
import type { LabRules } from '../../format.ts'
import { chainHash, hashText } from '../../hash-text.ts'
import { type Fields, textField } from '../../json-fields.ts'
import { dropsUnboundThinking, readSignature, type SignedThinking } from '../../signature.ts'
import { isThinking, openTurnStart, type ReadMessage, readBlocks, readMessages } from './content.ts'

/** What stands before a place of a conversation. */
export interface Prefix {
  /** Chain over system, tools and every block, thinking left out. */
  readonly hash: string
  /** Hash of the last thinking block; empty where there is none. */
  readonly thinking: string
}

interface Broken {
  readonly rule: string
  readonly message: string
}

/** What a whole request says before the answer begins. */
export function prefixOf(body: unknown): Prefix {
  return readMessages(body).reduce(
    (prefix, { role, blocks }) => blocks.reduce((before, block) => extendPrefix(before, role, block), prefix),
    rootPrefix(body),
  )
}

/** The prefix with one more block behind it. Neighbours of one role read as one message. */
export function extendPrefix(before: Prefix, role: string, block: Fields): Prefix {
  if (isThinking(block)) return { hash: before.hash, thinking: thinkingHash(block) }
  const text = canonicalJson(block, { without: ['cache_control'] })
  return { hash: chainHash(before.hash, `${role} ${text}`), thinking: before.thinking }
}

/** Hash of what a thinking block says. */
export function thinkingHash(block: Fields): string {
  return hashText(textField(block, 'thinking') ?? textField(block, 'data') ?? '')
}

function rootPrefix(body: unknown): Prefix {
  const { system, tools } = body as Fields
  const lines = readBlocks(system).filter((block) => !isBilling(block))
  return { hash: hashText(canonicalJson([lines, tools ?? []], { without: ['cache_control'] })), thinking: '' }
}

/** A line that a client writes anew for each request and that the API takes out before it reads the prompt. */
function isBilling(block: Fields): boolean {
  return textField(block, 'text')?.startsWith('x-anthropic-billing-header:') ?? false
}

/** The first thinking block that does not belong where it stands. */
export function checkThinkingBinding(body: unknown, binding: LabRules['thinkingBinding']): Broken | undefined {
  if (binding === 'none') return undefined
  const messages = readMessages(body)
  const turn = openTurnStart(messages)
  const walk: Walk = {
    binding,
    seen: new Map(),
    inTurn: 0,
    left: undefined,
    hasCalled: false,
    prefix: rootPrefix(body),
    drops: dropsUnboundThinking(body),
  }
  for (const [index, message] of messages.entries()) {
    for (const [at, block] of message.blocks.entries()) {
      const place = { path: `messages.${index}.content.${at}`, at, message, open: index >= turn }
      const broken = block.type === 'thinking' ? checkSigned(block, walk, place) : undefined
      if (broken !== undefined) return broken
      walk.prefix = extendPrefix(walk.prefix, message.role, block)
      if (place.open && isThinking(block)) walk.inTurn += 1
      if (place.open && block.type === 'tool_use') walk.hasCalled = true
    }
  }
  return undefined
}

/** Thinking blocks of the open turn of a request. */
export function thinkingInOpenTurn(body: unknown): number {
  const messages = readMessages(body)
  const open = messages.slice(openTurnStart(messages)).flatMap(({ blocks }) => blocks)
  return open.filter(isThinking).length
}

/** What was passed on the way through the messages. */
interface Walk {
  readonly binding: 'turn' | 'prefix'
  readonly drops: boolean
  /** The last thinking block of each answer, by its number in it. */
  readonly seen: Map<string, number>
  inTurn: number
  /** Thinking blocks of whole steps that left the open turn from its front; undefined before its first one. */
  left: number | undefined
  /** Was there a call in the open turn? */
  hasCalled: boolean
  prefix: Prefix
}

interface Place {
  readonly path: string
  readonly message: ReadMessage
  readonly at: number
  /** Does it stand in the open turn? */
  readonly open: boolean
}

function checkSigned(block: Fields, walk: Walk, place: Place): Broken | undefined {
  const signed = readSignature(textField(block, 'signature') ?? '')
  // What another provider signed cannot be verified here; a model that binds to the prefix reads only what it wrote.
  if (signed === 'foreign') return walk.binding === 'turn' ? undefined : invalidSignature(place)
  if (signed === 'broken') return invalidSignature(place)
  if (signed.block !== thinkingHash(block)) return modified(place)
  if (walk.binding === 'prefix') return checkPrefix(signed, walk, place)
  return isInItsPlace(signed, walk, place) ? undefined : modified(place)
}

function checkPrefix(signed: SignedThinking, { prefix, drops }: Walk, { path }: Place): Broken | undefined {
  // Older thinking may leave from the front on; what is left has no gaps.
  const hasGap = prefix.thinking !== '' && prefix.thinking !== signed.previous
  if (drops || (signed.prefix === prefix.hash && !hasGap)) return undefined
  return { rule: 'thinking-bound', message: boundMessage(path) }
}

/**
 * In the order of its answer, before the answer's calls, and in the open turn with all thinking before it; whole steps may
 * have left the turn from its front.
 */
function isInItsPlace(signed: SignedThinking, walk: Walk, { message, at, open }: Place): boolean {
  const last = walk.seen.get(signed.answer) ?? -1
  walk.seen.set(signed.answer, signed.ordinal)
  const called = (blocks: readonly Fields[]) => blocks.some(({ id }) => signed.calls.includes(String(id)))
  const beforeItsCalls = !called(message.blocks.slice(0, at))
  const besideItsCalls = signed.calls.length === 0 || called(message.blocks.slice(at))
  return signed.ordinal > last && beforeItsCalls && besideItsCalls && (!open || isNextInTurn(signed, walk))
}

function isNextInTurn({ inTurn }: SignedThinking, walk: Walk): boolean {
  const missing = inTurn - walk.inTurn
  const most = walk.left ?? (walk.hasCalled ? 0 : missing)
  // what was written after steps had left was numbered without them
  walk.left = missing
  return missing >= 0 && missing <= most
}

/** The refusal of thinking that is bound to another conversation, as the API words it. */
export function boundMessage(path: string): string {
  return (
    `${path}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. Remove the ` +
    'block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block". That setting requires the ' +
    '`thinking-binding-controls-2026-08-01` value in the `anthropic-beta` header.'
  )
}

function invalidSignature({ path }: Place): Broken {
  return { rule: 'thinking-signature', message: `${path}: Invalid \`signature\` in \`thinking\` block` }
}

function modified(place: Place): Broken {
  if (!place.open) return invalidSignature(place)
  return {
    rule: 'thinking-modified',
    message:
      `${place.path}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be ` +
      'modified. These blocks must remain as they were in the original response.',
  }
}
