import { canonicalJson } from '../../canonical-json.ts'
import type { LabRules } from '../../format.ts'
import { chainHash, hashText } from '../../hash-text.ts'
import { type Fields, field, listField, textField } from '../../json-fields.ts'
import { openSeal, seal } from '../../seal.ts'
import { type Breach, MODEL_ERRORS } from './breach.ts'
import { converseRequest, openTurnStart, type ReadMessage, readMessages, spokenBlocks } from './messages.ts'

/** Where a reasoning block stands when its answer is made. */
export interface ReasoningPlace {
  /** The answer that it comes in, and its place there. */
  readonly answer: string
  readonly place: number
  /** Chain over everything before it that is no reasoning. */
  readonly prefix: string
  /** Reasoning blocks before it in the open turn. */
  readonly inTurn: number
  /** Ids of the calls behind it in its answer. */
  readonly calls: readonly string[]
}

/** The signature of a reasoning block: it remembers its text and its place. */
export function signReasoning(text: string, place: ReasoningPlace): string {
  return seal({ text: hashText(text), ...place })
}

/** What stands before the answer to a request. */
export function placeBeforeAnswer(body: unknown): Pick<ReasoningPlace, 'prefix' | 'inTurn'> {
  const messages = readMessages(body)
  const prefix = messages.reduce(
    (before, { role, blocks }) => blocks.reduce((chain, block) => extendPrefix(chain, role, block), before),
    rootPrefix(body),
  )
  return { prefix, inTurn: reasoningIn(messages.slice(openTurnStart(messages))) }
}

/** The prefix with one more block. Cache points and reasoning do not count. */
export function extendPrefix(before: string, role: string, block: Fields): string {
  if (block.cachePoint !== undefined || block.reasoningContent !== undefined) return before
  return chainHash(before, `${role} ${canonicalJson(block)}`)
}

function rootPrefix(body: unknown): string {
  const request = converseRequest(body)
  const spoken = (list: readonly unknown[]) => list.filter((block) => field(block, 'cachePoint') === undefined)
  return hashText(
    canonicalJson([spoken(listField(request, 'system')), spoken(listField(field(request, 'toolConfig'), 'tools'))]),
  )
}

function reasoningIn(messages: readonly ReadMessage[]): number {
  return messages.flatMap(({ blocks }) => blocks).filter(({ reasoningContent }) => reasoningContent !== undefined)
    .length
}

/** Reasoning comes back as it was given and where it was given. */
export function reasoningRule(
  body: unknown,
  { rules, model }: { readonly rules: LabRules; readonly model: string },
): Breach | undefined {
  const messages = readMessages(body)
  const unsigned = /claude|anthropic/.test(model) ? unsignedReasoning(messages) : undefined
  if (unsigned !== undefined || rules.thinkingBinding === 'none') return unsigned
  return (
    modifiedReasoning(messages) ?? (rules.thinkingBinding === 'prefix' ? unboundReasoning(body, messages) : undefined)
  )
}

/** Each reasoning block with text, and the message it stands in. */
function reasoningBlocks(messages: readonly ReadMessage[]) {
  return messages.flatMap((message) =>
    spokenBlocks(message.blocks).flatMap((block, at) => {
      const reasoning = field(block.reasoningContent, 'reasoningText')
      if (reasoning === undefined) return []
      const signature = textField(reasoning, 'signature')
      return [
        {
          message,
          block,
          at,
          path: `messages.${message.index}.content.${at}`,
          signature,
          text: textField(reasoning, 'text') ?? '',
        },
      ]
    }),
  )
}

/** Claude takes no reasoning without a signature; other models do not write any. */
function unsignedReasoning(messages: readonly ReadMessage[]): Breach | undefined {
  const found = reasoningBlocks(messages).find(({ signature }) => (signature ?? '') === '')
  if (found === undefined) return undefined
  return { rule: 'reasoning-signature', message: `${MODEL_ERRORS}${found.path}.thinking.signature: Field required` }
}

function modifiedReasoning(messages: readonly ReadMessage[]): Breach | undefined {
  const last = new Map<unknown, { readonly place: number; readonly message: number }>()
  const turn = openTurnStart(messages)
  let left: number | undefined
  for (const { message, at, path, signature, text } of reasoningBlocks(messages)) {
    const sealed = openSeal(signature ?? '')
    if (sealed === 'foreign') continue
    if (sealed === 'broken' || sealed.text !== hashText(text)) return modified(path)
    const before = last.get(sealed.answer)
    const place = Number(sealed.place)
    if (before !== undefined && (before.message !== message.index || before.place >= place)) return modified(path)
    last.set(sealed.answer, { place, message: message.index })
    if (!standsBeforeItsCalls(sealed, message, at)) return modified(path)
    if (message.index < turn) continue
    const missing = Number(sealed.inTurn) - inTurnBefore(messages, { turn, message, at })
    // whole steps may have left the turn from its front
    const most = left ?? (hasCalls(messages.slice(turn, message.index)) ? 0 : missing)
    if (missing < 0 || missing > most) return modified(path)
    // what was written after steps had left was numbered without them
    left = missing
  }
  return undefined
}

function standsBeforeItsCalls(sealed: Fields, { blocks }: ReadMessage, at: number): boolean {
  const calls = listField(sealed, 'calls')
  const behind = spokenBlocks(blocks).slice(at)
  return calls.length === 0 || behind.some((block) => calls.includes(textField(block.toolUse, 'toolUseId')))
}

function hasCalls(messages: readonly ReadMessage[]): boolean {
  return messages.some(({ blocks }) => blocks.some(({ toolUse }) => toolUse !== undefined))
}

function inTurnBefore(
  messages: readonly ReadMessage[],
  { turn, message, at }: { readonly turn: number; readonly message: ReadMessage; readonly at: number },
): number {
  const own = { ...message, blocks: spokenBlocks(message.blocks).slice(0, at) }
  return reasoningIn([...messages.slice(turn, message.index), own])
}

function modified(path: string): Breach {
  return {
    rule: 'reasoning-modified',
    message:
      `${MODEL_ERRORS}${path}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be ` +
      'modified. These blocks must remain as they were in the original response.',
  }
}

function unboundReasoning(body: unknown, messages: readonly ReadMessage[]): Breach | undefined {
  let prefix = rootPrefix(body)
  for (const { index, role, blocks } of messages) {
    for (const [at, block] of blocks.entries()) {
      const signature = textField(field(block.reasoningContent, 'reasoningText'), 'signature') ?? ''
      const sealed = openSeal(signature)
      if (typeof sealed !== 'string' && sealed.prefix !== prefix) {
        return { rule: 'reasoning-bound', message: boundMessage(`messages.${index}.content.${at}`) }
      }
      prefix = extendPrefix(prefix, role, block)
    }
  }
  return undefined
}

/** The refusal of reasoning that belongs to another conversation. */
export function boundMessage(path: string): string {
  return (
    `${MODEL_ERRORS}${path}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different ` +
    'conversation. Remove the block, and try again.'
  )
}
