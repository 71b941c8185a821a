import { pairResults, type SaidItem, type SaidLine } from '../anthropic-transcript.ts'
import { firstAbove, lastAtMost } from '../bounded-search.ts'
import type { RecordedCall, RecordedCompaction } from '../imported-session.ts'
import { type Fields, fieldsOf, present, textOf } from '../json-fields.ts'
import type { RecordReader, Transcript } from '../record-reader.ts'
import type { SkipTally } from '../skip-tally.ts'
import { type PiEntry, piEntry } from './pi-entry.ts'

/** Reads the entries of a pi session, versions 1 (a list, no ids) to 3 (a tree). */
export class PiReader implements RecordReader {
  readonly format = 'pi'
  readonly #skipped: SkipTally
  readonly #entries: PiEntry[] = []
  #header: Fields | undefined
  #title: string | undefined

  constructor(skipped: SkipTally) {
    this.#skipped = skipped
  }

  read(record: unknown, line: number): void {
    const fields = fieldsOf(record)
    const entry = piEntry(fields, line)
    if (entry.body.kind === 'skip') this.#skipped.add(entry.body.reason, line)
    if (fields.type === 'session') this.#header ??= fields
    if (fields.type === 'session_info') this.#title = textOf(fields.name) ?? this.#title
    this.#entries.push(entry)
  }

  finish(): Transcript {
    const path = pathToLast(this.#entries)
    const onPath = new Set(path)
    for (const entry of this.#entries) {
      const left = entry.body.kind === 'message' || entry.body.kind === 'compaction'
      if (left && !onPath.has(entry)) this.#skipped.add('abandoned branch', entry.line)
    }
    const items = pairResults(path.flatMap(said), this.#skipped)
    const calls = recordedCalls(items)
    return {
      dialect: 'anthropic-messages',
      items: items.map(({ item, from: [first] }) => ({
        item,
        line: first.line,
        ...present({ timestamp: first.timestamp }),
      })),
      calls,
      compactions: recordedCompactions(this.#entries, path, items),
      ...present({
        id: textOf(this.#header?.id),
        cwd: textOf(this.#header?.cwd),
        title: this.#title,
        model: calls.findLast((call) => call.model !== undefined)?.model ?? chosenModel(path),
      }),
    }
  }
}

interface PiSaid extends SaidLine {
  readonly place: number
  readonly call: Pick<RecordedCall, 'usage' | 'model'> | undefined
}

/** From the root to the last entry. A parent that the file lacks, or does not name, is the entry before. */
function pathToLast(entries: readonly PiEntry[]): PiEntry[] {
  const places = new Map(entries.map((entry, at) => [entry.id, at]))
  const seen = new Set<PiEntry>()
  let at = entries.length - 1
  for (let entry = entries[at]; entry !== undefined; entry = entries[at]) {
    seen.add(entry)
    if (entry.parent === null) break
    at = (entry.parent === undefined ? undefined : places.get(entry.parent)) ?? at - 1
    for (let next = entries[at]; next !== undefined && seen.has(next); next = entries[at]) at -= 1
  }
  return [...seen].reverse()
}

function said(entry: PiEntry, place: number): PiSaid[] {
  if (entry.body.kind !== 'message') return []
  const { role, content, call } = entry.body
  return [
    {
      role,
      content,
      call,
      place,
      order: place,
      line: entry.line,
      timestamp: entry.timestamp,
      answer: undefined,
      main: true,
    },
  ]
}

function recordedCalls(items: readonly SaidItem<PiSaid>[]): RecordedCall[] {
  return items.flatMap(({ item, from: [first] }, position) =>
    item.role === 'assistant' && first.call !== undefined
      ? [{ position, ...first.call, ...present({ timestamp: first.timestamp }) }]
      : [],
  )
}

function recordedCompactions(
  entries: readonly PiEntry[],
  path: readonly PiEntry[],
  items: readonly SaidItem<PiSaid>[],
): RecordedCompaction[] {
  const places = items.map(({ from: [first] }) => first.place)
  const [firstBehind, lastUpTo] = [firstAbove(places), lastAtMost(places)]
  const keptPlace = keptPlaces(entries, path)
  return path.flatMap(({ body }, place): RecordedCompaction[] => {
    if (body.kind !== 'compaction') return []
    const kept = body.kept === undefined ? undefined : keptPlace(body.kept)
    return [
      {
        position: (lastUpTo(place - 1) ?? -1) + 1,
        ...body.made,
        ...present({
          tokensBefore: body.tokensBefore,
          keptFrom: kept === undefined ? undefined : firstBehind(kept - 1),
          summary: body.summary,
        }),
      },
    ]
  })
}

/** Tells where on the path an entry stands, by its id or by its place in the file. */
function keptPlaces(entries: readonly PiEntry[], path: readonly PiEntry[]) {
  const places = new Map(path.map((entry, place) => [entry, place]))
  const named = new Map<string | undefined, PiEntry>()
  for (const entry of entries) if (!named.has(entry.id)) named.set(entry.id, entry)
  return (kept: string | number): number | undefined => {
    const entry = typeof kept === 'number' ? entries[kept] : named.get(kept)
    return entry === undefined ? undefined : places.get(entry)
  }
}

/** The model that the user chose last, where no answer names one. */
function chosenModel(path: readonly PiEntry[]): string | undefined {
  const change = path.findLast((entry) => entry.body.kind === 'model')
  return change?.body.kind === 'model' ? change.body.model : undefined
}
