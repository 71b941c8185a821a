import { type CompactionRecord, dialectByName, type Plan } from 'palimpsest'
import { present } from '../importers/json-fields.ts'
import type { ExportedCompaction, ExportedSession } from './exported-session.ts'
import type { LossTally } from './loss-tally.ts'

/** A compaction as a session file tells of it. */
export interface Marker {
  /** `summary`: history was replaced. `micro`: contents were cut or blanked. `opaque`: encrypted, only its place is known. */
  readonly kind: 'summary' | 'micro' | 'opaque'
  readonly trigger: 'auto' | 'manual' | 'unknown'
  readonly tokensBefore?: number
  readonly tokensAfter?: number
  /** Position of the first older item that stays in view behind the summary. */
  readonly keptFrom?: number
  /** Positions before that which stay too. */
  readonly keptBefore: readonly number[]
  readonly summary?: string
  /** Calls whose results were cut or blanked. */
  readonly callIds: readonly string[]
}

/** What is told of a compaction; what its marker cannot hold is noted. */
export function compactionMarker(compaction: ExportedCompaction, session: ExportedSession, losses: LossTally): Marker {
  if (compaction.kind === 'record') return recordMarker(compaction.record, session, losses)
  const { position, timestamp: _, ...facts } = compaction
  if (facts.kind === 'opaque') losses.add('encrypted compaction of the client (its place is marked)', position)
  return { ...facts, keptBefore: [], callIds: [] }
}

function recordMarker(record: CompactionRecord, session: ExportedSession, losses: LossTally): Marker {
  const { plan, reason } = record
  const facts = {
    trigger: reason === 'manual' || reason === 'tool' ? 'manual' : 'auto',
    tokensBefore: record.tokens_before,
    tokensAfter: record.tokens_after,
    callIds: editedCalls(plan, session),
  } as const
  if ((plan.summaries ?? []).length + (plan.drop ?? []).length === 0) return { kind: 'micro', ...facts, keptBefore: [] }
  const edits = [plan.offloads, plan.truncations, plan.removals, plan.placeholders].flatMap((list) => list ?? [])
  for (const { message_index: position } of edits) {
    if (position >= record.kept_from) losses.add('edit of a message that a compaction kept', position)
  }
  const keptFrom = record.kept_from < record.length ? record.kept_from : undefined
  const before = keptBefore(plan, record.kept_from)
  return { kind: 'summary', ...facts, summary: summaryOf(plan), keptBefore: before, ...present({ keptFrom }) }
}

/** The text that stands for what left the view. */
function summaryOf({ summaries = [] }: Plan): string {
  return summaries.length === 0 ? DROPPED : summaries.map(({ content }) => content).join('\n\n')
}

const DROPPED = 'Earlier messages of this conversation were left out so that it fits into the context window.'

function keptBefore({ drop = [] }: Plan, keptFrom: number): readonly number[] {
  const kept: number[] = []
  for (let position = 0; position < keptFrom; position++) {
    if (!drop.some(({ from, to }) => from <= position && position < to)) kept.push(position)
  }
  return kept
}

function editedCalls(plan: Plan, session: ExportedSession): readonly string[] {
  const dialect = dialectByName(session.dialect)
  const edits = [plan.offloads, plan.truncations, plan.placeholders].flatMap((list) => list ?? [])
  const ids = edits.flatMap(({ message_index: position, part }) => {
    const item = session.items[position]?.item
    if (typeof item !== 'object' || item === null) return []
    const parts = dialect.view(item).parts
    const edited = part === undefined ? parts : parts.slice(part, part + 1)
    return edited.flatMap(({ kind, callId }) => (kind === 'tool-result' && callId !== undefined ? [callId] : []))
  })
  return [...new Set(ids)]
}
