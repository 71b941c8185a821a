import type { PartView } from '../messages/message.ts'
import type { Placeholder, Plan, Truncation } from '../plan/plan.ts'
import { hasPosition, positionSet } from '../plan/position-set.ts'
import { UNITS_PER_TOKEN } from '../tokens/ledger.ts'
import { type KeepWindow, keepBoundary } from './keep-window.ts'
import type { Strategy, StrategyInput } from './strategy.ts'
import { sparedParts, type ToolChoice } from './tool-names.ts'
import { untilLimit } from './until-limit.ts'

/** What counts as large and as old, and what stays of it. */
export interface TruncateOptions extends ToolChoice {
  /** Tokens that the arguments of an old call may have; larger ones are cut. Default 500. */
  readonly maxArgTokens?: number
  /** Tokens that an old result may have. Default: as for arguments. */
  readonly maxResultTokens?: number
  /** Messages at the end that stay as they are. Default: the keep window of the ladder. */
  readonly keepRecent?: number
  /** Characters kept at both ends of a cut text. Default 200 and 200. */
  readonly head?: number
  readonly tail?: number
  /** Do old pictures and files become a line of text? Default true. */
  readonly media?: boolean
}

/**
 * Cuts old tool payloads to a preview with a note of their size, oldest first, until the limit is met: arguments (they
 * stay JSON of the same shape), result texts, pictures. The keep window is left alone; what is cut already stays so.
 *
 * @example
 * const adapter = strategyAdapter('truncate', 8_000, truncateToolPayloads({ keepRecent: 6, maxArgTokens: 200 }))
 */
export function truncateToolPayloads(options: TruncateOptions = {}): Strategy {
  return (input) => {
    const chosen = untilLimit(input, candidates(input, options))
    const truncations = chosen.flatMap((edit) => edit.truncations ?? [])
    const made = chosen.flatMap((edit) => edit.placeholders ?? [])
    if (chosen.length === 0) return undefined
    return { ...(truncations.length > 0 && { truncations }), ...(made.length > 0 && { placeholders: made }) }
  }
}

const DEFAULT_MAX_TOKENS = 500
const DEFAULT_ENDS = 200

function candidates(input: StrategyInput, options: TruncateOptions): readonly Plan[] {
  const { groups, ledger, current } = input
  const keep: KeepWindow = options.keepRecent === undefined ? input.keep : { messages: options.keepRecent }
  const gone = positionSet(current.drop ?? [])
  const done = new Set((current.truncations ?? []).map((cut) => `${cut.message_index}.${cut.part}`))
  const hidden = new Set((current.placeholders ?? []).map((one) => `${one.message_index}.${one.part}`))
  return groups.slice(0, keepBoundary(groups, ledger, keep, current)).flatMap((group) => {
    const isSpared = sparedParts(group, ledger, options)
    return group.slices.flatMap(({ position, parts }): Plan[] => {
      if (group.pinned || hasPosition(gone, position)) return []
      const message = ledger.message(position)
      const numbers = parts === 'all' ? message.view.parts.map((_, number) => number) : parts
      return numbers.flatMap((number): Plan[] => {
        const part = message.view.parts[number]
        const name = `${position}.${number}`
        if (part === undefined || !(part.editable || isPicture(part)) || isSpared(part)) return []
        const tokens = (message.parts[number] ?? 0) / UNITS_PER_TOKEN
        const cut = done.has(name) ? undefined : truncation(part, position, number, tokens, options)
        const media = options.media === false || hidden.has(name) ? [] : placeholders(part, position, number)
        return [
          ...(cut === undefined ? [] : [{ truncations: [cut] }]),
          ...media.map((placeholder) => ({ placeholders: [placeholder] })),
        ]
      })
    })
  })
}

/** A picture or file by itself has no text to cut, but a line can stand for it. */
function isPicture({ kind }: PartView): boolean {
  return kind === 'image' || kind === 'document'
}

function truncation(
  part: PartView,
  position: number,
  number: number,
  tokens: number,
  options: TruncateOptions,
): Truncation | undefined {
  const { maxArgTokens = DEFAULT_MAX_TOKENS, maxResultTokens = maxArgTokens } = options
  const limit = part.kind === 'tool-call' ? maxArgTokens : part.kind === 'tool-result' ? maxResultTokens : Infinity
  if (tokens <= limit) return undefined
  const { head = DEFAULT_ENDS, tail = DEFAULT_ENDS } = options
  return { message_index: position, part: number, kept_head: head, kept_tail: tail, of: part.text().length }
}

function placeholders(part: PartView, position: number, number: number): readonly Placeholder[] {
  const kinds = new Set((part.media ?? []).map((media) => (media.kind === 'document' ? 'document' : 'image')))
  return [...kinds].sort().map((kind) => ({ message_index: position, part: number, kind }))
}
