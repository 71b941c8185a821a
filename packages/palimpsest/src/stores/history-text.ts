import { wellFormed } from '../engine/json/well-formed.ts'
import type { HistoryEntry } from './history-entry.ts'

/** The line that opens an entry in a history. */
export function entryMark({ position, fingerprint }: Pick<HistoryEntry, 'position' | 'fingerprint'>): string {
  return `<!-- palimpsest:entry ${position} ${fingerprint} -->`
}

/**
 * The text to append to a history that so far is `existing`. Each entry stands between its mark and an end of its own, so
 * that one which a crash tore is known to be no entry; a line break comes first, so that what was torn cannot swallow the
 * mark.
 *
 * @example
 * historyText(evictedEntries(transcript, plan))
 */
export function historyText(entries: readonly HistoryEntry[], existing = ''): string {
  const texts = entries.map((entry) => `${entryMark(entry)}\n${quoted(entry.markdown)}\n${endMark(entry)}\n`)
  return `${existing === '' ? '' : '\n'}${texts.join('\n')}`
}

/**
 * The whole entries of a history in the order of the text, each once. What is torn or no entry is left out.
 *
 * @example
 * const text = await stores.history.read({ namespace: 'default', session: 's1' })
 * historyEntries(text ?? '').at(-1)?.position
 */
export function historyEntries(text: string): readonly HistoryEntry[] {
  const entries = new Map<string, HistoryEntry>()
  const marks = [...text.matchAll(/^<!-- palimpsest:entry (?:(end) )?(\d+) ([0-9a-f]{16}) -->$/gm)]
  marks.forEach((mark, index) => {
    const next = marks[index + 1]
    const [line, end, position = '', fingerprint = ''] = mark
    if (end !== undefined || next?.[1] === undefined) return
    if (next[2] !== position || next[3] !== fingerprint || entries.has(line)) return
    const markdown = unquoted(text.slice(mark.index + line.length + 1, next.index - 1))
    entries.set(line, { position: Number(position), fingerprint, markdown })
  })
  return [...entries.values()]
}

/**
 * Those of `entries` that are not among `known` marks, each once.
 * @throws RangeError for an entry whose position or fingerprint could not be read again.
 *
 * @example
 * const known = new Set<string>()
 * freshEntries(evictedEntries(transcript, plan), known)
 */
export function freshEntries(entries: readonly HistoryEntry[], known: ReadonlySet<string>): readonly HistoryEntry[] {
  const byMark = new Map<string, HistoryEntry>()
  for (const entry of entries) {
    const mark = entryMark(entry)
    if (!MARK.test(mark)) throw new RangeError(`No history entry has the mark ${mark}`)
    if (!known.has(mark) && !byMark.has(mark)) byMark.set(mark, entry)
  }
  return [...byMark.values()]
}

const MARK = /^<!-- palimpsest:entry \d{1,15} [0-9a-f]{16} -->$/

function endMark({ position, fingerprint }: HistoryEntry): string {
  return `<!-- palimpsest:entry end ${position} ${fingerprint} -->`
}

/** A message that quotes a history must not look like entries of this one: one space more tells them apart. */
function quoted(markdown: string): string {
  return wellFormed(markdown).replace(/^ *<!-- palimpsest:entry /gm, ' $&')
}

function unquoted(text: string): string {
  return text.replace(/^ ( *<!-- palimpsest:entry )/gm, '$1')
}
