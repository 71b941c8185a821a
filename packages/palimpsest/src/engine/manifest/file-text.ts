import type { BriefingScope } from './briefing-scope.ts'
import type { FileUse } from './file-uses.ts'
import type { PlacedCall } from './manifest.ts'
import type { FileEdit } from './patch-text.ts'
import { type Estimate, fitTokens } from './text-cut.ts'
import { bodyOf } from './tool-outcome.ts'

/** A file as far as the transcript shows it. */
export interface FileText {
  /** Pieces of the file's present text; one when it was seen whole. */
  readonly pieces: readonly string[]
  /** Text that edits put there, the newest last. */
  readonly edited: readonly string[]
}

/** A piece larger than this is not rebuilt: edits in it are shown alone. */
const LARGEST_PIECE = 300_000
const MOST_PIECES = 6
/** Older calls on a file say little of its present text, and each costs a search. */
const MOST_CALLS = 200

/** The file's text, rebuilt from reads, writes and edits in order; undefined where the transcript shows none of it. */
export function fileTextOf(use: FileUse, scope: BriefingScope): FileText | undefined {
  let pieces: string[] = []
  const edited: string[] = []
  for (const placed of use.calls.slice(-MOST_CALLS)) {
    const edits = placed.call.edits.filter((edit) => scope.relative(edit.path) === use.path && edit.after !== '')
    for (const edit of edits) {
      pieces = withEdit(pieces, edit)
      edited.push(edit.after)
    }
    if (edits.length === 0 && shows(placed, use, scope)) pieces = withRead(pieces, readText(placed))
  }
  const shown = pieces.filter((piece) => piece.trim() !== '').slice(-MOST_PIECES)
  return shown.length === 0 ? undefined : { pieces: shown, edited }
}

/** As much of the text as fits: all of it, or the lines nearest to what was edited, or head and tail. */
export function windowsAround(text: FileText, budget: number, estimate: Estimate): string {
  const whole = text.pieces.join('\n…\n')
  // More than eight characters per token is no text; do not measure megabytes to learn that they do not fit.
  if (whole.length <= budget * 8 && estimate(whole) <= budget) return whole
  const lines = whole.split('\n')
  const distances = distancesToEdits(whole, lines, text.edited)
  if (distances === undefined) return fitTokens(whole, budget, estimate)
  let limit = budget * 5
  for (let round = 0; round < 6; round += 1) {
    const shown = nearestLines(lines, distances, limit)
    const tokens = estimate(shown)
    if (tokens <= budget) return shown === '' ? fitTokens(text.edited.at(-1) ?? '', budget, estimate) : shown
    limit = Math.min(limit * 0.9, limit * (budget / tokens))
  }
  return ''
}

function shows(placed: PlacedCall, use: FileUse, scope: BriefingScope): boolean {
  return placed.result !== undefined && placed.call.reads.some((path) => scope.relative(path) === use.path)
}

function withEdit(pieces: readonly string[], edit: FileEdit): string[] {
  const { before } = edit
  if (before === undefined) return [edit.after]
  const at = pieces.findIndex((piece) => piece.length <= LARGEST_PIECE && before !== '' && piece.includes(before))
  if (at < 0) return [...pieces, edit.after]
  return pieces.map((piece, index) => (index === at ? spliced(piece, before, edit.after) : piece))
}

function spliced(piece: string, before: string, after: string): string {
  const start = piece.indexOf(before)
  return piece.slice(0, start) + after + piece.slice(start + before.length)
}

/** A later read replaces the pieces that it shows again. */
function withRead(pieces: readonly string[], text: string): string[] {
  if (text.length > LARGEST_PIECE) return [...pieces, text.slice(0, LARGEST_PIECE)]
  return [...pieces.filter((piece) => !text.includes(piece.trim())), text]
}

/** The text of a read result without what clients add: line numbers, envelopes, reminders. */
function readText(placed: PlacedCall): string {
  const text = bodyOf(placed.result?.part.text() ?? '')
  const output = /^(?:(?!Output:).*\n){0,8}Output:\n/.exec(text.slice(0, 800))
  const isEnvelope = output !== null && /^(?:Chunk ID|Wall time|Exit code|Script)/.test(text)
  const shown = isEnvelope ? text.slice(output[0].length) : text
  const reminder = shown.indexOf('<system-reminder>')
  const body = reminder < 0 ? shown : shown.slice(0, reminder).trimEnd()
  const lines = body.split('\n')
  const numbered = lines.slice(0, 20).filter((line) => /^\s*\d+[→\t]/.test(line)).length
  const isNumbered = numbered > 0 && numbered >= Math.min(20, lines.length) * 0.8
  return isNumbered ? lines.map((line) => line.replace(/^\s*\d+[→\t]/, '')).join('\n') : body
}

/** For each line, how many lines it is away from an edited one; undefined where no edit is found in the text. */
function distancesToEdits(
  whole: string,
  lines: readonly string[],
  edited: readonly string[],
): readonly number[] | undefined {
  const distances = new Array<number>(lines.length).fill(Number.POSITIVE_INFINITY)
  let found = false
  for (const text of edited.slice(-8)) {
    const at = whole.indexOf(text)
    if (at < 0) continue
    found = true
    const first = lineAt(whole, at)
    const count = text.split('\n').length
    distances.fill(0, first, Math.min(lines.length, first + count))
  }
  if (!found) return undefined
  for (let at = 1; at < lines.length; at += 1)
    distances[at] = Math.min(distances[at] ?? 0, (distances[at - 1] ?? 0) + 1)
  for (let at = lines.length - 2; at >= 0; at -= 1)
    distances[at] = Math.min(distances[at] ?? 0, (distances[at + 1] ?? 0) + 1)
  return distances
}

function lineAt(text: string, offset: number): number {
  let line = 0
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line += 1
  return line
}

/** Lines within the greatest distance whose characters stay within the limit, with `…` for what is left out. */
function nearestLines(lines: readonly string[], distances: readonly number[], limit: number): string {
  const sizes = new Map<number, number>()
  lines.forEach((line, at) => {
    const distance = distances[at] ?? 0
    sizes.set(distance, (sizes.get(distance) ?? 0) + line.length + 1)
  })
  let reach = -1
  for (let total = 0; sizes.has(reach + 1); reach += 1) {
    total += sizes.get(reach + 1) ?? 0
    if (total > limit) break
  }
  if (reach < 0) return ''
  const shown: string[] = []
  lines.forEach((line, at) => {
    if ((distances[at] ?? 0) <= reach) shown.push(line)
    else if (shown.at(-1) !== '…') shown.push('…')
  })
  return shown.join('\n')
}
