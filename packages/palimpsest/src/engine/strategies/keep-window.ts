import type { MessageGroup } from '../messages/groups.ts'
import { EMPTY_PLAN, type Plan } from '../plan/plan.ts'
import { hasPosition, type PositionSet, positionSet } from '../plan/position-set.ts'
import { type Ledger, UNITS_PER_TOKEN } from '../tokens/ledger.ts'

/**
 * The newest part of a transcript that edits leave alone. `fraction` is of the messages in view, of the tokens of the
 * items in view, or of the model's window; a fraction of the window is turned into tokens before a strategy sees it.
 */
export type KeepWindow =
  | { readonly messages: number }
  | { readonly steps: number }
  | { readonly tokens: number }
  | { readonly fraction: number; readonly of: 'messages' | 'tokens' | 'window' }

/** Leaves alone only the floor: what `floorBoundary` says. */
export const KEEP_NOTHING: KeepWindow = { messages: 0 }

/**
 * Index of the first group to keep. The boundary that the window asks for moves backwards to the nearest group start,
 * so no call loses its result; it never lies behind the floor.
 *
 * @example
 * keepBoundary(transcript.groups, transcript.ledger, { messages: 6 })
 */
export function keepBoundary(
  groups: readonly MessageGroup[],
  ledger: Ledger,
  keep: KeepWindow,
  current: Plan = EMPTY_PLAN,
): number {
  const gone = positionSet(current.drop ?? [])
  return Math.min(wantedBoundary(groups, ledger, keep, gone), floorBoundary(groups))
}

/**
 * Index of the first group that no keep window may give up: the open tool batch, or the user's message that waits for an
 * answer, with the reminders behind it.
 */
export function floorBoundary(groups: readonly MessageGroup[]): number {
  let index = groups.length
  while (index > 0 && isUserSide(groups[index - 1])) index--
  const waiting = groups.slice(index).some((group) => group.ownWords)
  const before = groups[index - 1]
  return !waiting && before?.kind === 'tool-batch' ? index - 1 : index
}

function wantedBoundary(groups: readonly MessageGroup[], ledger: Ledger, keep: KeepWindow, gone: PositionSet): number {
  if ('steps' in keep) return stepBoundary(groups, keep.steps)
  if ('messages' in keep) return groupStartBefore(groups, nthMessageFromEnd(ledger, keep.messages))
  const tokens = 'tokens' in keep ? keep.tokens : fractionTokens(ledger, keep, gone)
  if ('fraction' in keep && keep.of === 'messages') {
    const messages = Math.max(1, Math.ceil(countMessages(ledger, gone) * keep.fraction))
    return groupStartBefore(groups, nthMessageFromEnd(ledger, messages))
  }
  return groupStartBefore(groups, tokenPosition(ledger, tokens))
}

function fractionTokens(ledger: Ledger, keep: { fraction: number; of: string }, gone: PositionSet): number {
  if (keep.of === 'window') throw new TypeError('A fraction of the window is turned into tokens first: resolveKeep().')
  const evicted = gone.reduce((sum, { from, to }) => sum + ledger.units(from, to), 0)
  return ((ledger.units() - evicted) / UNITS_PER_TOKEN) * keep.fraction
}

/**
 * A keep window without reference to the model's window.
 *
 * @example
 * resolveKeep({ fraction: 0.1, of: 'window' }, 200_000) // { tokens: 20000 }
 */
export function resolveKeep(keep: KeepWindow, window: number): KeepWindow {
  return 'fraction' in keep && keep.of === 'window' ? { tokens: Math.floor(window * keep.fraction) } : keep
}

/** The boundary at `position` moved back to the start of the group that it would cut: no group before it reaches behind it. */
export function groupStartBefore(groups: readonly MessageGroup[], position: number): number {
  const index = groups.findIndex((group) => (group.slices.at(-1)?.position ?? -1) >= position)
  return index < 0 ? groups.length : index
}

function isUserSide(group: MessageGroup | undefined): boolean {
  return group !== undefined && (group.kind === 'user' || group.kind === 'system')
}

function stepBoundary(groups: readonly MessageGroup[], steps: number): number {
  let left = steps
  let index = groups.length
  while (index > 0 && left > 0) {
    index--
    const kind = groups[index]?.kind
    if (kind === 'assistant' || kind === 'tool-batch') left--
  }
  return index
}

function countMessages(ledger: Ledger, gone: PositionSet): number {
  let count = 0
  for (let position = 0; position < ledger.length; position++) {
    if (ledger.message(position).view.role !== 'system' && !hasPosition(gone, position)) count++
  }
  return count
}

function nthMessageFromEnd(ledger: Ledger, messages: number): number {
  let left = messages
  let position = ledger.length
  while (position > 0 && left > 0) {
    position--
    if (ledger.message(position).view.role !== 'system') left--
  }
  return position
}

/** The smallest position from which on the items fit into `tokens`. */
function tokenPosition(ledger: Ledger, tokens: number): number {
  let low = 0
  let high = ledger.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (ledger.units(middle) <= tokens * UNITS_PER_TOKEN) high = middle
    else low = middle + 1
  }
  return low
}
