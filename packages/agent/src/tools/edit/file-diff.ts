import { formatPatch, structuredPatch } from 'diff'

/** What changes in a file. */
export interface FileDiff {
  /** A unified diff, bounded; says so where something is left out. */
  readonly text: string
  readonly added: number
  readonly removed: number
}

/** Milliseconds after which a diff is given up: two large texts with little in common. */
const PATIENCE = 1_000

/** The difference of two texts, line ends aside; undefined where it takes too long to find. `before` undefined: a new file. */
export function fileDiff(path: string, before: string | undefined, after: string): FileDiff | undefined {
  const names: [string, string] = [before === undefined ? '/dev/null' : `a/${path}`, `b/${path}`]
  const options = { context: 3, stripTrailingCr: true, timeout: PATIENCE } as const
  const patch = structuredPatch(...names, before ?? '', after, undefined, undefined, options)
  if (patch === undefined) return undefined
  const lines = patch.hunks.flatMap((hunk) => hunk.lines)
  return {
    text: formatPatch(patch).replace(/^=+\n/, ''),
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
  }
}

/** A text in at most so many lines, none of them longer than 400 units. */
export function boundedLines(text: string, most: number): string {
  const lines = text.split('\n').map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line))
  return lines.length <= most
    ? lines.join('\n')
    : `${lines.slice(0, most).join('\n')}\n… ${lines.length - most} more lines`
}

const LONGEST_LINE = 400
