import type { LearnedLimit, LimitScope, LimitStore, StoreCall } from 'palimpsest'
import { assertLimit, FORGET_AFTER, type LimitMemory } from 'palimpsest/stores'
import { reading, type SqlDatabase, writing } from './sql-database.ts'
import { digestOf, storedText } from './stored-text.ts'

/** One row for each scope: the lowest limit that is not forgotten. */
export class SqlLimits implements LimitStore {
  readonly #database: SqlDatabase
  readonly #forgetAfter: number

  constructor(database: SqlDatabase, { forgetAfter = FORGET_AFTER }: Pick<LimitMemory, 'forgetAfter'> = {}) {
    this.#database = database
    this.#forgetAfter = forgetAfter
  }

  async get(scope: LimitScope, call?: StoreCall): Promise<LearnedLimit | undefined> {
    return reading(this.#database, call, async (db) => {
      const row = await db
        .selectFrom('limits')
        .select(['size', 'at'])
        .where('digest', '=', digestOfScope(scope))
        .where('at', '>', this.#oldest())
        .executeTakeFirst()
      return row && { window: row.size, at: row.at }
    })
  }

  async learn(scope: LimitScope, limit: LearnedLimit, call?: StoreCall): Promise<void> {
    assertLimit(limit)
    const oldest = this.#oldest()
    await writing(this.#database, call, async (trx) => {
      if (limit.at <= oldest) return
      await trx
        .insertInto('limits')
        .values({ ...rowOf(scope), size: limit.window, at: limit.at })
        .onConflict((conflict) =>
          conflict
            .column('digest')
            .doUpdateSet({ size: limit.window, at: limit.at })
            .where(({ eb, or }) => or([eb('limits.size', '>', limit.window), eb('limits.at', '<=', oldest)])),
        )
        .execute()
    })
  }

  #oldest(): number {
    return this.#database.now() - this.#forgetAfter
  }
}

function rowOf(scope: LimitScope) {
  const { namespace, upstream, model } = scope
  return {
    digest: digestOfScope(scope),
    namespace: storedText(namespace),
    upstream: storedText(upstream),
    model: storedText(model),
  }
}

function digestOfScope({ namespace, upstream, model }: LimitScope): string {
  return digestOf(namespace, upstream, model)
}
