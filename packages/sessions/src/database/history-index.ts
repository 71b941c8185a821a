import { type Kysely, sql } from 'kysely'
import { INDEXED_CHARACTERS } from './migrations/0003-history-words.ts'
import type { Tables } from './schema.ts'
import type { DatabaseKind } from './sql-database.ts'
import { storedText } from './stored-text.ts'

/** Words of a query, and trigrams of a word, beyond which the index is asked for no more: what it gives is looked at anyhow. */
const MOST_WORDS = 16
const MOST_TRIGRAMS = 16

/** What is looked for, in which history. */
export interface IndexQuery {
  /** Its number. */
  readonly history: number
  readonly query: string
  readonly kind: DatabaseKind
}

/**
 * Positions of which an entry may hold one of the words, best first, by the index of words. Empty where it knows none, or a
 * word is one that it cannot find everywhere: then all entries must be looked through.
 */
export async function positionsWith(
  db: Kysely<Tables>,
  { history, query, kind }: IndexQuery,
): Promise<readonly number[]> {
  const words = [...new Set(storedText(query).match(/\S+/g))].slice(0, MOST_WORDS)
  const asked = words.map(kind === 'sqlite' ? trigramsOf : lexemesOf)
  if (asked.length === 0 || asked.includes(undefined)) return []
  const wanted = asked.join(kind === 'sqlite' ? ' OR ' : ' | ')
  const { rows } = await (kind === 'sqlite' ? byTrigrams(wanted, history) : byLexemes(wanted, history)).execute(db)
  return rows.map(({ position }) => position)
}

function byTrigrams(wanted: string, history: number) {
  return sql<{ position: number }>`select e.position from history_words w join history_entries e on e.number = w.rowid
    where history_words match ${wanted} and e.history = ${history}
    group by e.position order by min(w.rank), e.position desc`
}

/** What is too long to be indexed as a whole may hold any word. */
function byLexemes(wanted: string, history: number) {
  return sql<{ position: number }>`select position from history_entries, to_tsquery('simple', ${wanted}) as wanted
    where history = ${history} and (words @@ wanted or octet_length(markdown) > ${INDEXED_CHARACTERS})
    group by position order by max(ts_rank(words, wanted)) desc, position desc`
}

/** All three letters in a row that a word has; a shorter word has none. */
function trigramsOf(word: string): string | undefined {
  const letters = [...word]
  if (letters.length < 3) return undefined
  const trigrams = letters.slice(2, 2 + MOST_TRIGRAMS).map((_, at) => letters.slice(at, at + 3).join(''))
  return `(${trigrams.map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(' AND ')})`
}

/**
 * The runs of letters and digits that a word is made of, each as the beginning of one in the text. Other scripts do not always
 * put spaces between words, so their words are looked for in the texts themselves.
 */
function lexemesOf(word: string): string | undefined {
  const runs = /^[\x20-\x7e]+$/.test(word) ? word.match(/[A-Za-z0-9]+/g) : null
  return runs === null ? undefined : `(${runs.map((run) => `'${run}':*`).join(' & ')})`
}
