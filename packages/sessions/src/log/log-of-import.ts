import { DIALECTS, type Dialect, type Usage } from 'palimpsest'
import type { ImportedItem, ImportedSession, RecordedCall, RecordedCompaction } from '../importers/imported-session.ts'
import { stateAfter } from './fold-session.ts'
import { CHECKPOINT_EVERY } from './resume-session.ts'
import type { EntryBody, SessionSnapshot, SessionStarted } from './session-entry.ts'

/** What an entry says, and when. */
export interface TimedBody {
  readonly body: EntryBody
  /** Milliseconds since the epoch. */
  readonly at: number
}

/**
 * An imported session as the entries of a log: its messages, the usage of each call behind the first item of its answer, and
 * the compactions that the client made, in their places. The same file gives the same entries, and a file that has grown
 * begins with those it gave before, as long as the client only appended to it. What has no time of its own has that of what
 * stands before it; `at` is that of the first, where the file tells none.
 */
export function logOfImport(session: ImportedSession, { at = 0 }: { readonly at?: number } = {}): readonly TimedBody[] {
  const dialect = DIALECTS.find(({ name }) => name === session.dialect)
  const { frame, leading } = frameOf(session, dialect)
  const log = new ImportedLog(at)
  log.add(startOf(session, frame), firstTime(session))
  const [calls, compactions] = [byPosition(session.calls), byPosition(session.compactions)]
  session.items.forEach((item, index) => {
    const { timestamp } = item
    for (const compaction of compactions(index)) log.add(compactionBody(compaction, leading), timestamp)
    if (index >= leading) log.add(messageBody(item, index - leading), timestamp)
    for (const call of calls(index)) {
      if (call.usage !== undefined) log.add(usageBody(call, call.usage), call.timestamp ?? timestamp)
    }
  })
  for (const compaction of session.compactions.filter(({ position }) => position >= session.items.length)) {
    log.add(compactionBody(compaction, leading), undefined)
  }
  return log.bodies
}

function byPosition<One extends { readonly position: number }>(all: readonly One[]): (at: number) => readonly One[] {
  const places = new Map<number, One[]>()
  for (const one of all) places.set(one.position, [...(places.get(one.position) ?? []), one])
  return (at) => places.get(at) ?? []
}

/**
 * Of the request that the session was read from: all but its items; and how many of these are system, and no messages. What
 * a session of another kind begins with as system stands alone in its frame.
 */
function frameOf(
  { request, items }: ImportedSession,
  dialect: Dialect<unknown, object> | undefined,
): { readonly frame?: unknown; readonly leading: number } {
  if (dialect === undefined || (request !== undefined && dialect.recognises(request) === 0)) return { leading: 0 }
  const whole = request ?? { [dialect.itemsKey]: items.map(({ item }) => item) }
  const conversation = dialect.open(whole)
  const leading = Math.max(0, items.length - conversation.items.length)
  if (request === undefined && leading === 0) return { leading }
  return { frame: dialect.close(whole, { ...conversation, items: [] }), leading }
}

function startOf({ dialect, cwd, title, format, id, calls, model }: ImportedSession, frame: unknown): SessionStarted {
  // the model of the last call may be another one once the file has grown
  const first = calls.find((call) => call.model !== undefined)?.model ?? model
  return {
    type: 'session-started',
    dialect,
    ...(first !== undefined && { model: first }),
    ...(cwd !== undefined && { cwd }),
    ...(title !== undefined && { title }),
    toolResults: 'full',
    ...(frame !== undefined && { frame }),
    imported: { format, ...(id !== undefined && { id }) },
  }
}

function firstTime({ items, calls }: ImportedSession): number | undefined {
  return items.find(({ timestamp }) => timestamp !== undefined)?.timestamp ?? calls[0]?.timestamp
}

function messageBody({ item, injected }: ImportedItem, position: number): EntryBody {
  return { type: 'message-appended', position, item, ...(injected === true && { injected }) }
}

function usageBody({ model }: RecordedCall, usage: Usage): EntryBody {
  return { type: 'usage-recorded', purpose: 'chat', usage, ...(model !== undefined && { model }) }
}

function compactionBody(compaction: RecordedCompaction, leading: number): EntryBody {
  const { position: _, keptFrom, ...told } = compaction
  return {
    type: 'compaction-imported',
    ...told,
    ...(keptFrom !== undefined && { keptFrom: Math.max(0, keptFrom - leading) }),
  }
}

/** Bodies in order, with a checkpoint after every so many. */
class ImportedLog {
  readonly bodies: TimedBody[] = []
  #state: SessionSnapshot | undefined
  #at: number

  constructor(at: number) {
    this.#at = at
  }

  add(body: EntryBody, at: number | undefined): void {
    this.#put(body, at)
    if (this.bodies.length % CHECKPOINT_EVERY === 0 && this.#state !== undefined) {
      this.#put({ type: 'checkpoint', state: this.#state }, undefined)
    }
  }

  #put(body: EntryBody, at: number | undefined): void {
    if (at !== undefined && Number.isFinite(at)) this.#at = Math.trunc(at)
    this.bodies.push({ body, at: this.#at })
    const entry = { ...body, seq: this.bodies.length, at: this.#at, hash: '' }
    this.#state = stateAfter(this.#state, entry, () => undefined)
  }
}
