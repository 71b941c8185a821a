import fc from 'fast-check'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { arbitraryLog } from '../log/arbitrary-log.ts'
import { chainEntries } from '../log/entry-chain.ts'
import { foldEntries } from '../log/fold-session.ts'
import type { EntryBody, SessionEntry } from '../log/session-entry.ts'
import { openDatabase, type SessionDatabase } from './open-database.ts'
import { exampleEntry, exampleRecord } from './store-examples.test-data.ts'
import { rowsOf, type TestDatabase, testDatabases } from './test-databases.test-data.ts'

const STEPS = ['0001-base', '0002-session-counters', '0003-history-words']

for (const { name, skip, create } of await testDatabases()) {
  describe.skipIf(skip)(`migrations, ${name}${skip === undefined ? '' : `: ${skip}`}`, () => {
    let test: TestDatabase
    let database: SessionDatabase
    beforeAll(async () => {
      test = await create()
      database = await openDatabase(test.url)
    })
    afterAll(async () => {
      await database.close()
      await test.remove()
    })

    it('a new database takes all steps, and opening it again none', async () => {
      expect(await database.migrations.list()).toEqual(STEPS.map((step) => ({ name: step, done: true })))
      expect(await database.migrations.migrate('up')).toEqual([])
    })

    it('the first step is taken back only while nothing is kept', async () => {
      const taken = await database.migrations.migrate('none')
      expect(taken.map((step) => step.name)).toEqual(STEPS.toReversed())
      expect(await rowsOf(test.url, 'select * from migrations')).toEqual([])
      await database.migrations.migrate('up')
      await database.stores.records.commit('root', exampleRecord('k'))
      await expect(database.migrations.migrate('none')).rejects.toMatchObject({ code: 'conflict' })
      expect(await database.stores.records.list('root')).toEqual([exampleRecord('k')])
    })

    it('E5 down, up: all that was kept is there, and the counters are counted again', async () => {
      let session = 0
      const logs = new Map<string, readonly SessionEntry[]>()
      await fc.assert(
        fc.asyncProperty(arbitraryLog, fc.integer({ min: 2, max: 30 }), async (log, until) => {
          const id = `s${++session}`
          logs.set(id, log).set(`fork of ${id}`, log.slice(0, until - 1))
          await appendAsTurns(database, id, log)
          await database.sessions().fork(id, `fork of ${id}`, { until })
          await database.stores.records.commit(id, exampleRecord('k', `summary of ${id}`))
          const kept = await everything(database, logs.keys())
          const tables = await keptRows(test.url)
          expect(await down(database)).toEqual(['0003-history-words', '0002-session-counters'])
          expect(await keptRows(test.url)).toEqual(tables)
          await database.migrations.migrate('up')
          expect(await everything(database, logs.keys())).toEqual(kept)
        }),
        { numRuns: 10 },
      )
      // as JSON, which has no -0
      const asJson = (log: readonly SessionEntry[]) => JSON.parse(JSON.stringify(log))
      for (const [id, log] of logs) expect(await database.sessions().read(id)).toEqual(asJson(log))
    })

    it('counts an imported session again as it came', async () => {
      const usage = { input: 1234, cacheRead: 0, cacheWrite: 0, output: 5 }
      const bodies: readonly EntryBody[] = [
        { type: 'session-started', dialect: 'anthropic-messages', toolResults: 'full', imported: { format: 'pi' } },
        { type: 'usage-recorded', purpose: 'chat', usage },
        ...Array.from({ length: 150 }, (): EntryBody => ({ type: 'usage-recorded', purpose: 'summarize', usage })),
      ]
      const log = chainEntries(bodies, { after: undefined, at: 1_700_000_000_000 })
      await database.sessions().append('imported', log, { counters: { lastInputTokens: 1234, compactions: 0 } })
      await down(database)
      await database.migrations.migrate('up')
      expect(await database.sessions().find('imported')).toMatchObject({ lastInputTokens: 1234, compactions: 0 })
    })

    it('the index of words has what was appended before it and while it was not there', async () => {
      const { history } = database.stores
      const session = { namespace: 'n', session: 'words' }
      await history.append(session, [exampleEntry(0, 'the first has a walrus')])
      await database.migrations.migrate('0002-session-counters')
      await history.append(session, [exampleEntry(1, 'the second has a walrus')])
      await database.migrations.migrate('up')
      await history.append(session, [exampleEntry(2, 'the third has a walrus'), exampleEntry(3, 'this has none')])
      const found = await history.search?.(session, 'walrus')
      expect(found?.matches.map(({ position }) => position).sort()).toEqual([0, 1, 2])
    })

    it('a step that is not there is told from those that are', async () => {
      await expect(database.migrations.migrate('0009-no-such')).rejects.toMatchObject({
        code: 'invalid-input',
        hint: expect.stringContaining('0002-session-counters'),
      })
    })

    it('a database of a newer version is refused, and left as it is', async () => {
      await rowsOf(test.url, "insert into migrations values ('9999-later', '2099-01-01T00:00:00.000Z') returning name")
      const before = await rowsOf(test.url, 'select * from migrations order by name')
      await expect(openDatabase(test.url)).rejects.toMatchObject({
        code: 'invalid-input',
        message: expect.stringContaining('9999-later'),
      })
      expect(await rowsOf(test.url, 'select * from migrations order by name')).toEqual(before)
    })
  })

  describe.skipIf(skip)(`many that open a new database at once, ${name}`, () => {
    it('all have it, and each step was taken once', async () => {
      const { url, remove } = await create()
      const all = await Promise.all(Array.from({ length: 6 }, () => openDatabase(url)))
      for (const one of all) expect((await one.migrations.list()).every(({ done }) => done)).toBe(true)
      expect((await rowsOf(url, 'select name from migrations order by name')).map((row) => row.name)).toEqual(STEPS)
      for (const one of all) await one.close()
      await remove()
    })
  })
}

/** Each turn's end in an append of its own, with the counters, as a running session does. */
async function appendAsTurns(database: SessionDatabase, id: string, log: readonly SessionEntry[]): Promise<void> {
  let from = 0
  for (const [at, { type }] of log.entries()) {
    if (type !== 'turn-ended') continue
    const { snapshot } = foldEntries(log.slice(0, at + 1))
    const { compactions, lastInputTokens } = snapshot
    const counters = { compactions, ...(lastInputTokens !== undefined && { lastInputTokens }) }
    await database.sessions().append(id, log.slice(from, at + 1), { counters })
    from = at + 1
  }
  await database.sessions().append(id, log.slice(from))
}

async function everything({ sessions, stores }: SessionDatabase, ids: Iterable<string>) {
  const kept = []
  for (const id of ids) {
    kept.push({
      summary: await sessions().find(id),
      entries: await sessions().read(id),
      records: await stores.records.list(id),
    })
  }
  return kept
}

/** Rows of every table that the first step makes, without the columns that later ones add. */
async function keptRows(url: string) {
  const columns = {
    sessions: 'number, digest, id, dialect, model, created_at',
    entries: 'session, seq, at, hash, type, position, body',
    records: 'number, digest, root, key, record',
    artifacts: 'namespace, key, content',
    histories: 'number, digest, namespace, session',
    history_entries: 'number, history, position, fingerprint, markdown',
  }
  const tables = Object.entries(columns).map(([table, names]) =>
    rowsOf(url, `select ${names} from ${table} order by 1, 2`),
  )
  return Promise.all(tables)
}

async function down({ migrations }: SessionDatabase): Promise<readonly string[]> {
  const taken = [...(await migrations.migrate('down')), ...(await migrations.migrate('down'))]
  return taken.map((step) => step.name)
}
