import type { Kysely, Migration } from 'kysely'
import { compactionsBefore, lastInputBefore } from '../counted-entries.ts'
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
  const sessions = await db.selectFrom('sessions').select(['number', 'forked_until']).execute()
  for (const { number, forked_until } of sessions) {
    const end = await countedUntil(db, number, forked_until)
    if (end === undefined) continue
    const compactions = await compactionsBefore(db, number, end)
    const last_input_tokens = await lastInputBefore(db, number, end)
    await db.updateTable('sessions').set({ compactions, last_input_tokens }).where('number', '=', number).execute()
  }
}

/**
 * The entry before which a session's counters were counted: the end of its last turn. An imported session was counted as it
 * came, before the first turn that it had here; a fork as it began, before the first turn of its own ended.
 */
async function countedUntil(
  db: Kysely<Tables>,
  session: number,
  forkedUntil: number | null,
): Promise<number | undefined> {
  const ended = await edge(db, session, { type: 'turn-ended', order: 'desc' })
  if (forkedUntil !== null && (ended ?? 0) < forkedUntil) return forkedUntil
  if (ended !== undefined) return ended
  const first = db.selectFrom('entries').select('body').where('session', '=', session).where('seq', '=', 1)
  const started = JSON.parse((await first.executeTakeFirst())?.body ?? '{}') as { imported?: object }
  if (started.imported === undefined) return undefined
  return (await edge(db, session, { type: 'turn-started', order: 'asc' })) ?? LAST
}

/** The first or last entry of a type. */
async function edge(
  db: Kysely<Tables>,
  session: number,
  { type, order }: { readonly type: string; readonly order: 'asc' | 'desc' },
): Promise<number | undefined> {
  const entries = db.selectFrom('entries').select('seq').where('session', '=', session).where('type', '=', type)
  return (await entries.orderBy('seq', order).limit(1).executeTakeFirst())?.seq
}

/** The largest `seq` that a column holds. */
const LAST = 2 ** 31 - 1
