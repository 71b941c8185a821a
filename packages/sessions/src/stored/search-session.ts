import { type Dialect, dialectByName } from 'palimpsest'
import { abandonedBy, isAbandoned, type MessageEntry } from '../log/fold-session.ts'
import type { EntryPlace, Rewound, SessionSnapshot } from '../log/session-entry.ts'
import type { SessionStore, SessionSummary } from '../log/session-store.ts'

/** One message that holds what was searched for. */
export interface SessionMatch {
  readonly session: string
  readonly position: number
  readonly role: string
  readonly seq: number
  readonly at: number
  /** What stands around it, on at most `EXCERPT` characters. */
  readonly excerpt: string
  /** A rewind left it behind: it is in the log, and in the transcript no more. */
  readonly rewound: boolean
}

/** Entries that are held in memory at once. */
const PAGE = 500
const EXCERPT = 240

/**
 * The messages of a session that hold every word of the query, whatever its case, in the order of the log. Evicted messages
 * are messages like all others. Costs as much as reading the session, a page at a time.
 *
 * @example
 * for (const summary of await store.list()) await searchSession(store, summary, 'ENOENT')
 */
export async function searchSession(
  sessions: SessionStore,
  { id, dialect: name, entries }: SessionSummary,
  query: string,
): Promise<readonly SessionMatch[]> {
  const words = wordsOf(query)
  const dialect = dialectByName(name)
  const found: Omit<SessionMatch, 'rewound'>[] = []
  const ways: Way[] = []
  for (let from = 1; from <= entries; from += PAGE) {
    for (const entry of await sessions.read(id, { from, to: from + PAGE })) {
      if (entry.type === 'rewound') ways.push(wayBehind(entry, ways))
      if (entry.type === 'message-appended') found.push(...matchOf(id, entry, { dialect, words }))
    }
  }
  const left = ways.at(-1)?.abandoned ?? []
  return found.map((match) => ({ ...match, rewound: isAbandoned(left, match.seq) }))
}

/** What has been left behind since the rewind at `seq`. */
interface Way {
  readonly seq: number
  readonly abandoned: SessionSnapshot['abandoned']
}

/** A rewind also brings back what had been left behind where it goes back to. */
function wayBehind({ seq, to }: Rewound & EntryPlace, ways: readonly Way[]): Way {
  return { seq, abandoned: abandonedBy({ to, seq }, ways.findLast((way) => way.seq <= to)?.abandoned ?? []) }
}

/** Words of a query, as patterns that find nothing but themselves. */
function wordsOf(query: string): readonly RegExp[] {
  const words = query.match(/\S+/g) ?? []
  return [...new Set(words)].map((word) => new RegExp(word.replace(/[\^$\\.*+?()[\]{}|/]/g, '\\$&'), 'giu'))
}

function matchOf(
  session: string,
  { position, item, seq, at }: MessageEntry,
  { dialect, words }: { readonly dialect: Dialect<unknown, object>; readonly words: readonly RegExp[] },
): readonly Omit<SessionMatch, 'rewound'>[] {
  const { role, parts } = dialect.view(item as object)
  const text = parts.map((part) => [part.toolName, part.text()].filter(Boolean).join(' ')).join('\n')
  if (words.length === 0 || words.some((word) => text.search(word) < 0)) return []
  return [{ session, position, role, seq, at, excerpt: excerptOf(text, placeOf(text, words)) }]
}

/** Where to look: at the words as they follow each other, else at the one that is rarest there. */
function placeOf(text: string, words: readonly RegExp[]): number {
  const phrase = text.search(new RegExp(words.map(({ source }) => source).join('\\s+'), 'iu'))
  if (phrase >= 0) return phrase
  const places = words.map((word) => [...text.matchAll(word)].map(({ index }) => index))
  return places.toSorted((a, b) => a.length - b.length)[0]?.[0] ?? 0
}

/** A third of it stands before the match. */
function excerptOf(text: string, place: number): string {
  const start = wholeCharacter(text, Math.max(0, place - EXCERPT / 3))
  const end = wholeCharacter(text, Math.min(text.length, start + EXCERPT))
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`
}

/** The second half of a surrogate pair begins no character. */
function wholeCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  return at > 0 && unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at
}
