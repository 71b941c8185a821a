import type { StoreCall } from 'palimpsest'
import { jsonText } from 'palimpsest/engine'
import { Turns } from 'palimpsest/stores'
import { foldEntries, placeOf } from './fold-session.ts'
import { countersOf } from './session-counters.ts'
import type { EntryPlace, SessionEntry } from './session-entry.ts'
import type {
  AppendOptions,
  EntryRange,
  ListOptions,
  SessionCounters,
  SessionStore,
  SessionSummary,
  StoredCheckpoint,
  StoredMessage,
  WantedMessages,
} from './session-store.ts'
import { assertFollowing, assertFork, cannotFollow, noSession, sessionTaken } from './store-refusals.ts'

/** Session logs in the memory of this process. */
export interface MemorySessions {
  /** A handle on the logs of a namespace. Default `default`. */
  open(namespace?: string): SessionStore
}

/**
 * Session logs that last as long as the process: for tests and for programs that keep nothing. All handles of one storage see
 * the same logs.
 *
 * @example const store = memorySessions().open()
 */
export function memorySessions(): MemorySessions {
  const namespaces = new Map<string, Namespace>()
  return {
    open(namespace = 'default') {
      const known = namespaces.get(namespace) ?? { logs: new Map(), turns: new Turns() }
      namespaces.set(namespace, known)
      return new MemorySessionStore(known)
    },
  }
}

interface Namespace {
  readonly logs: Map<string, StoredLog>
  readonly turns: Turns
}

/** Entries as JSON text: what a caller does with its objects afterwards changes nothing here. */
interface StoredLog {
  readonly texts: string[]
  readonly places: EntryPlace[]
  counters: SessionCounters
  readonly forked?: { readonly from: string; readonly until: number }
}

const NO_COUNTERS: SessionCounters = { compactions: 0 }
const DEFAULT_LIMIT = 1_000

class MemorySessionStore implements SessionStore {
  readonly #logs: Namespace['logs']
  readonly #turns: Turns

  constructor({ logs, turns }: Namespace) {
    this.#logs = logs
    this.#turns = turns
  }

  async append(session: string, entries: readonly SessionEntry[], options: AppendOptions = {}): Promise<void> {
    options.signal?.throwIfAborted()
    const log = this.#logs.get(session) ?? { texts: [], places: [], counters: NO_COUNTERS }
    if (options.after !== undefined && !isStored(log, options.after)) throw cannotFollow(session, options.after.seq)
    const fresh = entries.filter((entry) => !isStored(log, entry))
    assertFollowing(session, fresh, log.places.length)
    const texts = fresh.map(jsonText)
    if (log.texts.length + texts.length === 0) return
    log.texts.push(...texts)
    log.places.push(...fresh.map(placeOf))
    if (options.counters !== undefined && fresh.length > 0) log.counters = { ...options.counters }
    this.#logs.set(session, log)
  }

  async find(session: string, { signal }: StoreCall = {}): Promise<SessionSummary | undefined> {
    signal?.throwIfAborted()
    const log = this.#logs.get(session)
    return log === undefined ? undefined : summaryOf(session, log)
  }

  async list({ cwd, limit = DEFAULT_LIMIT, signal }: ListOptions = {}): Promise<readonly SessionSummary[]> {
    signal?.throwIfAborted()
    return [...this.#logs]
      .map(([id, log]) => summaryOf(id, log))
      .filter((summary) => cwd === undefined || summary.cwd === cwd)
      .sort((a, b) => b.updatedAt - a.updatedAt)
      .slice(0, limit)
  }

  async read(session: string, { from, to, signal }: EntryRange = {}): Promise<readonly SessionEntry[]> {
    signal?.throwIfAborted()
    return entriesOf(this.#logs.get(session), from, to)
  }

  async head(session: string, { signal }: StoreCall = {}): Promise<EntryPlace | undefined> {
    signal?.throwIfAborted()
    return this.#logs.get(session)?.places.at(-1)
  }

  async checkpoint(
    session: string,
    { before, signal }: StoreCall & { readonly before?: number } = {},
  ): Promise<StoredCheckpoint | undefined> {
    signal?.throwIfAborted()
    const entry = entriesOf(this.#logs.get(session), 1, before).findLast(({ type }) => type === 'checkpoint')
    return entry?.type === 'checkpoint' ? { ...placeOf(entry), state: entry.state } : undefined
  }

  async messages(session: string, wanted: WantedMessages): Promise<readonly StoredMessage[]> {
    wanted.signal?.throwIfAborted()
    const messages = entriesOf(this.#logs.get(session), 1, wanted.until).flatMap((entry): StoredMessage[] => {
      if (entry.type !== 'message-appended' || isWithin(wanted.abandoned, entry.seq)) return []
      const { position, item, injected } = entry
      if (!isWithin(wanted.positions, position)) return []
      return [{ position, item, ...(injected === true && { injected }) }]
    })
    return messages.sort((a, b) => a.position - b.position)
  }

  async fork(
    session: string,
    into: string,
    { until, signal }: StoreCall & { readonly until?: number } = {},
  ): Promise<void> {
    signal?.throwIfAborted()
    if (until !== undefined) assertFork(until)
    const log = this.#logs.get(session)
    if (log === undefined) throw noSession(session)
    if (this.#logs.has(into)) throw sessionTaken(into)
    const copied = Math.min(until ?? Number.POSITIVE_INFINITY, log.texts.length + 1)
    const texts = log.texts.slice(0, copied - 1)
    const entries = texts.map((text): SessionEntry => JSON.parse(text))
    this.#logs.set(into, {
      texts,
      places: log.places.slice(0, copied - 1),
      counters: countersOf(foldEntries(entries).snapshot),
      forked: { from: session, until: copied },
    })
  }

  async remove(session: string, { signal }: StoreCall = {}): Promise<boolean> {
    signal?.throwIfAborted()
    return this.#logs.delete(session)
  }

  alone<Result>(name: string, run: () => Promise<Result>, { signal }: StoreCall = {}): Promise<Result> {
    return this.#turns.next(name, run, signal)
  }
}

function isStored({ places }: StoredLog, { seq, hash }: Pick<EntryPlace, 'seq' | 'hash'>): boolean {
  return places[seq - 1]?.hash === hash
}

function entriesOf(log: StoredLog | undefined, from = 1, to = Number.POSITIVE_INFINITY): SessionEntry[] {
  const texts = log?.texts.slice(Math.max(from - 1, 0), Math.max(to - 1, 0)) ?? []
  return texts.map((text): SessionEntry => JSON.parse(text))
}

function isWithin(ranges: readonly { readonly from: number; readonly to: number }[], at: number): boolean {
  return ranges.some(({ from, to }) => from <= at && at < to)
}

function summaryOf(id: string, log: StoredLog): SessionSummary {
  const entries = entriesOf(log)
  const [started] = entries
  const last = entries.at(-1)
  if (started?.type !== 'session-started' || last === undefined) throw new TypeError(`${id} begins with no start.`)
  const { dialect, model, cwd, title, toolResults } = started
  return {
    id,
    dialect,
    ...(model !== undefined && { model }),
    ...(cwd !== undefined && { cwd }),
    ...(title !== undefined && { title }),
    toolResults,
    createdAt: started.at,
    updatedAt: last.at,
    entries: entries.length,
    messages: lengthBehind(entries),
    ...log.counters,
    ...(log.forked !== undefined && { forked: log.forked }),
  }
}

/** Items of the transcript behind these entries. */
function lengthBehind(entries: readonly SessionEntry[]): number {
  const lengths: number[] = []
  for (const entry of entries) {
    if (entry.type === 'message-appended') lengths.push(entry.position + 1)
    else lengths.push((entry.type === 'rewound' ? lengths[entry.to - 1] : lengths.at(-1)) ?? 0)
  }
  return lengths.at(-1) ?? 0
}
