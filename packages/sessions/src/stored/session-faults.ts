import {
  type CompactionRecord,
  type Conversation,
  conversationUnderPlan,
  type Dialect,
  PalimpsestError,
} from 'palimpsest'
import { canonicalJson, PositionChain, recordKey } from 'palimpsest/engine'
import { verifyChain } from '../log/entry-chain.ts'
import { foldEntries, stateAfter } from '../log/fold-session.ts'
import type { SessionEntry, SessionSnapshot } from '../log/session-entry.ts'
import type { SessionSummary } from '../log/session-store.ts'
import { type WholeSession, wholeConversation, wholeSession } from './whole-session.ts'

/** One thing that is wrong with a stored session. */
export interface SessionFault {
  /** The entry at which it shows; absent where it is about the session as a whole. */
  readonly seq?: number
  readonly what: string
}

/** A session as its store holds it, to be verified. */
export interface SessionToVerify {
  readonly summary: SessionSummary
  readonly entries: readonly SessionEntry[]
  /** Whose sessions these are: keys of records depend on it. */
  readonly namespace: string | undefined
}

/**
 * Everything in which a stored session contradicts itself: the hash chain, what the entries say one after the other, every
 * checkpoint against the entries before it, every compaction record against the transcript that it was made of, the views of
 * the records against the rules of their wire format, and what the store tells of it as a whole. Empty for a sound one.
 *
 * @example
 * const [summary] = await store.list()
 * if (summary !== undefined) {
 *   sessionFaults({ summary, entries: await store.read(summary.id), namespace: 'default' })
 * }
 */
export function sessionFaults({ entries, summary, namespace }: SessionToVerify): readonly SessionFault[] {
  if (entries.length === 0) return [{ what: 'the session has no entries' }]
  const broken = verifyChain(entries)
  const chain = broken === undefined ? [] : [{ seq: broken.seq, what: broken.message }]
  const states = statesOf(entries)
  if (states instanceof PalimpsestError) return [...chain, { what: states.message }]
  const log = { entries, states }
  return [
    ...chain,
    ...checkpointFaults(log),
    ...recordFaults(log, namespace),
    ...headFaults(log, summary),
    ...counterFaults(log, summary),
  ]
}

/** Entries with the state after each of them. */
interface FoldedLog {
  readonly entries: readonly SessionEntry[]
  readonly states: readonly SessionSnapshot[]
}

/** Nothing more can be said of entries that contradict each other. */
function statesOf(entries: readonly SessionEntry[]): readonly SessionSnapshot[] | PalimpsestError {
  const states: SessionSnapshot[] = []
  try {
    foldEntries(entries)
    for (const entry of entries) states.push(stateAfter(states.at(-1), entry, (seq) => states[seq - 1]))
    return states
  } catch (error) {
    if (error instanceof PalimpsestError) return error
    throw error
  }
}

function checkpointFaults({ entries, states }: FoldedLog): readonly SessionFault[] {
  return entries.flatMap((entry, index) => {
    if (entry.type !== 'checkpoint') return []
    const same = canonicalJson(states[index - 1]) === canonicalJson(entry.state)
    return same ? [] : [{ seq: entry.seq, what: 'the checkpoint is not what the entries before it say' }]
  })
}

/** Of each record, on abandoned ways too: does it belong to the messages before it, and is its view legal? */
function recordFaults({ entries, states }: FoldedLog, namespace: string | undefined): readonly SessionFault[] {
  return entries.flatMap((entry, index) => {
    if (entry.type !== 'compaction-applied') return []
    const before = wholeSession(entries.slice(0, index), states[index - 1])
    return recordFault(entry.record, before, namespace).map((what) => ({ seq: entry.seq, what }))
  })
}

function recordFault(record: CompactionRecord, before: WholeSession, namespace = DEFAULT_NAMESPACE): readonly string[] {
  const { dialect, snapshot } = before
  const conversation = wholeConversation(before)
  const { length } = conversation.items
  const { extent } = record
  if (extent > length || record.length > length) {
    return [`the record speaks of ${Math.max(extent, record.length)} messages, and there were ${length}`]
  }
  // Where results are not kept, the messages that a key was made of are not there any more.
  const kept = snapshot.started.toolResults === 'full'
  const chain = new PositionChain(dialect, conversation.items.slice(0, extent))
  const keys = [namespace, DEFAULT_NAMESPACE].map((name) =>
    recordKey({ namespace: name, dialect: snapshot.started.dialect }, chain, record),
  )
  const foreign = kept && !keys.includes(record.key)
  const other = 'the key of the record is not that of the messages before it: they are not those that it was made of'
  return [...(foreign ? [other] : []), ...viewFaults(record, conversation, dialect)]
}

/** The name of a compactor's namespace, and of a store's, where none is given. */
const DEFAULT_NAMESPACE = 'default'

/** Rules that the view breaks and that the transcript itself does not. */
function viewFaults(
  { plan, length }: CompactionRecord,
  conversation: Conversation<object>,
  dialect: Dialect<unknown, object>,
): readonly string[] {
  try {
    const { violations } = conversationUnderPlan(dialect, conversation, { current: plan, madeAt: length })
    return violations.map(({ rule, message }) => `the view of the record breaks ${rule}: ${message}`)
  } catch (error) {
    if (error instanceof PalimpsestError) return [`the plan of the record cannot be applied: ${error.message}`]
    throw error
  }
}

/** A list shows what stands beside the entries: it must be what the first and the last one say. */
function headFaults({ entries, states }: FoldedLog, summary: SessionSummary): readonly SessionFault[] {
  const started = states[0]?.started
  const { forked } = summary
  const named = ['dialect', 'model', 'cwd', 'title', 'toolResults'] as const
  return [
    ...named.flatMap((name) => difference(name, summary[name], started?.[name])),
    ...difference('created at', summary.createdAt, entries[0]?.at),
    ...difference('updated at', summary.updatedAt, entries.at(-1)?.at),
    ...(forked === undefined || (forked.until >= 2 && forked.until <= entries.length + 1)
      ? []
      : [{ what: `the store says forked before entry ${forked.until}, and there are ${entries.length} entries` }]),
  ]
}

function counterFaults(
  { entries, states }: FoldedLog,
  { entries: count, messages, compactions, lastInputTokens, forked }: SessionSummary,
): readonly SessionFault[] {
  const snapshot = states.at(-1)
  const ended = entries.findLastIndex(({ type }) => type === 'turn-ended')
  // Until a turn of its own ends, a fork counts what it began with; an import writes its counters at its end.
  const begun = forked !== undefined && ended + 1 < forked.until ? states[forked.until - 2] : undefined
  const imported = snapshot?.started.imported !== undefined && lastInputTokens === snapshot.lastInputTokens
  const counted = begun ?? (imported ? snapshot : states[ended])
  return [
    ...difference('entries', count, entries.length),
    ...difference('messages', messages, snapshot?.length),
    ...difference('compactions', compactions, counted?.compactions ?? 0),
    ...difference('last input tokens', lastInputTokens, counted?.lastInputTokens),
  ]
}

function difference<Value extends string | number>(
  name: string,
  stored: Value | undefined,
  folded: Value | undefined,
): readonly SessionFault[] {
  if (stored === folded) return []
  return [{ what: `the store says ${name} ${stored ?? 'unknown'}, and the entries say ${folded ?? 'unknown'}` }]
}
