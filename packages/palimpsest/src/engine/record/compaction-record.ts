import type { MessageView } from '../messages/message.ts'
import { type Plan, planExtent } from '../plan/plan.ts'
import { hasPosition, positionSet } from '../plan/position-set.ts'
import { anchorHash, type PositionChain } from './position-chain.ts'
import { sha256 } from './sha256.ts'

/** Why a compaction ran. */
export type CompactionReason = 'threshold' | 'overflow' | 'tool' | 'manual' | 'truncate'

/** One compaction, as it is stored: the cumulative plan, and what finds it again. JSON. */
export interface CompactionRecord {
  /** Identifies (namespace, dialect, the items up to the last position that the plan reads or edits, the record before it). */
  readonly key: string
  /** The key of the record that was in force when this one was made, and that it stands in the place of. */
  readonly after?: string
  /** Equal for a transcript in which only dropped items changed, and these neither in role nor in call ids. */
  readonly anchor: string
  /** Positions that the plan reads or edits end here (exclusive). */
  readonly extent: number
  /** Transcript length when the plan was made. */
  readonly length: number
  readonly plan: Plan
  readonly strategy: string
  readonly reason: CompactionReason
  /** The turn in which it ran. */
  readonly at_turn: number
  /** The first position that is kept whole behind the summary. */
  readonly kept_from: number
  readonly tokens_before: number
  readonly tokens_after: number
  readonly history_path?: string
  readonly usage?: { readonly input: number; readonly output: number }
}

/** Whose conversation it is: records of different namespaces or dialects never meet. */
export interface RecordScope {
  readonly namespace: string
  readonly dialect: string
}

/** The part of a transcript that records look at. */
export interface AnchoredTranscript<Item extends object> {
  readonly chain: PositionChain<Item>
  /** The reading of the item at this position. */
  view(position: number): MessageView
}

/**
 * The key of a record whose plan ends at `extent` of this chain. Two that compact the same view to the same extent get the
 * same key; one that compacts further what another left does not.
 *
 * @example
 * const chain = new PositionChain(anthropicMessages, transcript.items)
 * recordKey({ namespace: 'default', dialect: 'anthropic-messages' }, chain, { extent: 41 })
 */
export function recordKey<Item extends object>(
  { namespace, dialect }: RecordScope,
  chain: PositionChain<Item>,
  { extent, after }: Pick<CompactionRecord, 'extent' | 'after'>,
): string {
  return sha256(JSON.stringify([namespace, dialect, extent, chain.at(extent), after ?? '']))
}

/**
 * Where a record belongs: its key, anchor and extent in this transcript.
 *
 * @example
 * const chain = new PositionChain(anthropicMessages, transcript.items)
 * const scope = { namespace: 'default', dialect: 'anthropic-messages' }
 * const { key, extent } = anchorPlan(plan, scope, { chain, view: (position) => transcript.view(position) })
 */
export function anchorPlan<Item extends object>(
  plan: Plan,
  scope: RecordScope,
  { chain, view, after }: AnchoredTranscript<Item> & Pick<CompactionRecord, 'after'>,
): Pick<CompactionRecord, 'key' | 'anchor' | 'extent' | 'after'> {
  const extent = planExtent(plan)
  const shape = anchorHash(chain, view, positionSet(plan.drop ?? []), extent)
  const anchor = sha256(JSON.stringify([scope.namespace, scope.dialect, extent, shape]))
  return { key: recordKey(scope, chain, { extent, ...whereDefined(after) }), anchor, extent, ...whereDefined(after) }
}

function whereDefined(after: string | undefined): Pick<CompactionRecord, 'after'> {
  return after === undefined ? {} : { after }
}

/** The record that applies, and whether it had to be anchored anew because the caller edited dropped items. */
export interface FoundRecord {
  readonly record: CompactionRecord
  readonly reanchored: boolean
}

/**
 * Of `records`, oldest first: the deepest, and of equally deep ones the newest, whose key matches a prefix of this
 * transcript. Where none of the deepest matches but only items that it drops have changed, and these neither in role, nor
 * call ids, nor number, it is anchored anew: same plan, new key, no new summary. Fewer items than a record's extent mean a
 * rewind: it does not apply.
 *
 * @example
 * const chain = new PositionChain(anthropicMessages, transcript.items)
 * const scope = { namespace: 'default', dialect: 'anthropic-messages' }
 * const found = findRecord([record], scope, { chain, view: (position) => transcript.view(position) })
 */
export function findRecord<Item extends object>(
  records: readonly CompactionRecord[],
  scope: RecordScope,
  transcript: AnchoredTranscript<Item>,
): FoundRecord | undefined {
  const { chain } = transcript
  const deepestFirst = records
    .filter((record) => record.extent <= chain.length)
    .toReversed()
    .sort((a, b) => b.extent - a.extent || b.length - a.length)
  for (const record of deepestFirst) {
    if (record.key === recordKey(scope, chain, record)) return { record, reanchored: false }
    // fewer items than there were: a rewind, or a compaction of the client's own
    if (chain.length < record.length) continue
    const anew = anchorPlan(record.plan, scope, { ...transcript, ...whereDefined(record.after) })
    if (anew.anchor === record.anchor) return { record: { ...record, ...anew }, reanchored: true }
  }
  return undefined
}

/**
 * The first position behind everything that the plan drops.
 *
 * @example
 * keptFrom({ drop: [{ from: 0, to: 41 }] }, 50) // 41
 */
export function keptFrom(plan: Plan, length: number): number {
  const drop = positionSet(plan.drop ?? [])
  const end = drop.at(-1)?.to ?? 0
  for (let position = end; position < length; position++) if (!hasPosition(drop, position)) return position
  return length
}
