/** Where a page begins. */
export interface PageStart {
  /** The line, from 1. */
  readonly line: number
  /** UTF-16 units of that line to skip. */
  readonly character?: number
}

export interface FilePage {
  /** Each line behind its number. */
  readonly text: string
  /** Lines that it shows, the last one perhaps in part. */
  readonly lines: number
  /** Where to read on; absent at the end. */
  readonly next?: PageStart
}

export interface PageBounds {
  readonly lines: number
  /** UTF-16 units of the file's own text. */
  readonly characters: number
}

/**
 * One page of a text by lines. A line stays whole where it fits on a page; a longer one is paged by characters, no pair split.
 * Pages that follow each other by `next` hold every line and every character once.
 */
export function pageOf(lines: readonly string[], { line, character = 0 }: PageStart, bounds: PageBounds): FilePage {
  const shown: string[] = []
  let room = bounds.characters
  for (let at = line - 1; at < lines.length && shown.length < bounds.lines; at += 1) {
    const from = shown.length === 0 ? character : 0
    const rest = (lines[at] ?? '').slice(from)
    if (rest.length > room) {
      if (shown.length > 0) return page(shown, { line: at + 1 })
      const part = headOf(rest, room)
      return page([numbered(at, part)], { line: at + 1, character: from + part.length })
    }
    shown.push(numbered(at, rest))
    room -= rest.length + 1
  }
  const end = line - 1 + shown.length
  return page(shown, end < lines.length ? { line: end + 1 } : undefined)
}

/** The lines of a text without their ends; what stands behind the last line end is a line only if it is something. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
}

/** As many units as fit, at least two, and no half of a pair at the end. */
export function headOf(text: string, units: number): string {
  const end = Math.max(2, units)
  const last = text.charCodeAt(end - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? end - 1 : end)
}

/** The way in which readers of a transcript know numbers from text. */
function numbered(at: number, text: string): string {
  return `${at + 1}→${text}`
}

function page(shown: readonly string[], next: PageStart | undefined): FilePage {
  return { text: shown.join('\n'), lines: shown.length, ...(next && { next }) }
}
