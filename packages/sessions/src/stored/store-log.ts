import { PalimpsestError } from 'palimpsest'
import { verifyChain } from '../log/entry-chain.ts'
import { foldEntries } from '../log/fold-session.ts'
import { countersOf } from '../log/session-counters.ts'
import type { SessionEntry } from '../log/session-entry.ts'
import type { SessionCounters, SessionStore } from '../log/session-store.ts'
import type { StoredImport } from './store-import.ts'

/**
 * The entries of a session log, as `export --format log` writes one; undefined where the text begins as something else.
 *
 * @example
 * const entries = parseLog(exportSession(session, 'log').text)
 */
export function parseLog(text: string): readonly SessionEntry[] | undefined {
  if (!mayBeLog(text)) return undefined
  const lines = text.split('\n')
  if (!isLogStart(lines[0] ?? '')) return undefined
  const entries = lines.flatMap((line, at) => (line.trim() === '' ? [] : [entryIn(line, at + 1)]))
  const fault = verifyChain(entries)
  if (fault === undefined) return entries
  throw damaged(fault.message, { hint: `Export it again, or leave out what stands from entry ${fault.seq} on.` })
}

/**
 * Can a text that begins so be a session log?
 *
 * @example
 * mayBeLog('{"messages": []}') // false
 */
export function mayBeLog(start: string): boolean {
  return /^\{[^\n]{0,1000}"session-started"/.test(start)
}

/** Session files of other clients have no such line. */
function isLogStart(line: string): boolean {
  try {
    const { type, seq, hash } = JSON.parse(line)
    return type === 'session-started' && seq === 1 && typeof hash === 'string'
  } catch {
    return false
  }
}

/**
 * Puts a log into a store as it is, with its hashes, under the id that is named, else one that its first entry gives.
 * @throws PalimpsestError `conflict` where the store has another log under that id.
 *
 * @example
 * const entries = parseLog(exportSession(session, 'log').text)
 * if (entries !== undefined) await storeLog(store, entries, { id: 'copy' })
 */
export async function storeLog(
  sessions: SessionStore,
  entries: readonly SessionEntry[],
  { id: named }: { readonly id?: string | undefined } = {},
): Promise<StoredImport> {
  const [first] = entries
  const given = first?.type === 'session-started' ? first.imported?.id : undefined
  const id = named ?? given ?? `log-${first?.hash.slice(0, 12)}`
  const before = (await sessions.head(id))?.seq ?? 0
  const counters = countersIn(entries)
  // a store that holds more of it has newer counters; that it holds these is looked at all the same
  await sessions.append(id, entries, before <= entries.length ? { counters } : {})
  const appended = Math.max(0, entries.length - before)
  return { id, outcome: before === 0 ? 'new' : appended === 0 ? 'same' : 'grown', appended }
}

/** As the end of the last turn wrote them; an import without turns writes them at its end. */
function countersIn(entries: readonly SessionEntry[]): SessionCounters {
  const ended = entries.findLastIndex(({ type }) => type === 'turn-ended')
  const { snapshot } = foldEntries(entries)
  const counted = snapshot.started.imported === undefined || ended >= 0 ? entries.slice(0, ended + 1) : entries
  if (counted.length === 0) return { compactions: 0 }
  return countersOf(foldEntries(counted).snapshot)
}

function entryIn(line: string, number: number): SessionEntry {
  try {
    return JSON.parse(line)
  } catch (cause) {
    throw damaged(`line ${number} is no JSON.`, { hint: 'Export it again.', cause })
  }
}

function damaged(what: string, known: { readonly hint: string; readonly cause?: unknown }): PalimpsestError {
  return new PalimpsestError('invalid-input', `The session log is damaged: ${what}`, known)
}
