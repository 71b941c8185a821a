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
import { positionsInText, positionsWith } from './history-index.ts'
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
   * Finds and ranks as `searchHistory` does, in the entries that the index gives for the words. Where that has none, or cannot
   * tell all that hold them, in the entries that the texts give.
   */
  async search(session: HistorySession, query: string, call: SearchCall = {}): Promise<HistorySearch> {
    searchHistory('', query, call) // refuses bounds that let nothing through
    return reading(this.#database, call, async (db) => {
      const history = await numberOf(db, session)
      if (history === undefined) return { found: 0, matches: [] }
      const { kind } = this.#database
      const looking = { db, history, query, call }
      const indexed = await positionsWith(db, { history, query, kind })
      if (indexed.length > 0) {
        const found = await rankedAmong(indexed, looking)
        // an index of words knows how words begin, not what is inside of them
        if (kind === 'sqlite' || isAnswered(found, looking)) return found.search
      }
      const inText = kind === 'sqlite' ? undefined : await positionsInText(db, { history, query })
      return (await rankedAmong(inText, looking)).search
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

interface Looking {
  readonly db: Kysely<Tables>
  readonly history: number
  readonly query: string
  readonly call: SearchCall
}

interface Ranked {
  readonly search: HistorySearch
  readonly entries: readonly HistoryEntry[]
}

/** The best of these positions; undefined: of all. */
async function rankedAmong(
  positions: readonly number[] | undefined,
  { db, history, query, call }: Looking,
): Promise<Ranked> {
  const all = entriesOf(db, history)
  const rows = positions === undefined ? all : all.where('position', 'in', positions.slice(0, LOOKED_THROUGH))
  const entries = positions?.length === 0 ? [] : (await rows.execute()).map(entryOf)
  const { found, matches } = searchHistory(entries, query, call)
  return { search: { found: found + Math.max(0, (positions?.length ?? 0) - LOOKED_THROUGH), matches }, entries }
}

/** Are there as many matches as are wanted, and do all of them hold every word? Then no other one says more. */
function isAnswered({ search, entries }: Ranked, { query, call }: Looking): boolean {
  const { matches = 10, own } = call
  if (search.matches.length < matches) return false
  return search.matches.every(({ position }) => {
    const versions = entries.filter((entry) => entry.position === position)
    const holds = (word: string) => searchHistory(versions, word, { ...(own && { own }) }).found > 0
    return (query.match(/\S+/g) ?? []).every(holds)
  })
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
