import type { ArtifactStore, StoreCall } from 'palimpsest'
import { artifactKey, isArtifactKey, storedContent } from 'palimpsest/stores'
import { reading, type SqlDatabase, writing } from './sql-database.ts'
import { digestOf, storedText, textOf } from './stored-text.ts'

/** Originals of offloaded parts as rows, each once in its namespace. */
export class SqlArtifacts implements ArtifactStore {
  readonly #database: SqlDatabase

  constructor(database: SqlDatabase) {
    this.#database = database
  }

  async put(namespace: string, content: string, call?: StoreCall): Promise<string> {
    const text = storedContent(content)
    const key = artifactKey(namespace, text)
    const row = {
      namespace_digest: digestOf(namespace),
      namespace: storedText(namespace),
      key,
      content: storedText(text),
    }
    await writing(this.#database, call, (trx) =>
      trx
        .insertInto('artifacts')
        .values(row)
        .onConflict((conflict) => conflict.columns(['namespace_digest', 'key']).doNothing())
        .execute(),
    )
    return key
  }

  async get(namespace: string, key: string, call?: StoreCall): Promise<string | undefined> {
    call?.signal?.throwIfAborted()
    if (!isArtifactKey(key)) return undefined
    return reading(this.#database, call, async (db) => {
      const row = await db
        .selectFrom('artifacts')
        .select('content')
        .where('namespace_digest', '=', digestOf(namespace))
        .where('key', '=', key)
        .executeTakeFirst()
      return row && textOf(row.content)
    })
  }
}
