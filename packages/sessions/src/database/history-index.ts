import { type Kysely, sql } from 'kysely'
import { INDEXED_CHARACTERS } from './migrations/0003-history-words.ts'
import type { Tables } from './schema.ts'
import type { DatabaseKind } from './sql-database.ts'
import { storedText } from './stored-text.ts'

/** Words of a query, and parts of a word, beyond which the index is not asked: what it gives is looked at again anyhow. */
const MOST_WORDS = 16
const MOST_PARTS = 16
/** Of a longer query `searchHistory` looks for this beginning alone. */
const LONGEST_QUERY = 1000

/** What is looked for, in which history. */
export interface IndexQuery {
  /** Its number. */
  readonly history: number
  readonly query: string
  readonly kind: DatabaseKind
}

/**
 * Positions whose entries may hold words of the query, by the index: those that may hold most of them first, of these the
 * newest. Empty where the index knows none, or a word is one that it cannot find everywhere: then all entries must be looked
 * through.
 */
export async function positionsWith(db: Kysely<Tables>, wanted: IndexQuery): Promise<readonly number[]> {
  const { history, query, kind } = wanted
  const words = wordsOf(query)
  const asked = words.map(kind === 'sqlite' ? trigramsOf : lexemesOf)
  if (!asked.every((one) => one !== undefined) || asked.length === 0) return []
  const found = kind === 'sqlite' ? byTrigrams(asked, history) : byLexemes(asked, history)
  return (await found.execute(db)).rows.map(({ position }) => position)
}

/**
 * Positions whose entries hold words of the query anywhere, by the texts themselves: those that hold most of them first, of these
 * the newest. Undefined where the database may not know capitals of a word: then all entries must be looked through.
 */
export async function positionsInText(
  db: Kysely<Tables>,
  { history, query }: Pick<IndexQuery, 'history' | 'query'>,
): Promise<readonly number[] | undefined> {
  const words = wordsOf(query)
  if (words.length === 0 || !words.every((word) => PLAIN.test(word))) return undefined
  const patterns = words.map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`)
  const held = patterns.map((pattern) => sql`(markdown ilike ${pattern})::int`)
  const found = sql<{ position: number }>`select position from (
      select position, ${sql.join(held, sql` + `)} as held from history_entries where history = ${history}
    ) as entries where held > 0 group by position order by max(held) desc, position desc`
  return (await found.execute(db)).rows.map(({ position }) => position)
}

const PLAIN = /^[\x20-\x7e]+$/

function wordsOf(query: string): readonly string[] {
  return [...new Set(storedText(query.slice(0, LONGEST_QUERY)).match(/\S+/g))].slice(0, MOST_WORDS)
}

function byTrigrams(asked: readonly string[], history: number) {
  const each = asked.map(
    (one, word) => sql`select rowid, ${word} as word from history_words where history_words match ${one}`,
  )
  return sql<{ position: number }>`select e.position from (${sql.join(each, sql` union all `)}) as found
    join history_entries e on e.number = found.rowid where e.history = ${history}
    group by e.position order by count(distinct found.word) desc, e.position desc`
}

/** An entry too long to be indexed as a whole may hold any word. */
function byLexemes(asked: readonly string[], history: number) {
  const each = asked.map((one) => sql`to_tsquery('simple', ${one})`)
  const held = each.map((one) => sql`(words @@ ${one})::int`)
  return sql<{ position: number }>`select position from history_entries where history = ${history}
    and (words @@ (${sql.join(each, sql` || `)}) or octet_length(markdown) > ${INDEXED_CHARACTERS})
    group by position order by max(${sql.join(held, sql` + `)}) desc, position desc`
}

/** All three letters in a row that a word has, as far as they are asked for; a shorter word has none. */
function trigramsOf(word: string): string | undefined {
  const letters = [...word]
  if (letters.length < 3) return undefined
  const trigrams = letters.slice(2, 2 + MOST_PARTS).map((_, at) => letters.slice(at, at + 3).join(''))
  return trigrams.map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(' AND ')
}

/**
 * The runs of letters and digits that a word is made of, each as the beginning of one in the text. Other scripts do not always
 * put spaces between words, and short words begin too many others: those are looked for in the texts themselves.
 */
function lexemesOf(word: string): string | undefined {
  const runs = /^[\x20-\x7e]{3,}$/.test(word) ? word.match(/[A-Za-z0-9]+/g) : null
  return runs
    ?.slice(0, MOST_PARTS)
    .map((run) => `'${run}':*`)
    .join(' & ')
}
