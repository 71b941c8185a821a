import type { MessageGroup } from '../messages/groups.ts'
import type { Plan, Truncation } from '../plan/plan.ts'
import { indexPlan, type PlanIndex } from '../plan/plan-index.ts'
import { hasPosition, positionSet } from '../plan/position-set.ts'
import { projectUnits } from '../plan/projected-units.ts'
import { UNITS_PER_TOKEN } from '../tokens/ledger.ts'
import { isFixed } from './evict.ts'
import { lastUserGroup } from './last-user-message.ts'
import type { Strategy, StrategyInput } from './strategy.ts'
import { savedBy } from './until-limit.ts'

/** When even the user’s words may be cut. */
export interface SqueezeOptions {
  /** Share of the limit that the last user message must exceed on its own before it is cut. Default one half. */
  readonly userMessageShare?: number
}

/**
 * The last resort: cuts what no other strategy may touch, only as far as needed. Payloads of tools first, oldest first, so
 * that the newest result is cut last; then the last user message, if it alone takes more than half of the limit.
 *
 * @example
 * const adapter = strategyAdapter('squeeze', 8_000, squeezeFloor())
 */
export function squeezeFloor({ userMessageShare = 0.5 }: SqueezeOptions = {}): Strategy {
  return (input) => {
    const current = indexPlan(input.current)
    const projected = projectUnits(input.current, input.ledger)
    let excess = projected.total - input.limit * UNITS_PER_TOKEN
    const truncations: Truncation[] = []
    for (const place of cuttable(input, userMessageShare)) {
      if (excess <= 0) break
      const cut = cutEnough(input, place, {
        excess,
        gone: goneFrom(place, current, input),
        saved: (one) => savedBy({ truncations: [one] }, current, input.ledger),
      })
      if (cut === undefined) continue
      truncations.push(cut.truncation)
      excess -= cut.saved
    }
    return truncations.length === 0 ? undefined : ({ truncations } satisfies Plan)
  }
}

/** Units that an earlier cut took from this part: the next one goes on from there. */
function goneFrom({ position, part }: Place, current: PlanIndex, { ledger }: StrategyInput): number {
  const truncation = current.items.get(position)?.parts.get(part)?.truncation
  return truncation === undefined ? 0 : savedBy({ truncations: [truncation] }, indexPlan({}), ledger)
}

interface Place {
  readonly position: number
  readonly part: number
}

/** Least characters that a cut part keeps, so that it can still be recognised. */
const LEAST_KEPT = 300
/** And of a part that is dense in characters that cost many tokens each. */
const LEAST_DENSE = 40
/** Tokens a character from which on a text counts as dense. */
const DENSE = 1.5
/** Of what is kept, the share that comes from the head. */
const HEAD_SHARE = 2 / 3

function cuttable(input: StrategyInput, userMessageShare: number): readonly Place[] {
  const gone = positionSet(input.current.drop ?? [])
  const last = lastUserGroup(input.groups)?.group
  const open = (place: Place) => !hasPosition(gone, place.position)
  const payloads = input.groups.filter((group) => !isFixed(group)).flatMap((group) => places(input, group, isPayload))
  const words = last === undefined || last.kind === 'summary' ? [] : places(input, last, (kind) => kind === 'text')
  const size = words.reduce((sum, place) => sum + unitsAt(input, place), 0)
  const oversized = size > input.limit * UNITS_PER_TOKEN * userMessageShare
  return [...payloads.filter(open), ...(oversized ? words.filter(open) : [])]
}

function isPayload(kind: string): boolean {
  return kind === 'tool-result' || kind === 'tool-call'
}

function places({ ledger }: StrategyInput, group: MessageGroup, wanted: (kind: string) => boolean): readonly Place[] {
  return group.slices.flatMap(({ position, parts }) => {
    const { view } = ledger.message(position)
    const numbers = parts === 'all' ? view.parts.map((_, number) => number) : parts
    return numbers
      .filter((number) => wanted(view.parts[number]?.kind ?? '') && view.parts[number]?.editable === true)
      .map((part) => ({ position, part }))
  })
}

function unitsAt({ ledger }: StrategyInput, { position, part }: Place): number {
  return ledger.message(position).parts[part] ?? 0
}

interface Cut {
  /** Units that are too many. */
  readonly excess: number
  readonly gone: number
  readonly saved: (truncation: Truncation) => number
}

/** Cuts again as long as what is left costs more than its length said: control characters do, once they are escaped. */
function cutEnough(
  input: StrategyInput,
  place: Place,
  { excess, gone, saved }: Cut,
): { readonly truncation: Truncation; readonly saved: number } | undefined {
  let best: { readonly truncation: Truncation; readonly saved: number } | undefined
  let truncation = cutBy(input, place, gone + excess)
  while (truncation !== undefined) {
    const gain = saved(truncation)
    if (gain > (best?.saved ?? 0)) best = { truncation, saved: gain }
    const left = unitsAt(input, place) - gone - gain
    const isDense = left > (truncation.kept_head + truncation.kept_tail) * DENSE * UNITS_PER_TOKEN
    truncation = gain < excess && isDense ? half(truncation) : undefined
  }
  return best
}

function half({ kept_head, kept_tail, ...rest }: Truncation): Truncation | undefined {
  if (kept_head + kept_tail <= LEAST_DENSE) return undefined
  return { ...rest, kept_head: Math.ceil(kept_head / 2), kept_tail: Math.ceil(kept_tail / 2) }
}

/** The cut of this part that leaves about `excess` units less of it, or as little as it can. */
function cutBy({ ledger }: StrategyInput, place: Place, excess: number): Truncation | undefined {
  const part = ledger.message(place.position).view.parts[place.part]
  if (part === undefined) return undefined
  const text = part.text()
  const whole = Math.max(1, ledger.meter.text(text))
  const share = Math.max(0, (whole - excess) / whole)
  // a little more than needed goes, since the note of the cut takes room too
  const kept = Math.max(LEAST_KEPT, Math.floor(text.length * share * 0.95) - 60)
  const head = Math.floor(kept * HEAD_SHARE)
  const tail = kept - head
  if (head + tail >= text.length) return undefined
  return { message_index: place.position, part: place.part, kept_head: head, kept_tail: tail, of: text.length }
}
