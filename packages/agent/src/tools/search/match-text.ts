import { linesOf } from '../workspace/file-page.ts'
import type { LineMatch } from './matching-thread.ts'

/** UTF-16 units of a line that are shown. */
const LONGEST_LINE = 300
/** Of those, how many before the match. */
const BEFORE = 80

/** The matching lines of a file with their numbers (`12: …`), and those around them (`11- …`), gaps marked. */
export function matchText(text: string, matches: readonly LineMatch[], context: number): string {
  const lines = linesOf(text)
  const found = new Map(matches.map((match) => [match.line, match]))
  const shown = new Set(matches.flatMap(({ line }) => around(line, context, lines.length)))
  const output: string[] = []
  let before = -1
  for (const line of [...shown].sort((a, b) => a - b)) {
    if (context > 0 && before >= 0 && line > before + 1) output.push('--')
    const match = found.get(line)
    output.push(`${line + 1}${match === undefined ? '-' : ':'} ${cutAround(lines[line] ?? '', match?.column ?? 0)}`)
    before = line
  }
  return output.join('\n')
}

function around(line: number, context: number, lines: number): readonly number[] {
  const from = Math.max(0, line - context)
  const to = Math.min(lines - 1, line + context)
  return Array.from({ length: Math.max(1, to - from + 1) }, (_, at) => from + at)
}

function cutAround(line: string, column: number): string {
  if (line.length <= LONGEST_LINE) return line
  const from = column < LONGEST_LINE - BEFORE ? 0 : column - BEFORE
  const part = line.slice(from, from + LONGEST_LINE).toWellFormed()
  return `${from > 0 ? '…' : ''}${part}${from + LONGEST_LINE < line.length ? '…' : ''}`
}
