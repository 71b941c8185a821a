import type { HistoryEntry } from './history-entry.ts'
import { historyEntries } from './history-text.ts'

/** The text of a history, or those of its entries that the reader's own branch holds. */
export type ReadableHistory = string | readonly HistoryEntry[]

/** Whose versions are read where a history holds several of one position, after a fork or an edit under one session id. */
export interface OwnVersions {
  /**
   * The fingerprint, as in `HistoryEntry`, of the reader's own item at a position; undefined where it is not known. Of a
   * position that holds it, only that version is read; of any other, every version.
   */
  readonly own?: (position: number) => string | undefined
}

/** What to read of a history. */
export interface HistoryRange extends OwnVersions {
  /** First position; 0 by default. */
  readonly from?: number
  /** The position before which to stop; by default there is none. */
  readonly to?: number
  /** UTF-16 units of this range to skip: the `next` of the page before. */
  readonly offset?: number
  /** The most UTF-16 units of the page, 2 or more; 20,000 by default. */
  readonly limit?: number
}

/** One page of a range. All pages of a range, joined, are its text: nothing comes twice, nothing is missing. */
export interface HistoryPage {
  readonly text: string
  /** UTF-16 units of the whole range. */
  readonly length: number
  /** The offset at which to read on; absent on the last page. */
  readonly next?: number
}

const PAGE = 20_000

/**
 * The messages of these positions as Markdown, by position, one page of them. No surrogate pair is split between pages.
 * @throws RangeError for a bound that is no natural number, or a limit below 2.
 *
 * @example readHistory(history, { from: 3, to: 4 }) // { text: '## 3 user\n\nhello\n', length: 17 }
 */
export function readHistory(history: ReadableHistory, range: HistoryRange = {}): HistoryPage {
  const { from = 0, to = Number.MAX_SAFE_INTEGER, offset = 0, limit = PAGE, own } = range
  assertNatural({ from, to, offset, limit })
  if (limit < 2) throw new RangeError(`limit must be 2 or more, not ${limit}`)
  const text = messagesOf(history, own)
    .filter(({ position }) => position >= from && position < to)
    .map((message) => message.text)
    .join('\n')
  const start = characterStart(text, Math.min(offset, text.length))
  const end = characterStart(text, Math.min(start + limit, text.length))
  return { text: text.slice(start, end), length: text.length, ...(end < text.length && { next: end }) }
}

/** What a reader finds of one position: more than one version where none of several is known to be his own. */
export interface HistoryMessage {
  readonly position: number
  readonly text: string
}

/** The messages of a history by position, whatever the order in which they were evicted. */
export function messagesOf(history: ReadableHistory, own?: OwnVersions['own']): readonly HistoryMessage[] {
  const byPosition = new Map<number, HistoryEntry[]>()
  for (const entry of typeof history === 'string' ? historyEntries(history) : history) {
    const versions = byPosition.get(entry.position)
    if (versions === undefined) byPosition.set(entry.position, [entry])
    else versions.push(entry)
  }
  return [...byPosition]
    .sort(([a], [b]) => a - b)
    .map(([position, versions]) => ({ position, text: textOf(versions, position, own) }))
}

function textOf(versions: readonly HistoryEntry[], position: number, own: OwnVersions['own']): string {
  const known = versions.length > 1 ? own?.(position) : undefined
  const mine = versions.filter(({ fingerprint }) => fingerprint === known)
  return (mine.length > 0 ? mine : versions).map(({ markdown }) => markdown).join('\n')
}

/** `at`, or one less where it would split a surrogate pair. */
export function characterStart(text: string, at: number): number {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(0, at - 1), at + 1)) ? at - 1 : at
}

function assertNatural(bounds: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(bounds)) {
    if (!Number.isSafeInteger(value) || value < 0) {
      throw new RangeError(`${name} must be 0 or a natural number, not ${value}`)
    }
  }
}
