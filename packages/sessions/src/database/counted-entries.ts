import type { Kysely } from 'kysely'
import type { Tables } from './schema.ts'

/** Compactions that were applied before an entry, those that a rewind left behind included. */
export async function compactionsBefore(db: Kysely<Tables>, session: number, end: number): Promise<number> {
  const { count } = await db
    .selectFrom('entries')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('session', '=', session)
    .where('seq', '<', end)
    .where('type', '=', 'compaction-applied')
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Whole input of the last chat call before an entry, in tokens; few uses lie behind it. */
export async function lastInputBefore(db: Kysely<Tables>, session: number, end: number): Promise<number | null> {
  const newestFirst = await db
    .selectFrom('entries')
    .select(['seq', 'body'])
    .where('session', '=', session)
    .where('seq', '<', end)
    .where('type', '=', 'usage-recorded')
    .orderBy('seq', 'desc')
    .limit(PAGE)
    .execute()
  for (const { body } of newestFirst) {
    const { purpose, usage } = JSON.parse(body) as { purpose: string; usage: { input: number } }
    if (purpose === 'chat') return usage.input
  }
  const oldest = newestFirst[PAGE - 1]
  return oldest === undefined ? null : lastInputBefore(db, session, oldest.seq)
}

const PAGE = 100
