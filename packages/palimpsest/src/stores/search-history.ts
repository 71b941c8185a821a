import {
  characterStart,
  type HistoryMessage,
  messagesOf,
  type OwnVersions,
  type ReadableHistory,
} from './read-history.ts'

/** Bounds of what a search gives. */
export interface SearchBounds extends OwnVersions {
  /** The most matches; 10 by default. */
  readonly matches?: number
  /** The most UTF-16 units of an excerpt, 8 or more; 300 by default. */
  readonly excerpt?: number
}

/** What a search found. */
export interface HistorySearch {
  /** How many positions hold one of the words. */
  readonly found: number
  /** The best of them. */
  readonly matches: readonly HistoryMatch[]
}

/** A position that holds what was searched for. */
export interface HistoryMatch {
  readonly position: number
  /** Where the match is in the text of the position: `readHistory(history, { from: position, to: position + 1, offset })`. */
  readonly offset: number
  /** What stands around the match. */
  readonly excerpt: string
}

/** Words of a query beyond these are not looked for. */
const MOST_WORDS = 16
const LONGEST_QUERY = 1000

/**
 * Positions that hold the words of a query anywhere, whatever their case. Best first: those that hold the whole query as it
 * stands, then by how many different words they hold, then by how often, then the newest.
 * @throws RangeError for bounds that let nothing through.
 *
 * @example searchHistory(history, 'ENOENT config.json').matches[0]?.position
 */
export function searchHistory(history: ReadableHistory, query: string, bounds: SearchBounds = {}): HistorySearch {
  const { matches = 10, excerpt = 300, own } = bounds
  if (!(matches >= 1 && excerpt >= 8)) throw new RangeError('A search gives 1 match or more, of 8 units or more each.')
  const words = wordsOf(query)
  if (words.length === 0) return { found: 0, matches: [] }
  const found = messagesOf(history, own)
    .map((message) => findIn(message, words))
    .filter((finding) => finding.words > 0)
    .sort(byRank)
  const best = found.slice(0, matches)
  return { found: found.length, matches: best.map((finding) => matchOf(finding, excerpt)) }
}

interface Finding {
  readonly message: HistoryMessage
  readonly whole: number
  readonly words: number
  readonly times: number
  readonly offset: number
}

function wordsOf(query: string): readonly string[] {
  const words = query.slice(0, LONGEST_QUERY).match(/\S+/g) ?? []
  return words.slice(0, MOST_WORDS)
}

/** By patterns, not by lower-casing: that would shift the offsets of some letters. */
function findIn(message: HistoryMessage, words: readonly string[]): Finding {
  const { text } = message
  const distinct = [...new Set(words.map(literal))]
  const places = distinct.map((word) => [...text.matchAll(new RegExp(word, 'giu'))].map((match) => match.index))
  const held = places.filter((one) => one.length > 0)
  const whole = text.search(new RegExp(words.map(literal).join('\\s+'), 'iu'))
  // the word that is rarest here says most about where to look
  const rarest = held.toSorted((a, b) => a.length - b.length)[0]
  return {
    message,
    whole: whole < 0 ? 0 : 1,
    words: held.length,
    times: held.reduce((sum, one) => sum + one.length, 0),
    offset: whole < 0 ? (rarest?.[0] ?? 0) : whole,
  }
}

function literal(word: string): string {
  return word.replace(/[\^$\\.*+?()[\]{}|/]/g, '\\$&')
}

function byRank(a: Finding, b: Finding): number {
  return b.whole - a.whole || b.words - a.words || b.times - a.times || b.message.position - a.message.position
}

function matchOf({ message, offset }: Finding, size: number): HistoryMatch {
  const { position, text } = message
  // a third of the excerpt before the match; two units for the marks of what is left out
  const start = characterStart(text, Math.max(0, offset - Math.floor((size - 2) / 3)))
  const end = characterStart(text, Math.min(text.length, start + size - 2))
  const excerpt = `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`
  return { position, offset, excerpt }
}
