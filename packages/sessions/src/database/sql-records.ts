import { type Kysely, sql } from 'kysely'
import type { CompactionRecord, RecordStore, StoreCall } from 'palimpsest'
import type { Tables } from './schema.ts'
import { reading, type SqlDatabase, writing } from './sql-database.ts'
import { digestOf, storedText } from './stored-text.ts'

/** Compaction records as rows; of two with one key the first to be inserted stays. */
export class SqlRecords implements RecordStore {
  readonly #database: SqlDatabase

  constructor(database: SqlDatabase) {
    this.#database = database
  }

  async list(root: string, call?: StoreCall): Promise<readonly CompactionRecord[]> {
    return reading(this.#database, call, async (db) => {
      const rows = await db
        .selectFrom('records')
        .select('record')
        .where('root_digest', '=', digestOf(root))
        .orderBy('number')
        .execute()
      return rows.flatMap(({ record }) => recordIn(record) ?? [])
    })
  }

  async commit(root: string, record: CompactionRecord, call?: StoreCall): Promise<CompactionRecord> {
    return writing(this.#database, call, async (trx) => {
      if (this.#database.kind === 'postgres') await inTurn(trx, root)
      const digest = digestOf(root, record.key)
      const row = {
        digest,
        root_digest: digestOf(root),
        root: storedText(root),
        key: storedText(record.key),
        record: JSON.stringify(record),
      }
      const unlessThere = trx.insertInto('records').values(row)
      await unlessThere.onConflict((conflict) => conflict.column('digest').doNothing()).execute()
      const first = trx.selectFrom('records').select('record').where('digest', '=', digest)
      const stored = recordIn((await first.executeTakeFirstOrThrow()).record)
      if (stored === undefined) await trx.updateTable('records').set(row).where('digest', '=', digest).execute()
      return stored ?? (JSON.parse(row.record) as CompactionRecord)
    })
  }

  async alone<Result>(root: string, run: () => Promise<Result>, call?: StoreCall): Promise<Result> {
    return this.#database.locks.alone(`records of ${root}`, run, call?.signal)
  }
}

/** Undefined for a damaged one: it is left out, and made again. */
function recordIn(text: string): CompactionRecord | undefined {
  try {
    return JSON.parse(text) as CompactionRecord
  } catch {
    return undefined
  }
}

/** Numbers are given when a row is inserted: without this, an older one could appear behind a newer one. */
async function inTurn(trx: Kysely<Tables>, root: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${digestOf('records', root)}, 0))`.execute(trx)
}
