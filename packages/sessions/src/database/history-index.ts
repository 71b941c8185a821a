import { type Kysely, sql } from 'kysely'
import { INDEXED_CHARACTERS } from './migrations/0003-history-words.ts'
import type { Tables } from './schema.ts'
import type { DatabaseKind } from './sql-database.ts'
import { storedText } from './stored-text.ts'

/** Words of a query, and parts of a word, beyond which the index is not asked: what it gives is looked at again anyhow. */
const MOST_WORDS = 16
const MOST_PARTS = 16

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
  const words = [...new Set(storedText(query).match(/\S+/g))].slice(0, MOST_WORDS)
  const asked = words.map(kind === 'sqlite' ? trigramsOf : lexemesOf)
  if (!asked.every((one) => one !== undefined) || asked.length === 0) return []
  const found = kind === 'sqlite' ? byTrigrams(asked, history) : byLexemes(asked, history)
  return (await found.execute(db)).rows.map(({ position }) => position)
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
