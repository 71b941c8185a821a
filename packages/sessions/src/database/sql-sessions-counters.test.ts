import { anthropicMessages, type CompactionRecord, createCompactor, DEFAULT_PRESET, type RecordStore } from 'palimpsest'
import { describe, expect, it } from 'vitest'
import { Session } from '../log/session.ts'
import { withDatabase } from './crash-databases.test-data.ts'
import type { SessionDatabase } from './open-database.ts'
import { testDatabases } from './test-databases.test-data.ts'

for (const databases of await testDatabases()) {
  const { name, skip } = databases
  describe.skipIf(skip)(skip ?? name, () => {
    it('E4 the session counters are written exactly once per turn', async () => {
      const asked: string[] = []
      const watch = (when: string, { sql }: { readonly sql: string }) => {
        if (when === 'before') asked.push(sql)
      }
      await withDatabase(databases, watch, async (database) => {
        const store = database.sessions()
        const session = await Session.create(store, 's', { dialect: anthropicMessages })
        expect(countersWritten(asked)).toBe(0)
        await takeTurn(session, database, { refusals: 1 })
        expect(countersWritten(asked)).toBe(1)
        expect(await store.find('s')).toMatchObject({ lastInputTokens: 1_201, compactions: 1 })
        await takeTurn(session, database, { refusals: 0 })
        expect(countersWritten(asked)).toBe(2)
        expect(await store.find('s')).toMatchObject({ lastInputTokens: 1_202, compactions: 1 })
        expect(session.snapshot).toMatchObject({ turn: 2, lastInputTokens: 1_202, compactions: 1 })
        // where they are written, the end of the turn is
        for (const [place, sql] of asked.entries()) {
          if (isWrite(sql))
            expect(asked.slice(place - 1, place + 2).map(kindOf)).toEqual(['insert', 'update', 'commit'])
        }
      })
    })
  })
}

const COUNTED = /last_input_tokens|compactions/

function isWrite(sql: string): boolean {
  return /^(insert into|update|replace into) "sessions"/.test(sql) && COUNTED.test(sql)
}

function countersWritten(asked: readonly string[]): number {
  return asked.filter(isWrite).length
}

function kindOf(sql: string): string {
  return /^\w+/.exec(sql)?.[0] ?? ''
}

/** A turn of one model call, which the provider refuses so often before it answers. */
async function takeTurn(
  session: Session,
  { stores }: SessionDatabase,
  { refusals }: { readonly refusals: number },
): Promise<void> {
  const records = new Map<string, CompactionRecord>()
  const compactor = createCompactor({
    dialect: anthropicMessages,
    window: 100_000,
    preset: { ...DEFAULT_PRESET, rungs: [{ strategy: 'summarizeOlder' }] },
    stores: { ...stores, records: noting(stores.records, records) },
  })
  await session.turn(async () => {
    session.appendItems(question(session.snapshot.turn))
    await session.commit()
    const messages = (await session.transcript()) as Parameters<typeof compactor.prepare>[0]['messages']
    let prepared = await compactor.prepare({ model: 'm', max_tokens: 100, messages }, { session: 's' })
    for (let refusal = 0; refusal < refusals; refusal++) {
      const smaller = await prepared.recover(tooLong())
      if (smaller === undefined) throw new TypeError('A refusal for its size was taken for something else.')
      prepared = smaller
      const record = records.get(prepared.recordId ?? '')
      if (record !== undefined) session.applyCompaction(record)
      await session.commit()
    }
    session.appendItems([{ role: 'assistant', content: 'It is done.' }])
    const usage = { input: 1_200 + session.snapshot.turn, cacheRead: 0, cacheWrite: 0, output: 9 }
    session.recordUsage({ purpose: 'chat', usage })
    await session.commit()
  })
}

/** In the first turn, with a conversation before it. */
function question(turn: number): readonly object[] {
  const text = 'something to read, '.repeat(200)
  const before = Array.from({ length: turn === 1 ? 6 : 0 }, (_, n) => [
    { role: 'user', content: `${n}: ${text}` },
    { role: 'assistant', content: `${n} was read.` },
  ])
  return [...before.flat(), { role: 'user', content: `Question ${turn}` }]
}

function tooLong(): Error {
  const message = 'prompt is too long: 5000 tokens > 4000 maximum'
  const body = { type: 'error', error: { type: 'invalid_request_error', message } }
  return Object.assign(new Error(`400 ${JSON.stringify(body)}`), { status: 400, error: body })
}

function noting(records: RecordStore, known: Map<string, CompactionRecord>): RecordStore {
  return {
    list: (root, call) => records.list(root, call),
    async commit(root, record, call) {
      const stored = await records.commit(root, record, call)
      known.set(stored.key, stored)
      return stored
    },
    alone: (root, run, call) => records.alone(root, run, call),
  }
}
