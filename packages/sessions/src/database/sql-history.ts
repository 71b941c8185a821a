import type { Kysely } from 'kysely'
import {
  type HistoryEntry,
  type HistorySearch,
  type HistorySession,
  type HistoryStore,
  type StoreCall,
  searchHistory,
} from 'palimpsest'
import {
  freshEntries,
  type HistoryCall,
  historyText,
  type SearchCall,
  safeName,
  storedContent,
  Turns,
} from 'palimpsest/stores'
import { positionsWith } from './history-index.ts'
import type { Tables } from './schema.ts'
import { reading, type SqlDatabase, writing } from './sql-database.ts'
import { digestOf, storedText, textOf } from './stored-text.ts'

/** Rows of one insert: each has four parameters, and the databases take some ten thousand. */
const ROWS_AT_ONCE = 500
/** Positions that are looked through for a search: the best that the index knows. */
const LOOKED_THROUGH = 500

/** Evicted messages as rows, each once, with an index of their words. */
export class SqlHistory implements HistoryStore {
  readonly #database: SqlDatabase
  /** Appends of one process keep the order in which they were asked for, whatever connection each gets. */
  readonly #turns = new Turns()

  constructor(database: SqlDatabase) {
    this.#database = database
  }

  /** Gives `/conversation_history/<session>.md`, under which the files of an agent show the history. */
  async append(session: HistorySession, entries: readonly HistoryEntry[], call?: StoreCall): Promise<string> {
    call?.signal?.throwIfAborted()
    const once = freshEntries(entries, new Set())
    if (once.length > 0) {
      const name = digestOf(session.namespace, session.session)
      await this.#turns.next(name, () => this.#appendFresh(session, once, call), call?.signal)
    }
    return `/conversation_history/${safeName(session.session)}.md`
  }

  /** With a range, only the entries of these positions. */
  async read(session: HistorySession, call: HistoryCall = {}): Promise<string | undefined> {
    return reading(this.#database, call, async (db) => {
      const history = await numberOf(db, session)
      if (history === undefined) return undefined
      const { from = 0, to } = call
      let rows = entriesOf(db, history).where('position', '>=', from)
      if (to !== undefined) rows = rows.where('position', '<', Math.min(to, Number.MAX_SAFE_INTEGER))
      return historyText((await rows.execute()).map(entryOf))
    })
  }

  /**
   * Finds and ranks as `searchHistory` does, in the entries that the index gives for the words; in all of them where it has
   * none, or cannot have them.
   */
  async search(session: HistorySession, query: string, call: SearchCall = {}): Promise<HistorySearch> {
    searchHistory('', query, call) // refuses bounds that let nothing through
    return reading(this.#database, call, async (db) => {
      const history = await numberOf(db, session)
      if (history === undefined) return { found: 0, matches: [] }
      const positions = await positionsWith(db, { history, query, kind: this.#database.kind })
      if (positions.length === 0)
        return searchHistory((await entriesOf(db, history).execute()).map(entryOf), query, call)
      const best = entriesOf(db, history).where('position', 'in', positions.slice(0, LOOKED_THROUGH))
      const { found, matches } = searchHistory((await best.execute()).map(entryOf), query, call)
      return { found: found + Math.max(0, positions.length - LOOKED_THROUGH), matches }
    })
  }

  async #appendFresh(session: HistorySession, entries: readonly HistoryEntry[], call?: StoreCall): Promise<void> {
    await writing(this.#database, call, async (trx) => {
      const history = await this.#begun(trx, session)
      for (let from = 0; from < entries.length; from += ROWS_AT_ONCE) {
        await insertEntries(trx, history, entries.slice(from, from + ROWS_AT_ONCE))
      }
    })
  }

  /** The number of a history, for one that writes to it alone until its transaction ends. */
  async #begun(trx: Kysely<Tables>, { namespace, session }: HistorySession): Promise<number> {
    const digest = digestOf(namespace, session)
    const row = { digest, namespace: storedText(namespace), session: storedText(session) }
    const unlessThere = trx.insertInto('histories').values(row)
    await unlessThere.onConflict((conflict) => conflict.column('digest').doNothing()).execute()
    const begun = trx.selectFrom('histories').select('number').where('digest', '=', digest)
    const { number } = await (this.#database.kind === 'postgres' ? begun.forUpdate() : begun).executeTakeFirstOrThrow()
    return number
  }
}

async function numberOf(db: Kysely<Tables>, { namespace, session }: HistorySession): Promise<number | undefined> {
  const row = db.selectFrom('histories').select('number').where('digest', '=', digestOf(namespace, session))
  return (await row.executeTakeFirst())?.number
}

function entriesOf(db: Kysely<Tables>, history: number) {
  const entries = db.selectFrom('history_entries').select(['position', 'fingerprint', 'markdown'])
  return entries.where('history', '=', history).orderBy('number')
}

async function insertEntries(trx: Kysely<Tables>, history: number, entries: readonly HistoryEntry[]): Promise<void> {
  const rows = entries.map(({ position, fingerprint, markdown }) => ({
    history,
    position,
    fingerprint,
    markdown: storedText(storedContent(markdown)),
  }))
  await trx
    .insertInto('history_entries')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['history', 'position', 'fingerprint']).doNothing())
    .execute()
}

function entryOf({ position, fingerprint, markdown }: HistoryEntry): HistoryEntry {
  return { position, fingerprint, markdown: textOf(markdown) }
}
