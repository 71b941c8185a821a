import { pointedArtifact } from '../engine/plan/artifact-pointer.ts'
import type { HistoryEntry } from './history-entry.ts'
import type { HistorySession, StoreCall, Stores } from './ports.ts'
import { type HistoryRange, type ReadableHistory, readHistory } from './read-history.ts'
import { type SearchBounds, searchHistory } from './search-history.ts'

/** UTF-16 units of the longest page that a model gets. */
export const LONGEST_PAGE = 20_000
/** The most matches that a model gets. */
export const MOST_MATCHES = 30

/** A model's question about what left its view. */
export interface HistoryQuestion extends StoreCall {
  readonly stores: Pick<Stores, 'artifacts' | 'history'>
  /** Undefined where it cannot be told which conversation asks. */
  readonly conversation: HistorySession | undefined
  /** A history path or an `artifact://` reference, as the model saw it; the history of the conversation by default. */
  readonly path?: string | undefined
}

/** What the model reads: the answer, or why there is none. Never throws: an exception would end the run. */
export async function answerFromHistory(
  question: HistoryQuestion,
  answer: (history: ReadableHistory) => string,
): Promise<string> {
  const { conversation, path } = question
  if (conversation === undefined) return 'It cannot be told which conversation this call belongs to; nothing was read.'
  try {
    const history = await storedText(conversation, question)
    if (history !== undefined) return answer(history)
    return path?.startsWith('artifact:') ? 'There is no such artifact.' : 'Nothing has left the conversation yet.'
  } catch (error) {
    return `The stored messages could not be read: ${error instanceof Error ? error.message : 'the store failed'}.`
  }
}

/** One page of a range, with the offset at which to read on. @throws RangeError as `readHistory`. */
export function pageAnswer(history: ReadableHistory, { limit = LONGEST_PAGE, ...range }: HistoryRange): string {
  const page = readHistory(history, { ...range, limit: Math.min(limit, LONGEST_PAGE) })
  if (page.length === 0) return 'No message of this range is stored: those are still in view.'
  if (page.next === undefined) return page.text
  return `${page.text}\n[${page.length - page.next} more characters; read on with offset ${page.next}]`
}

/** The best matches, each with what `pageAnswer` finds it by. @throws RangeError as `searchHistory`. */
export function searchAnswer(
  history: ReadableHistory,
  query: string,
  { matches: most }: Pick<SearchBounds, 'matches'> = {},
): string {
  const bounds = most === undefined ? {} : { matches: Math.min(most, MOST_MATCHES) }
  const { found, matches } = searchHistory(history, query, bounds)
  if (found === 0) return 'None of these words is in what is stored.'
  const lines = matches.map(({ position, offset, excerpt }) => `## message ${position}, offset ${offset}\n${excerpt}`)
  return [`${found} found, ${matches.length} shown.`, ...lines].join('\n\n')
}

/**
 * What a path stands for in this conversation: an artifact, or the evicted messages. There is one history for a model to read,
 * so that no path leads to another conversation's. Undefined where nothing is stored.
 */
async function storedText(
  conversation: HistorySession,
  { stores, path, signal }: HistoryQuestion,
): Promise<ReadableHistory | undefined> {
  const call = signal === undefined ? {} : { signal }
  const key = pointedArtifact(path ?? '')
  if (key === undefined) return stores.history.read(conversation, call)
  const content = await stores.artifacts.get(conversation.namespace, key, call)
  return content === undefined ? undefined : [asEntry(content)]
}

/** An artifact reads like a history of one message. */
function asEntry(markdown: string): HistoryEntry {
  return { position: 0, fingerprint: '', markdown }
}
