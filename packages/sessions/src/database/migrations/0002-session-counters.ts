import { type Kysely, type Migration, sql } from 'kysely'
import type { Tables } from '../schema.ts'

/** `last_input_tokens` and `compactions` of each session, as the end of its last turn wrote them. */
export const sessionCounters: Migration = {
  async up(db) {
    await db.schema.alterTable('sessions').addColumn('last_input_tokens', 'double precision').execute()
    await db.schema
      .alterTable('sessions')
      .addColumn('compactions', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
    await recount(db)
  },
  async down(db) {
    await db.schema.alterTable('sessions').dropColumn('compactions').execute()
    await db.schema.alterTable('sessions').dropColumn('last_input_tokens').execute()
  },
}

/** Going down lost the counters, and only them: the entries say them again. */
async function recount(db: Kysely<Tables>): Promise<void> {
  const ended = await db
    .selectFrom('entries')
    .select(['session', sql<number>`max(seq)`.as('seq')])
    .where('type', '=', 'turn-ended')
    .groupBy('session')
    .execute()
  for (const { session, seq } of ended) {
    const compactions = await compactionsBefore(db, session, seq)
    const last_input_tokens = await lastInputBefore(db, session, seq)
    await db.updateTable('sessions').set({ compactions, last_input_tokens }).where('number', '=', session).execute()
  }
}

async function compactionsBefore(db: Kysely<Tables>, session: number, seq: number): Promise<number> {
  const { count } = await db
    .selectFrom('entries')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('session', '=', session)
    .where('seq', '<', seq)
    .where('type', '=', 'compaction-applied')
    .executeTakeFirstOrThrow()
  return Number(count)
}

async function lastInputBefore(db: Kysely<Tables>, session: number, seq: number): Promise<number | null> {
  const newestFirst = await db
    .selectFrom('entries')
    .select('body')
    .where('session', '=', session)
    .where('seq', '<', seq)
    .where('type', '=', 'usage-recorded')
    .orderBy('seq', 'desc')
    .execute()
  for (const { body } of newestFirst) {
    const { purpose, usage } = JSON.parse(body) as { purpose: string; usage: { input: number } }
    if (purpose === 'chat') return usage.input
  }
  return null
}
