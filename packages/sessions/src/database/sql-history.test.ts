import fc from 'fast-check'
import { type HistoryEntry, searchHistory } from 'palimpsest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase, type SessionDatabase } from './open-database.ts'
import { SqlHistory } from './sql-history.ts'
import { exampleEntry } from './store-examples.test-data.ts'
import { type TestDatabase, testDatabases } from './test-databases.test-data.ts'

for (const { name, skip, create } of await testDatabases()) {
  describe.skipIf(skip)(`searching histories, ${name} ${skip ?? ''}`, () => {
    let test: TestDatabase
    let database: SessionDatabase
    let history: SqlHistory
    beforeAll(async () => {
      test = await create()
      database = await openDatabase(test.url)
      if (!(database.stores.history instanceof SqlHistory)) throw new TypeError('The history is not one of these.')
      history = database.stores.history
    })
    afterAll(async () => {
      await database.close()
      await test.remove()
    })

    let sessions = 0
    async function holding(texts: readonly string[]) {
      const session = { namespace: 'n', session: `s${++sessions}` }
      const entries = texts.map((text, position) => exampleEntry(position, text))
      await history.append(session, entries)
      return { session, entries }
    }

    it('D9 finds identifiers, paths, errors and other scripts by any whole word', async () => {
      const texts = [
        'see src/app.ts and packages/core/lib/config.json',
        'Error: ENOENT: no such file',
        'the function readFileSync is called',
        'max_tokens was 4096; --no-verify; a+b@example.com',
        '会話の履歴を検索する',
        'Это история разговора',
        '<config>value</config> “quoted” C:\\Users\\me',
        'https://example.com/a/b?c=d#e 1.2.3-beta.4 0x1F',
      ]
      const { session } = await holding(texts)
      for (const [position, text] of texts.entries()) {
        for (const word of text.match(/\S+/g) ?? []) {
          const { matches } = await history.search(session, word, { excerpt: 60 })
          expect(
            matches.map((match) => match.position),
            word,
          ).toContain(position)
          for (const match of matches) expect(match.excerpt.length).toBeLessThanOrEqual(60)
        }
      }
    })

    it.each([
      ['app.ts', 0],
      ['enoent', 1],
      ['readFile', 2],
      ['FileSync', 2],
      ['検索', 3],
      ['ИСТОРИЯ', 4],
      ['a b', 5],
      ['"); drop table history_entries; --', 6],
      ["it's", 6],
      ['NEAR(x', 6],
    ])('finds %s by a part of a word, whatever its case, and takes it literally', async (query, position) => {
      const { session } = await holding([
        'src/app.ts',
        'ENOENT',
        'readFileSync',
        '会話の履歴を検索する',
        'история',
        'a b',
        `"); drop table history_entries; -- it's NEAR(x AND "y" OR z*)`,
      ])
      const { matches } = await history.search(session, query)
      expect(matches[0]?.position).toBe(position)
    })

    it('gives what searchHistory gives, for words that stand as they are', async () => {
      const word = fc.constantFrom(
        'src/app.ts',
        'ENOENT',
        'readFile',
        'é𝔘',
        '検索',
        'max_tokens',
        'the',
        'a',
        '%',
        '_x',
        '\0z',
        '“q”',
      )
      const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(' '))
      await fc.assert(
        fc.asyncProperty(
          fc.array(text, { maxLength: 8 }),
          fc.array(word, { minLength: 1, maxLength: 3 }),
          async (texts, words) => {
            const { session, entries } = await holding(texts)
            const query = words.join(' ')
            expect(await history.search(session, query)).toEqual(searchHistory(entries, query))
          },
        ),
        { numRuns: 60 },
      )
    })

    it('finds what stands inside of words beside what begins with it', async () => {
      const texts = ['readFileSync', 'FileSync', 'foo-bar', 'o and b', '100%_sure', 'C:\\dir', "it's", 'ab', 'a']
      const { session, entries } = await holding(texts)
      for (const query of ['FileSync', 'file', 'o-b', '0%_s', ':\\d', "t's", 'b', 'a', 'FileSync foo', 'lesy oo-ba']) {
        expect(await history.search(session, query), query).toEqual(searchHistory(entries, query))
      }
      const long = await holding(['x'.repeat(1_500)])
      expect((await history.search(long.session, 'x'.repeat(1_000_000))).found).toBe(1)
      const many = await holding([...Array.from({ length: 20 }, () => 'a path'), 'pathFileSync'])
      const { matches } = await history.search(many.session, 'path FileSync')
      expect(matches[0]?.position).toBe(20)
    })

    it('finds a word behind the part of a long entry that is indexed', async () => {
      const { session } = await holding([`${'x '.repeat(150_000)}needle`, 'needle', 'hay'])
      const { found } = await history.search(session, 'needle')
      expect(found).toBe(2)
    })

    it('finds what has most of the words among many that have one', async () => {
      const texts = Array.from({ length: 1200 }, (_, at) => (at === 3 ? 'the walrus ENOENT' : `the ${at}`))
      const { session } = await holding(texts)
      const { found, matches } = await history.search(session, 'the walrus', { matches: 2 })
      expect(found).toBe(1200)
      expect(matches.map(({ position }) => position)).toEqual([3, 1199])
    })

    it('looks only into the session that was asked for, and refuses bounds that let nothing through', async () => {
      const { session } = await holding(['a walrus'])
      expect(await history.search({ ...session, namespace: 'other' }, 'walrus')).toEqual({ found: 0, matches: [] })
      expect(await history.search({ ...session, session: 'none' }, 'walrus')).toEqual({ found: 0, matches: [] })
      await expect(history.search(session, 'walrus', { matches: 0 })).rejects.toThrow(RangeError)
      expect(await history.search(session, ' \n ')).toEqual({ found: 0, matches: [] })
    })

    it('holds entries of any length, and as many as are appended at once', async () => {
      const entries: HistoryEntry[] = Array.from({ length: 1_234 }, (_, at) => exampleEntry(at, `entry ${at}`))
      const long = exampleEntry(5_000, 'word'.repeat(1_000_000))
      const session = { namespace: 'n', session: 'long' }
      await history.append(session, [...entries, long])
      const text = await history.read(session, { from: 1_233 })
      expect(text).toContain('entry 1233')
      expect(text).toContain(long.markdown)
      expect(text).not.toContain('entry 1232')
    })
  })
}
