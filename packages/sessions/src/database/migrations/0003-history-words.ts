import { type Migration, sql } from 'kysely'
import type { DatabaseKind } from '../sql-database.ts'

/** The index of words over histories. It is made from the entries, and follows them by itself. */
export function historyWords(kind: DatabaseKind): Migration {
  return kind === 'sqlite' ? trigrams : lexemes
}

/**
 * Every three letters that follow each other, so parts of identifiers and paths are found, in any script. `detail=none`: what
 * is found is looked at again anyhow, and the index is a third of the size.
 */
const trigrams: Migration = {
  async up(db) {
    await sql`create virtual table history_words using fts5(
      markdown, content='history_entries', content_rowid='number', tokenize='trigram', detail=none)`.execute(db)
    await sql`create trigger history_entry_indexed after insert on history_entries begin
      insert into history_words (rowid, markdown) values (new.number, new.markdown);
    end`.execute(db)
    await sql`create trigger history_entry_forgotten after delete on history_entries begin
      insert into history_words (history_words, rowid, markdown) values ('delete', old.number, old.markdown);
    end`.execute(db)
    await sql`insert into history_words (history_words) values ('rebuild')`.execute(db)
  },
  async down(db) {
    await sql`drop trigger history_entry_forgotten`.execute(db)
    await sql`drop trigger history_entry_indexed`.execute(db)
    await sql`drop table history_words`.execute(db)
  },
}

/** Words of letters and digits as they are, without a language: all punctuation stands between words. */
const lexemes: Migration = {
  async up(db) {
    await sql`alter table history_entries add column words tsvector generated always as (
      to_tsvector('simple', translate(left(markdown, ${sql.lit(INDEXED_CHARACTERS)}), ${sql.lit(BETWEEN_WORDS)}, ${sql.lit(' '.repeat(BETWEEN_WORDS.length))}))
    ) stored`.execute(db)
    await sql`create index history_words on history_entries using gin (words)`.execute(db)
  },
  async down(db) {
    await sql`drop index history_words`.execute(db)
    await sql`alter table history_entries drop column words`.execute(db)
  },
}

/**
 * Characters of an entry that are indexed: an index of one row has less than 1 MiB, and no text has more than four bytes of it
 * for each character. Longer entries are looked through whole. Part of a migration: a change needs a new one.
 */
export const INDEXED_CHARACTERS = 200_000

/** The parser of PostgreSQL makes one word of a path, an address or a tag, and drops some of them. */
const BETWEEN_WORDS = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~“”‘’«»„…–—·、。「」『』（），：；！？'
