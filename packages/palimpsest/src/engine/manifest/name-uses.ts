import { type NameKind, visitNames } from './names-in-text.ts'

/** Where a name was seen; several may hold at once. */
export const SEEN_IN = { argument: 1, target: 2, assistant: 4, edit: 8, user: 16, error: 32 } as const

/** What is known of one name over a range of the transcript. Steps are counted from the first item. */
export interface NameRecord {
  readonly name: string
  readonly kind: NameKind
  /** Sum of all `SEEN_IN` bits. */
  seenIn: number
  /** Parts that mention it. */
  times: number
  lastStep: number
  /** Steps at which it stood in arguments, ascending. */
  readonly argumentSteps: number[]
  /** The file that it was last read or edited with; an edit is not displaced by a later read. */
  file: string | undefined
  fileByEdit: boolean
}

/** The names of one part of one item, each once. */
interface Sighting {
  readonly position: number
  readonly step: number
  /** Files that the part reads or edits, as written. */
  readonly files: readonly string[]
  readonly names: readonly number[]
  readonly seenIn: number
}

/** A text that names are taken from, and what it is. */
export interface NamedText {
  readonly position: number
  readonly step: number
  readonly text: string
  readonly seenIn: number
  readonly files?: readonly string[]
}

/** Characters of one text that are looked at: head and tail of what is longer. */
const HEAD = 40_000
const TAIL = 20_000
const MOST_NAMES_OF_A_TEXT = 3_000
const MOST_FILES_OF_A_TEXT = 4

/**
 * The names of a transcript, collected text by text. `upTo` folds them over a range of positions; a fold that begins
 * where the last one began and ends later costs only what is new.
 */
export class NameUses {
  readonly #numbers = new Map<string, number>()
  readonly #names: { readonly name: string; readonly kind: NameKind }[] = []
  readonly #sightings: Sighting[] = []
  #fold = { from: 0, next: 0, records: new Map<number, NameRecord>() }

  add(source: NamedText): void {
    const names = new Set<number>()
    const loose = (source.seenIn & SEEN_IN.argument) !== 0
    const visit = (kind: NameKind, name: string) => {
      if (names.size < MOST_NAMES_OF_A_TEXT) names.add(this.#number(kind, name))
    }
    visitNames(source.text.length > HEAD + TAIL ? source.text.slice(0, HEAD) : source.text, visit, loose)
    if (source.text.length > HEAD + TAIL) visitNames(source.text.slice(-TAIL), visit, loose)
    if (names.size > 0) this.#push(source, [...names])
  }

  /** Adds paths that an argument gives as such, whatever characters are in them. */
  addPaths(source: Omit<NamedText, 'text'>, paths: readonly string[]): void {
    const names = paths.filter((path) => path.length <= 400).map((path) => this.#number('path', path))
    if (names.length > 0) this.#push(source, names)
  }

  /** The names in positions [from, upTo). The records are the fold's own: read them before the next call. */
  within(from: number, upTo: number): Iterable<NameRecord> {
    const last = this.#sightings[this.#fold.next - 1]
    if (this.#fold.from !== from || (last !== undefined && last.position >= upTo)) {
      this.#fold = { from, next: 0, records: new Map() }
    }
    for (; this.#fold.next < this.#sightings.length; this.#fold.next += 1) {
      const sighting = this.#sightings[this.#fold.next]
      if (sighting === undefined || sighting.position >= upTo) break
      if (sighting.position >= from) this.#count(sighting)
    }
    return this.#fold.records.values()
  }

  #push(source: Omit<NamedText, 'text'>, names: readonly number[]): void {
    const files = (source.files ?? []).slice(0, MOST_FILES_OF_A_TEXT)
    this.#sightings.push({ position: source.position, step: source.step, files, names, seenIn: source.seenIn })
  }

  #number(kind: NameKind, name: string): number {
    const known = this.#numbers.get(name)
    if (known !== undefined) return known
    this.#numbers.set(name, this.#names.length)
    return this.#names.push({ name, kind }) - 1
  }

  #count(sighting: Sighting): void {
    const byEdit = (sighting.seenIn & SEEN_IN.edit) !== 0
    const file = sighting.files[0]
    for (const number of sighting.names) {
      const record = this.#record(number)
      record.seenIn |= sighting.seenIn
      record.times += 1
      record.lastStep = sighting.step
      if ((sighting.seenIn & SEEN_IN.argument) !== 0) record.argumentSteps.push(sighting.step)
      if (file !== undefined && (byEdit || !record.fileByEdit)) {
        record.file = file
        record.fileByEdit = byEdit
      }
    }
  }

  #record(number: number): NameRecord {
    const known = this.#fold.records.get(number)
    if (known !== undefined) return known
    const { name, kind } = this.#names[number] ?? { name: '', kind: 'ident' }
    const record: NameRecord = {
      name,
      kind,
      seenIn: 0,
      times: 0,
      lastStep: 0,
      argumentSteps: [],
      file: undefined,
      fileByEdit: false,
    }
    this.#fold.records.set(number, record)
    return record
  }
}
