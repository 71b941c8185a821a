/** Rows of words in columns that are as wide as their widest word, two spaces apart, without spaces at the end. */
export function columns(rows: readonly (readonly string[])[], sides: readonly ('left' | 'right')[]): string {
  const widths = sides.map((_, at) => rows.reduce((width, row) => Math.max(width, row[at]?.length ?? 0), 0))
  const cell = (word: string, at: number) =>
    sides[at] === 'right' ? word.padStart(widths[at] ?? 0) : word.padEnd(widths[at] ?? 0)
  return rows.map((row) => row.map(cell).join('  ').trimEnd()).join('\n')
}
