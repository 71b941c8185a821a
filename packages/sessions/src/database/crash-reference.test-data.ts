import { type CompactionRecord, type HistoryEntry, historyEntries, memoryStores } from 'palimpsest'
import { memorySessions } from '../log/memory-sessions.ts'
import type { SessionEntry } from '../log/session-entry.ts'
import type { SessionSummary } from '../log/session-store.ts'
import { bytesOf, CrashAgent, NAMESPACE, SESSION, withAppend } from './crash-session.test-data.ts'

/** What stood there after one append. */
export interface ReferenceStep {
  readonly entries: number
  readonly summary: SessionSummary | undefined
}

/** The session of the agent, in memory, without a crash. */
export interface Reference {
  /** The first one is before the session began. */
  readonly steps: readonly ReferenceStep[]
  readonly log: readonly SessionEntry[]
  readonly root: string
  readonly records: readonly CompactionRecord[]
  readonly history: readonly HistoryEntry[]
  /** What an agent that lives sends next when its turn is cancelled after this step. */
  nextRequest(step: number): Promise<string>
}

export async function referenceRun(): Promise<Reference> {
  const store = memorySessions().open()
  const stores = memoryStores()
  const steps: ReferenceStep[] = [{ entries: 0, summary: undefined }]
  const sessions = withAppend(store, async (session, entries, options) => {
    await store.append(session, entries, options)
    steps.push({ entries: entries.at(-1)?.seq ?? 0, summary: await store.find(session) })
  })
  const agent = await CrashAgent.open({ sessions, stores })
  await agent.run()
  const { root } = agent
  if (root === undefined) throw new TypeError('The agent asked for no record.')
  const requests = new Map<number, Promise<string>>()
  return {
    steps,
    root,
    log: await store.read(SESSION),
    records: await stores.records.list(root),
    history: historyEntries((await stores.history.read({ namespace: NAMESPACE, session: SESSION })) ?? ''),
    nextRequest(step) {
      const known = requests.get(step) ?? requestAfter(step)
      requests.set(step, known)
      return known
    },
  }
}

/** Nothing is read from a store here: the agent goes on with what it has in memory. */
async function requestAfter(step: number): Promise<string> {
  const stop = new AbortController()
  const store = memorySessions().open()
  let appends = 0
  const sessions = withAppend(store, async (...call) => {
    stop.signal.throwIfAborted()
    await store.append(...call)
    appends += 1
    if (appends === step) stop.abort(new Error('Stopped.'))
  })
  const agent = await CrashAgent.open({ sessions, stores: memoryStores() })
  await agent.run(stop.signal).catch((error: unknown) => {
    if (error !== stop.signal.reason) throw error
  })
  return bytesOf(await agent.nextRequest())
}
