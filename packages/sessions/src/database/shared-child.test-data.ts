import { appendFileSync } from 'node:fs'
import {
  anthropicMessages,
  type CompactionRecord,
  createCompactor,
  DEFAULT_PRESET,
  extractiveSummarizerOf,
  type RecordStore,
  type Summarizer,
} from 'palimpsest'
import { Session } from '../log/session.ts'
import { ownJob, tellParent } from './crash-job.test-data.ts'
import { openDatabase, type SessionDatabase } from './open-database.ts'

/** What one of several processes does with a session that all of them have. */
export interface SharedJob {
  readonly url: string
  readonly name: string
  /** Takes so many turns. */
  readonly turns?: number
  /** Compacts the session, and writes a line into this file whenever its summariser is called. */
  readonly calls?: string
}

export type SharedLine = { readonly ready: true } | { readonly sent: string }

export const SHARED = 'shared'
/** Tokens, of which the shared session has more. */
const WINDOW = 4_000

async function shareSession(job: SharedJob): Promise<void> {
  const database = await openDatabase(job.url)
  const session = await Session.open(database.sessions(), SHARED)
  say({ ready: true })
  for await (const _ of process.stdin);
  await takeTurns(session, job)
  if (job.calls !== undefined) await compact(session, { database, calls: job.calls })
  await database.close()
}

async function takeTurns(session: Session, { name, turns = 0 }: SharedJob): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    await session.turn(async () => {
      session.appendItems([{ role: 'user', content: `${name} asks ${turn}` }])
      await session.commit()
      session.appendItems([{ role: 'assistant', content: `${name} is told ${turn}` }])
    })
  }
}

async function compact(
  session: Session,
  { database, calls }: { readonly database: SessionDatabase; readonly calls: string },
): Promise<void> {
  const records = new Map<string, CompactionRecord>()
  const compactor = createCompactor({
    dialect: anthropicMessages,
    window: WINDOW,
    preset: { ...DEFAULT_PRESET, rungs: [{ strategy: 'summarizeOlder' }] },
    stores: { ...database.stores, records: noting(database.stores.records, records) },
    reader: { tool: 'read_history' },
    summarizer: counting(calls),
  })
  const messages = (await session.transcript()) as Parameters<typeof compactor.prepare>[0]['messages']
  const prepared = await compactor.prepare({ model: 'm', max_tokens: 100, messages }, { session: SHARED })
  say({ sent: JSON.stringify(prepared.request) })
  const record = records.get(prepared.recordId ?? '')
  if (record !== undefined) await session.turn(async () => session.applyCompaction(record))
}

function counting(calls: string): Summarizer {
  const write = extractiveSummarizerOf()
  return async (input, call) => {
    appendFileSync(calls, `${process.pid}\n`)
    return write(input, call)
  }
}

function noting(records: RecordStore, known: Map<string, CompactionRecord>): RecordStore {
  const note = (record: CompactionRecord) => {
    known.set(record.key, record)
    return record
  }
  return {
    list: async (root, call) => (await records.list(root, call)).map(note),
    commit: async (root, record, call) => note(await records.commit(root, record, call)),
    alone: (root, run, call) => records.alone(root, run, call),
  }
}

function say(line: SharedLine): void {
  tellParent(line)
}

const job = ownJob<SharedJob>()
if (job !== undefined) await shareSession(job)
