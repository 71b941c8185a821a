import { pointedArtifact } from '../engine/plan/artifact-pointer.ts'
import type { HistorySession, HistoryStore, SearchCall, StoreCall, Stores } from './ports.ts'
import {
  type HistoryPage,
  type HistoryRange,
  type OwnVersions,
  type ReadableHistory,
  readHistory,
} from './read-history.ts'
import { type HistorySearch, type SearchBounds, searchHistory } from './search-history.ts'

/** UTF-16 units of the longest page that a model gets. */
export const LONGEST_PAGE = 20_000
/** The most matches that a model gets. */
export const MOST_MATCHES = 30
/** UTF-16 units of the longest excerpt around a match. */
const EXCERPT = 300

/** A model's question about what left its view. */
export interface HistoryQuestion extends StoreCall, OwnVersions {
  readonly stores: Pick<Stores, 'artifacts' | 'history'>
  /** Undefined where it cannot be told which conversation asks. */
  readonly conversation: HistorySession | undefined
  /** A history path or an `artifact://` reference, as the model saw it; the history of the conversation by default. */
  readonly path?: string | undefined
}

/**
 * One page of a range of the history, or of an artifact, or why there is none. Never throws: an exception would end the run.
 *
 * @example
 * const conversation = { namespace: 'default', session: 's1' }
 * await readAnswer({ stores, conversation }, { from: 3, to: 4 })
 */
export function readAnswer(question: HistoryQuestion, range: HistoryRange): Promise<string> {
  return answered(question, async (conversation) => {
    const { own } = question
    const history = await readable(conversation, question, range)
    return history === undefined ? undefined : pageText(boundedPage(history, { ...range, ...(own && { own }) }))
  })
}

/**
 * The best matches in the history, or in an artifact, each with what `readAnswer` finds it by. Never throws.
 *
 * @example
 * const conversation = { namespace: 'default', session: 's1' }
 * await searchAnswer({ stores, conversation }, 'ENOENT config.json', { matches: 5 })
 */
export function searchAnswer(
  question: HistoryQuestion,
  query: string,
  bounds: Pick<SearchBounds, 'matches'> = {},
): Promise<string> {
  return answered(question, async (conversation) => {
    const { stores, own, path, signal } = question
    const call = { ...bounds, ...(own && { own }), ...(signal && { signal }) }
    const key = pointedArtifact(path ?? '')
    if (key === undefined) return matchesText(await storedMatches(stores.history, conversation, { ...call, query }))
    const artifact = await readable(conversation, question)
    return matchesText(artifact === undefined ? undefined : textMatches(artifact, { ...call, query }))
  })
}

/** One page of a history that is at most as long as a model gets. @throws RangeError as `readHistory`. */
export function boundedPage(history: ReadableHistory, { limit = LONGEST_PAGE, ...range }: HistoryRange): HistoryPage {
  return readHistory(history, { ...range, limit: Math.min(limit, LONGEST_PAGE) })
}

/** An artifact reads like a history of one message. */
export function asHistory(artifact: string): ReadableHistory {
  return [{ position: 0, fingerprint: '', markdown: artifact }]
}

/** What is found in a text, as much as a model gets. */
export function textMatches(
  text: ReadableHistory,
  { query, ...bounds }: SearchBounds & { readonly query: string },
): HistorySearch {
  return searchHistory(text, query, bounded(bounds))
}

/**
 * What is found in a stored history, by the index of the store where it has one, as much as a model gets; undefined where
 * there is no history.
 */
export async function storedMatches(
  history: HistoryStore,
  session: HistorySession,
  { query, ...call }: SearchCall & { readonly query: string },
): Promise<HistorySearch | undefined> {
  const signal = call.signal && { signal: call.signal }
  if (history.search === undefined) {
    const text = await history.read(session, signal)
    return text === undefined ? undefined : textMatches(text, { ...call, query })
  }
  const found = await history.search(session, query, { ...bounded(call), ...signal })
  if (found.found > 0) return found
  return (await history.read(session, { from: 0, to: 0, ...signal })) === undefined ? undefined : found
}

/** What a model reads of the matches. */
export function matchesText(search: HistorySearch | undefined): string | undefined {
  if (search === undefined) return undefined
  const { found, matches } = search
  if (found === 0) return 'None of these words is in what is stored.'
  const lines = matches.map(({ position, offset, excerpt }) => `## message ${position}, offset ${offset}\n${excerpt}`)
  return [`${found} found, ${matches.length} shown.`, ...lines].join('\n\n')
}

function pageText(page: HistoryPage): string {
  if (page.length === 0) return 'No message of this range is stored: those are still in view.'
  if (page.next === undefined) return page.text
  return `${page.text}\n[${page.length - page.next} more characters; read on with offset ${page.next}]`
}

function bounded({ matches, own }: SearchBounds): SearchBounds {
  return {
    excerpt: EXCERPT,
    ...(matches !== undefined && { matches: Math.min(matches, MOST_MATCHES) }),
    ...(own !== undefined && { own }),
  }
}

async function answered(
  { conversation, path }: HistoryQuestion,
  answer: (conversation: HistorySession) => Promise<string | undefined>,
): Promise<string> {
  if (conversation === undefined) return 'It cannot be told which conversation this call belongs to; nothing was read.'
  try {
    const text = await answer(conversation)
    if (text !== undefined) return text
    return path?.startsWith('artifact:') ? 'There is no such artifact.' : 'Nothing has left the conversation yet.'
  } catch (error) {
    return `The stored messages could not be read: ${error instanceof Error ? error.message : 'the store failed'}.`
  }
}

/**
 * What a path stands for in this conversation: an artifact, or the evicted messages. There is one history for a model to read,
 * so that no path leads to another conversation's. Undefined where nothing is stored.
 */
async function readable(
  conversation: HistorySession,
  { stores, path, signal }: HistoryQuestion,
  { from, to }: Pick<HistoryRange, 'from' | 'to'> = {},
): Promise<ReadableHistory | undefined> {
  const call = signal && { signal }
  const key = pointedArtifact(path ?? '')
  if (key === undefined) {
    const range = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
    return stores.history.read(conversation, { ...call, ...range })
  }
  const content = await stores.artifacts.get(conversation.namespace, key, call)
  return content === undefined ? undefined : asHistory(content)
}
