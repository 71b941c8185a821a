import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { historyText } from './history-text.ts'
import { readHistory } from './read-history.ts'
import { searchHistory } from './search-history.ts'
import { entry } from './store-examples.ts'
import { arbitraryEntries } from './store-laws.ts'

const history = historyText([
  entry(0, 'The port must stay 8443.'),
  entry(1, 'Error: ENOENT, config.json is missing. config.json? config.json!'),
  entry(2, 'The file config.json was written; ENOENT is gone.'),
  entry(3, 'Look for config.json ENOENT again.'),
  entry(4, `${'x'.repeat(5000)} İstanbul needle ${'y'.repeat(5000)}`),
])

const positions = (query: string) => searchHistory(history, query).matches.map((match) => match.position)

describe('searchHistory', () => {
  it('ranks the whole query first, then more of its words, then more often, then the newest', () => {
    expect(positions('config.json enoent')).toEqual([3, 1, 2])
    expect(positions('missing config.json')).toEqual([1, 3, 2])
    expect(positions('THE')).toEqual([2, 0])
  })

  it('takes no sign for a pattern, and nothing for an empty query', () => {
    expect(positions('config?json')).toEqual([])
    expect(positions('json?')).toEqual([1])
    expect(positions('(')).toEqual([])
    expect(searchHistory(history, ' \n ')).toEqual({ found: 0, matches: [] })
  })

  it('shows a bounded excerpt around the match, and where to read on', () => {
    const [match] = searchHistory(history, 'Needle', { excerpt: 40 }).matches
    expect(match?.excerpt).toMatch(/^….*needle.*…$/)
    expect(match?.excerpt.length).toBeLessThanOrEqual(40)
    const { text } = readHistory(history, { from: 4, to: 5, offset: match?.offset ?? 0, limit: 6 })
    expect(text).toBe('needle')
  })

  it('finds any message by any word of it, within its bounds', () => {
    fc.assert(
      fc.property(arbitraryEntries, fc.nat(), fc.nat(), (entries, which, where) => {
        const text = historyText(entries)
        const page = readHistory(text, { limit: 1_000_000 }).text
        const words = page.match(/\S+/g) ?? []
        fc.pre(words.length > 0)
        const query = (words[(which + where) % words.length] as string).slice(0, 1000)
        const { found, matches } = searchHistory(text, query, { matches: 3, excerpt: 20 })
        expect(matches.length).toBe(Math.min(3, found))
        expect(found).toBeGreaterThan(0)
        for (const { position, offset, excerpt } of matches) {
          expect(excerpt.length).toBeLessThanOrEqual(20)
          expect(excerpt.isWellFormed()).toBe(true)
          const read = readHistory(text, { from: position, to: position + 1, offset, limit: 2000 }).text
          expect(read.toLowerCase().startsWith(query.toLowerCase())).toBe(true)
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('counts all that it found, and gives the best ten', () => {
    const many = historyText(Array.from({ length: 25 }, (_, position) => entry(position, 'same')))
    const { found, matches } = searchHistory(many, 'same')
    expect(found).toBe(25)
    expect(matches.map((match) => match.position)).toEqual([24, 23, 22, 21, 20, 19, 18, 17, 16, 15])
  })
})
