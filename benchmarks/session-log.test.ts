import { describe, expect, it } from 'vitest'
import { postgresDatabases } from '../packages/sessions/src/database/test-databases.test-data.ts'
// @ts-expect-error a script without types
import { agentTurn, ENTRIES_PER_TURN, entryGroups, MESSAGES_PER_TURN } from './agent-turns.mjs'
// @ts-expect-error a script without types
import { COLUMNS, run } from './session-log.mjs'

type Row = Readonly<Record<string, string | number>>

/** The benchmark in a tiny size; its rows by the names of their columns. */
async function tiny(options: object): Promise<readonly Row[]> {
  const { rows } = await run({ lengths: [1_000, 1_500], turns: 5, rounds: 1, ...options })
  return rows.map((row: readonly (string | number)[]) =>
    Object.fromEntries(COLUMNS.map((name: string, n: number) => [name, row[n]])),
  )
}

/** A turn asks the database no more where the session is longer. */
function expectSameCost(rows: readonly Row[]): void {
  const turns = rows.filter(({ what }) => String(what).startsWith('a turn, '))
  expect(turns.length).toBe(6)
  for (const short of turns.filter((row) => row['entries in the log'] === 1_000)) {
    const long = turns.find((row) => row.what === short.what && row['entries in the log'] === 1_500)
    expect(long?.statements).toBe(short.statements)
  }
}

describe('what a session log costs', () => {
  it('is the same in a short session and a long one, in SQLite', async () => {
    const rows = await tiny({ kinds: ['sqlite'] })
    expectSameCost(rows)
    // of a server it would be what all tests of this run write
    const written = rows
      .filter(({ what }) => what === 'a turn, a commit per turn')
      .map((row) => Number(row['kB written']))
    expect(written[0]).toBeGreaterThan(5)
    expect(written[1]).toBeLessThan(2 * (written[0] ?? 0))
    const resumed = rows.filter(({ what }) => String(what).startsWith('resume'))
    expect(resumed.map(({ statements }) => statements)).toEqual([3, 1])
  })

  it('is the same in a short session and a long one, in PostgreSQL', async ({ skip }) => {
    const { skip: reason, create } = await postgresDatabases()
    skip(reason !== undefined, reason)
    const { url, remove } = await create()
    expectSameCost(await tiny({ kinds: ['postgres'], postgres: url }).finally(remove))
  })
})

describe('a turn that is made up', () => {
  it('is the same each time, and has what the benchmark counts', () => {
    const entries = entryGroups(agentTurn(3), 16).flat()
    expect(entryGroups(agentTurn(3), 16).flat()).toEqual(entries)
    expect(entryGroups(agentTurn(4), 16).flat()).not.toEqual(entries)
    expect(entries).toHaveLength(ENTRIES_PER_TURN)
    const positions = entries.flatMap(({ position = -1 }: { position?: number }) => (position < 0 ? [] : [position]))
    expect(positions).toEqual(Array.from({ length: MESSAGES_PER_TURN }, (_, n) => 16 + n))
  })

  it('has items of the sizes that were recorded', () => {
    const items = Array.from({ length: 42 }, (_, n) => entryGroups(agentTurn(n), 0).flat())
      .flat()
      .filter(({ type }) => type === 'message-appended')
    const mean = Buffer.byteLength(JSON.stringify(items)) / items.length
    expect(mean).toBeGreaterThan(1_000)
    expect(mean).toBeLessThan(2_500)
  })
})
