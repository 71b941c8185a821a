import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toyTranscript } from '../engine/toy-lens.test-data.ts'
import { evictedEntries, type HistoryEntry } from './history-entry.ts'
import { historyEntries, historyText } from './history-text.ts'
import { type HistoryRange, readHistory } from './read-history.ts'
import { entry } from './store-examples.ts'
import { arbitraryEntries } from './store-laws.ts'

function readAll(history: string, range: HistoryRange): readonly string[] {
  const pages: string[] = []
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const page = readHistory(history, { ...range, offset })
    pages.push(page.text)
    offset = page.next
  }
  return pages
}

describe('readHistory', () => {
  it('TC-38 each read of one line of 400k characters gives new content, bounded, and the reads joined are the original', () => {
    const line = Array.from({ length: 50_000 }, (_, index) => String(index).padStart(8, '0')).join('')
    const history = historyText([entry(0, 'before'), entry(1, line), entry(2, 'behind')])
    const pages = readAll(history, { from: 1, to: 2 })
    expect(pages).toHaveLength(20)
    expect(new Set(pages).size).toBe(20)
    expect(Math.max(...pages.map((page) => page.length))).toBe(20_000)
    expect(pages.join('')).toBe(line)
  })

  it('joins the pages of any range to its text, and splits no surrogate pair', () => {
    fc.assert(
      fc.property(
        arbitraryEntries,
        fc.nat(6),
        fc.nat(6),
        fc.integer({ min: 2, max: 40 }),
        (entries, from, to, limit) => {
          const history = historyText(entries)
          const pages = readAll(history, { from, to, limit })
          for (const page of pages) expect(page.length <= limit && page.isWellFormed()).toBe(true)
          const wanted = [...historyEntries(history)]
            .sort((a, b) => a.position - b.position)
            .filter(({ position }) => position >= from && position < to)
          expect(pages.join('')).toBe(wanted.map(({ markdown }) => markdown).join('\n'))
        },
      ),
      { numRuns: 1000 },
    )
  })

  it('reads by position, also what was evicted later, and only one branch where the reader says which', () => {
    const own: HistoryEntry = entry(2, 'own')
    const history = historyText([entry(4, 'four'), own, { ...entry(2, 'other'), fingerprint: '0'.repeat(16) }])
    expect(readHistory(history).text).toBe('own\nother\nfour')
    expect(readHistory([own], { from: 2 }).text).toBe('own')
    expect(readHistory(history, { from: 9 })).toEqual({ text: '', length: 0 })
  })

  it('gives back messages that quote a history as they were', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(' ', '\n', '<!-- palimpsest:entry ', 'end ', '0 0123456789abcdef -->')),
        (words) => {
          const text = words.join('')
          const [first, second, ...more] = historyEntries(historyText([entry(0, text), entry(1, 'next')]))
          expect(first?.markdown).toBe(text)
          expect(second?.markdown).toBe('next')
          expect(more).toEqual([])
        },
      ),
      { numRuns: 1000 },
    )
  })

  it('shows role and text of a transcript', () => {
    const evicted = evictedEntries(toyTranscript('user 1 | say 1'), { drop: [{ from: 0, to: 2 }] })
    expect(readHistory(historyText(evicted), { from: 1 }).text).toMatch(/^## 1 assistant\n\n/)
  })

  it('refuses bounds that cannot move on', () => {
    expect(() => readHistory('', { limit: 1 })).toThrow(RangeError)
    expect(() => readHistory('', { from: -1 })).toThrow(RangeError)
    expect(() => readHistory('', { offset: 0.5 })).toThrow(RangeError)
  })

  it('E3 reads the own version of a message where it holds several, and every version where none is known', () => {
    const fork = (position: number, at: number) => ({
      ...entry(position, `${position} of ${at}`),
      fingerprint: String(at).repeat(16),
    })
    const history = historyText([fork(0, 1), fork(1, 1), fork(1, 2), fork(2, 2), fork(3, 1), fork(3, 2)])
    const own = (position: number) => (position === 3 ? undefined : '2'.repeat(16))
    expect(readHistory(history, { own }).text).toBe(['0 of 1', '1 of 2', '2 of 2', '3 of 1', '3 of 2'].join('\n'))
    expect(readHistory(history).text).toContain('1 of 1\n1 of 2')
    expect(readHistory(history, { from: 1, to: 2, own: () => '3'.repeat(16) }).text).toBe('1 of 1\n1 of 2')
  })
})
