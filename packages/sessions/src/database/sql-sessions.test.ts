import { describe, expect, it } from 'vitest'
import { chainEntries } from '../log/entry-chain.ts'
import type { EntryBody } from '../log/session-entry.ts'
import { sessionStoreLaws } from '../log/session-store-laws.ts'
import { findSqlite, type SqliteConnection } from '../sqlite/sqlite-driver.ts'
import { watchedDatabase } from './crash-statements.test-data.ts'
import { openDatabase } from './open-database.ts'
import { sqliteFiles, testDatabases } from './test-databases.test-data.ts'

for (const { name, skip, create } of await testDatabases()) {
  describe.skipIf(skip)(skip ?? name, () => {
    sessionStoreLaws(
      name,
      async () => {
        const { url, remove } = await create()
        const handles = [await openDatabase(url), await openDatabase(url)] as const
        let opened = 0
        return {
          // by turns, so that two processes could be meant
          open: (namespace) => handles[opened++ % 2 === 0 ? 0 : 1].sessions(namespace),
          async close() {
            for (const handle of handles) await handle.close()
            await remove()
          },
        }
      },
      { runs: 25 },
    )

    it('a fork of a session that is removed meanwhile is a whole one, or is refused', async () => {
      const { url, remove } = await create()
      const [one, two] = [await openDatabase(url), await openDatabase(url)]
      const log = chainEntries([START, ...messages(400)], { after: undefined, at: 1 })
      const outcomes = new Set<string>()
      for (let run = 0; run < 20; run++) {
        const [session, fork] = [`s${run}`, `f${run}`]
        await one.sessions().append(session, log)
        const forking = one.sessions().fork(session, fork)
        // by and by later, so that it falls into every part of the fork, and in the end behind it
        for (let turn = 0; turn < run; turn++) await new Promise(setImmediate)
        if (run === 19) await forking
        const [forked, removed] = await Promise.allSettled([forking, two.sessions().remove(session)])
        expect(removed).toEqual({ status: 'fulfilled', value: true })
        if (forked.status === 'rejected') expect(forked.reason).toMatchObject({ code: 'not-found' })
        expect(await two.sessions().read(fork)).toEqual(forked.status === 'fulfilled' ? log : [])
        expect(await two.sessions().find(session)).toBeUndefined()
        outcomes.add(forked.status)
      }
      expect(outcomes).toContain('fulfilled')
      for (const database of [one, two]) await database.close()
      await remove()
    })

    it('an append asks the same few things of the database however long the session is', async () => {
      const { url, remove } = await create()
      const asked: string[] = []
      const database = await watchedDatabase(url, (when, { sql }) => when === 'before' && asked.push(sql))
      const store = database.sessions()
      const log = chainEntries([START, ...messages(3_000)], { after: undefined, at: 1 })
      await store.append('s', log.slice(0, 10))
      const short = await statementsOf(asked, () => store.append('s', log.slice(10, 30)))
      await store.append('s', log.slice(30, 2_900))
      const long = await statementsOf(asked, () => store.append('s', log.slice(2_900, 2_920)))
      const counters = { compactions: 1 }
      const turn = await statementsOf(asked, () => store.append('s', log.slice(2_920, 2_940), { counters }))
      expect(long).toEqual(short)
      expect(long.map(kindOf)).toEqual(['begin', ...(name === 'SQLite' ? [] : ['lock']), 'select', 'insert', 'commit'])
      expect(turn.map(kindOf)).toEqual([...long.slice(0, -1).map(kindOf), 'update', 'commit'])
      await database.close()
      await remove()
    })
  })
}

it('SQLite finds everything that is asked of a session by an index', async () => {
  const { url, remove } = await sqliteFiles.create()
  const asked = new Set<string>()
  const database = await watchedDatabase(url, (_, { sql }) => asked.add(sql))
  const store = database.sessions()
  const log = chainEntries([START, ...messages(20)], { after: undefined, at: 1 })
  await store.append('s', log)
  asked.clear()
  const rest = chainEntries([{ type: 'rewound', to: 5 }], { after: log.at(-1), at: 2 })
  await store.append('s', [...log.slice(9), ...rest], { counters: { compactions: 1 } })
  await store.find('s')
  await store.list({ cwd: '/home' })
  await store.read('s', { from: 3, to: 9 })
  await store.head('s')
  await store.checkpoint('s', { before: 9 })
  await store.messages('s', { positions: [{ from: 2, to: 7 }], until: 9, abandoned: [] })
  await store.fork('s', 'f', { until: 7 })
  await store.remove('s')
  await database.close()
  const connection = (await findSqlite())(url)
  const steps = [...asked].flatMap((sql) => (/^(begin|commit)/.test(sql) ? [] : planOf(connection, sql)))
  connection.close()
  for (const index of ['checkpoints', 'entries_by_position']) expect(steps.join('\n')).toContain(`INDEX ${index} (`)
  expect(steps.filter((step) => step.startsWith('SCAN') && !step.startsWith('SCAN CONSTANT'))).toEqual([])
  await remove()
})

function planOf(connection: SqliteConnection, sql: string): readonly string[] {
  const parameters = (sql.match(/\?/g) ?? []).map(() => null)
  const rows = connection.prepare(`explain query plan ${sql}`).all(parameters) as { readonly detail: string }[]
  return rows.map(({ detail }) => detail)
}

const START: EntryBody = { type: 'session-started', dialect: 'anthropic-messages', toolResults: 'full' }

function messages(count: number): readonly EntryBody[] {
  return Array.from({ length: count }, (_, position) => ({
    type: 'message-appended',
    position,
    item: { role: 'user', content: `message ${position}` },
  }))
}

async function statementsOf(asked: readonly string[], call: () => Promise<void>): Promise<readonly string[]> {
  const before = asked.length
  await call()
  return asked.slice(before)
}

function kindOf(sql: string): string {
  return sql.includes('pg_advisory_xact_lock') ? 'lock' : (/^\w+/.exec(sql)?.[0] ?? '')
}
