import { PalimpsestError } from 'palimpsest'
import type {
  ActionCompleted,
  ActionRequested,
  EntryPlace,
  MessageAppended,
  Rewound,
  SessionEntry,
  SessionSnapshot,
  SessionStarted,
  UsageRecorded,
  UsageTotal,
} from './session-entry.ts'

/** Where a fold goes on: the state after an entry. */
export interface FoldStart {
  readonly snapshot: SessionSnapshot
  readonly place: EntryPlace
}

/** A message of the transcript with the place of its entry. */
export type MessageEntry = EntryPlace & MessageAppended

/** What entries say, all together. */
export interface FoldedSession extends FoldStart {
  /** Of the folded entries: those of the transcript, in order of position. */
  readonly messages: readonly MessageEntry[]
}

/**
 * What a log says. `start`: the state after the entry before the first one, of a checkpoint say; the result is that of all
 * entries together, save that `messages` are those of the folded entries alone. Entries of a type that is not known, by a
 * newer version, count and say nothing.
 * @throws PalimpsestError `invalid-input` that names the entry at which the log is broken.
 *
 * @example
 * const { snapshot, messages } = foldEntries(await store.read('s1'))
 * snapshot.compactions
 */
export function foldEntries(entries: readonly SessionEntry[], start?: FoldStart): FoldedSession {
  const first = (start?.place.seq ?? 0) + 1
  const states: (SessionSnapshot | undefined)[] = [start?.snapshot]
  let place: EntryPlace | undefined = start?.place
  for (const [index, entry] of entries.entries()) {
    if (entry.seq !== first + index) throw brokenAt(entry.seq, `it stands where ${first + index} belongs`)
    states.push(stateAfter(states[index], entry, (seq) => states[seq - first + 1]))
    place = entry
  }
  const snapshot = states.at(-1)
  if (snapshot === undefined || place === undefined) throw brokenAt(first, 'a log has at least one entry')
  return { snapshot, place: placeOf(place), messages: messagesOnPath(entries, snapshot) }
}

/** Of these entries the messages that belong to the transcript: those that no rewind left behind. */
export function messagesOnPath(
  entries: readonly SessionEntry[],
  { abandoned }: SessionSnapshot,
): readonly MessageEntry[] {
  return entries.filter(
    (entry): entry is MessageEntry => entry.type === 'message-appended' && !isAbandoned(abandoned, entry.seq),
  )
}

/**
 * Did a rewind leave the entry behind?
 *
 * @example
 * isAbandoned([{ from: 5, to: 9 }], 7) // true
 */
export function isAbandoned(abandoned: SessionSnapshot['abandoned'], seq: number): boolean {
  return abandoned.some(({ from, to }) => from <= seq && seq < to)
}

/** The place of an entry, without what it says. */
export function placeOf({ seq, at, hash }: EntryPlace): EntryPlace {
  return { seq, at, hash }
}

/**
 * The state after one more entry; `before` is the state it meets, undefined for the first. `stateAt` gives that after an
 * earlier entry, for rewinds.
 * @throws PalimpsestError `invalid-input` where the entry cannot stand here.
 */
export function stateAfter(
  before: SessionSnapshot | undefined,
  entry: SessionEntry,
  stateAt: (seq: number) => SessionSnapshot | undefined,
): SessionSnapshot {
  if (before === undefined) return startedState(entry)
  switch (entry.type) {
    case 'session-started':
      throw brokenAt(entry.seq, 'a session begins once')
    case 'turn-started':
      if (before.turnOpen) throw brokenAt(entry.seq, 'a turn begins while another one is open')
      return { ...before, turn: before.turn + 1, turnOpen: true }
    case 'turn-ended':
      if (!before.turnOpen) throw brokenAt(entry.seq, 'a turn ends where none is open')
      return { ...before, turnOpen: false }
    case 'message-appended':
      if (entry.position !== before.length) throw brokenAt(entry.seq, misplaced(entry, before))
      return { ...before, length: before.length + 1 }
    case 'action-requested':
      return withRequested(before, entry)
    case 'action-completed':
      return withCompleted(before, entry)
    case 'compaction-applied':
      if (entry.record.extent > before.length) {
        throw brokenAt(entry.seq, `a record reads ${entry.record.extent} messages of a transcript of ${before.length}`)
      }
      return { ...before, record: entry.record, compactions: before.compactions + 1 }
    case 'usage-recorded':
      return withUsage(before, entry)
    case 'rewound':
      return rewoundState(before, entry, stateAt)
    default:
      return before
  }
}

function startedState(entry: SessionEntry): SessionSnapshot {
  if (entry.type !== 'session-started')
    throw brokenAt(entry.seq, `a log begins with session-started, not ${entry.type}`)
  const { seq, at, hash, ...started } = entry
  return {
    started: started satisfies SessionStarted,
    length: 0,
    turn: 0,
    turnOpen: false,
    running: [],
    usage: { chat: NO_USAGE, summarize: NO_USAGE },
    compactions: 0,
    learned: {},
    abandoned: [],
  }
}

const NO_USAGE: UsageTotal = { calls: 0, input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }

function misplaced({ position }: MessageAppended, { length }: SessionSnapshot): string {
  return `a message of position ${position} stands behind ${length} messages`
}

function withRequested(before: SessionSnapshot, entry: ActionRequested & EntryPlace): SessionSnapshot {
  const { action, kind, name } = entry
  if (isRunning(before, action)) throw brokenAt(entry.seq, `action ${named(action)} is requested while it runs`)
  return { ...before, running: [...before.running, { action, kind, name }] }
}

function withCompleted(before: SessionSnapshot, entry: ActionCompleted & EntryPlace): SessionSnapshot {
  if (!isRunning(before, entry.action)) {
    throw brokenAt(entry.seq, `action ${named(entry.action)} completes and does not run`)
  }
  return { ...before, running: before.running.filter(({ action }) => action !== entry.action) }
}

function isRunning({ running }: SessionSnapshot, action: string): boolean {
  return running.some((one) => one.action === action)
}

function named(action: string): string {
  return JSON.stringify(action.slice(0, 80))
}

function withUsage(before: SessionSnapshot, { purpose, usage, model, learned }: UsageRecorded): SessionSnapshot {
  // a purpose of a newer version counts by itself
  const total = before.usage[purpose] ?? NO_USAGE
  const key = model ?? before.started.model ?? ''
  return {
    ...before,
    usage: { ...before.usage, [purpose]: sumOf(total, usage) },
    ...(purpose === 'chat' && { lastInputTokens: usage.input ?? 0 }),
    ...(learned !== undefined && { learned: { ...before.learned, [key]: learned } }),
  }
}

function sumOf(total: UsageTotal, usage: Partial<UsageRecorded['usage']>): UsageTotal {
  // what was not told counts nothing, and makes no total NaN
  const { input = 0, cacheRead = 0, cacheWrite = 0, output = 0 } = usage
  return {
    calls: total.calls + 1,
    input: total.input + input,
    cacheRead: total.cacheRead + cacheRead,
    cacheWrite: total.cacheWrite + cacheWrite,
    output: total.output + output,
  }
}

/** What is told of the conversation goes back; what happened to the session (usage, compactions, learned) stays. */
function rewoundState(
  before: SessionSnapshot,
  { to, seq }: Rewound & EntryPlace,
  stateAt: (seq: number) => SessionSnapshot | undefined,
): SessionSnapshot {
  if (!Number.isSafeInteger(to) || to < 1 || to >= seq) {
    throw brokenAt(seq, `a rewind to ${to}, which is no entry before it`)
  }
  const target = stateAt(to)
  if (target === undefined) {
    throw brokenAt(
      seq,
      `a rewind to entry ${to}, before the entries that are read: read on from the checkpoint behind it`,
    )
  }
  return rewoundTo(before, target, { to, seq })
}

/** The state behind the entry `seq` that rewinds to the entry `to`; `target` is the state after that one. */
export function rewoundTo(
  before: SessionSnapshot,
  target: SessionSnapshot,
  { to, seq }: { readonly to: number; readonly seq: number },
): SessionSnapshot {
  const { record: _, ...rest } = before
  return {
    ...rest,
    length: target.length,
    ...(target.record !== undefined && { record: target.record }),
    turn: target.turn,
    turnOpen: target.turnOpen,
    // whoever goes back has let go of what ran
    running: [],
    abandoned: abandonedBy({ to, seq }, target.abandoned),
  }
}

/** What is left behind after the entry `seq` that rewinds to the entry `to`; `then`: what was left behind after that one. */
export function abandonedBy(
  { to, seq }: { readonly to: number; readonly seq: number },
  then: SessionSnapshot['abandoned'],
): SessionSnapshot['abandoned'] {
  const from = to + 1
  if (from >= seq) return then
  const last = then.at(-1)
  return last?.to === from ? [...then.slice(0, -1), { from: last.from, to: seq }] : [...then, { from, to: seq }]
}

function brokenAt(seq: number, what: string): PalimpsestError {
  return new PalimpsestError('invalid-input', `The session log is broken at entry ${seq}: ${what}.`, {
    hint: `Fork the session before entry ${seq}, or restore it from a backup.`,
  })
}
