import type { Paint } from './repl-theme.ts'

/** Lines of a unified diff in its colours, where they are one; any other lines as they are. */
export function diffLines(lines: readonly string[], paint: Paint): readonly string[] {
  if (!lines.some((line) => HUNK.test(line))) return lines
  return lines.map((line) => {
    if (/^(---|\+\+\+) /.test(line)) return paint.bold(line)
    if (HUNK.test(line)) return paint.cyan(line)
    if (line.startsWith('+')) return paint.green(line)
    return line.startsWith('-') ? paint.red(line) : line
  })
}

const HUNK = /^@@ .* @@/
