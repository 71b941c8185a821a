import { ToolFailure } from '../agent-tool.ts'
import { nearMiss } from './near-miss.ts'

/** One text for another. */
export interface TextEdit {
  readonly before: string
  readonly after: string
  /** Every place; otherwise there must be exactly one. */
  readonly everywhere?: boolean
}

/**
 * The text after all edits, each applied to what the one before left. Line ends are matched whatever they are: what is put in gets
 * those that most lines have, what is not touched stays byte for byte.
 * @throws ToolFailure where an edit does not fit; it says how many places there are, and where.
 */
export function applyEdits(text: string, edits: readonly TextEdit[], lineEnd: '\n' | '\r\n'): string {
  return edits.reduce((current, edit, at) => {
    try {
      return applied(current, edit, lineEnd)
    } catch (error) {
      if (!(error instanceof ToolFailure) || edits.length === 1) throw error
      throw new ToolFailure(`Edit ${at + 1} of ${edits.length}: ${error.message} None of the edits was made.`)
    }
  }, text)
}

/** Places that a message names. */
const MOST_NAMED = 10
/** Places that are counted where there may be only one. */
const MOST_COUNTED = 1_000

function applied(text: string, edit: TextEdit, lineEnd: '\n' | '\r\n'): string {
  if (edit.before === '') throw new ToolFailure('old_text is empty. To write a whole file use write_file.')
  const view = text.replaceAll('\r\n', '\n')
  const before = edit.before.replaceAll('\r\n', '\n')
  const places = edit.everywhere ? placesOf(view, before, before.length) : placesOf(view, before, 1, MOST_COUNTED)
  if (places.length === 0) throw new ToolFailure(`old_text is not in the file.${nearMiss(view, before)}`)
  if (places.length > 1 && edit.everywhere !== true) throw new ToolFailure(ambiguous(view, places))
  const after = lineEnd === '\n' ? edit.after : edit.after.replaceAll('\r\n', '\n').replaceAll('\n', '\r\n')
  return spliced(text, places, before.length, after)
}

/** Where it stands, each place at least `step` after the one before: by 1, overlapping places count, too. */
function placesOf(text: string, wanted: string, step: number, most = Number.POSITIVE_INFINITY): readonly number[] {
  const places: number[] = []
  for (let at = text.indexOf(wanted); at >= 0 && places.length < most; at = text.indexOf(wanted, at + step))
    places.push(at)
  return places
}

/** Replaces ranges that are given by their places in the text without carriage returns. */
function spliced(text: string, places: readonly number[], length: number, after: string): string {
  const original = originalOffsets(text)
  const pieces: string[] = []
  let end = 0
  for (const place of places) {
    pieces.push(text.slice(end, original(place)), after)
    end = original(place + length)
  }
  return pieces.join('') + text.slice(end)
}

/** Offsets that rise, one after the other: how many carriage returns were taken away before each. */
function originalOffsets(text: string): (offset: number) => number {
  let taken = 0
  let next = text.indexOf('\r\n')
  return (offset) => {
    while (next >= 0 && next - taken < offset) {
      taken += 1
      next = text.indexOf('\r\n', next + 1)
    }
    return offset + taken
  }
}

function ambiguous(text: string, places: readonly number[]): string {
  const named = [...new Set(places.slice(0, MOST_NAMED).map((place) => lineAt(text, place)))]
  const lines = `${named.join(', ')}${places.length > MOST_NAMED ? ', …' : ''}`
  const times = `${places.length}${places.length === MOST_COUNTED ? ' or more' : ''}`
  return `old_text occurs ${times} times, in lines ${lines}. Give more of what stands around the one you mean, or set replace_all.`
}

function lineAt(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line += 1
  return line
}
