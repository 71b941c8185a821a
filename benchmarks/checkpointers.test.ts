import { describe, expect, it } from 'vitest'
import { postgresDatabases } from '../packages/sessions/src/database/test-databases.test-data.ts'
// @ts-expect-error a script without types
import { COLUMNS, run } from './checkpointers.mjs'

type Row = Readonly<Record<string, string | number>>

async function tiny(options: object): Promise<readonly Row[]> {
  const { rows } = await run({ turns: [4, 12], ...options })
  return rows.map((row: readonly (string | number)[]) =>
    Object.fromEntries(COLUMNS.map((name: string, n: number) => [name, row[n]])),
  )
}

/** What a turn adds to the database, by who stores it and which turn it is. */
function sizesOf(rows: readonly Row[], who: string): readonly number[] {
  const own = rows.filter(
    (row) => row['who stores'] === who && /–|per step$|per turn$/.test(String(row['compared with'])),
  )
  return [4, 12].map((turn) => Number(own.find((row) => row.turn === turn)?.['× the bytes of the messages']))
}

/** The run itself holds that both sides stored every message. */
function expectGrowthOfTheOtherOnly(rows: readonly Row[]): void {
  const [ours, theirs] = [sizesOf(rows, 'palimpsest, a commit per step'), sizesOf(rows, 'LangGraph, its default')]
  expect(Math.max(...ours)).toBeLessThan(4)
  expect(theirs[1]).toBeGreaterThan(1.5 * (theirs[0] ?? 0))
  expect(theirs[1]).toBeGreaterThan(8 * (ours[1] ?? 0))
}

describe('what a turn adds to the database', () => {
  it('is its messages here, and the whole session with the checkpointer of LangGraph, in SQLite', async () => {
    expectGrowthOfTheOtherOnly(await tiny({ kinds: ['sqlite'] }))
  })

  it('is its messages here, and the whole session with the checkpointer of LangGraph, in PostgreSQL', async ({
    skip,
  }) => {
    const { skip: reason, create } = await postgresDatabases()
    skip(reason !== undefined, reason)
    const { url, remove } = await create()
    expectGrowthOfTheOtherOnly(await tiny({ kinds: ['postgres'], postgres: url }).finally(remove))
  })
})
