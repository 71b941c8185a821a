/** A table in plain text: numbers to the right, words to the left, columns as wide as their widest cell. */
export function textTable(columns, rows) {
  const cells = [columns, ...rows].map((row) => columns.map((_, at) => String(row[at] ?? '')))
  const widths = columns.map((_, at) => Math.max(...cells.map((row) => row[at].length)))
  const numeric = columns.map((_, at) => rows.length > 0 && rows.every((row) => typeof row[at] === 'number'))
  const line = (row) => row.map((cell, at) => (numeric[at] ? cell.padStart(widths[at]) : cell.padEnd(widths[at])))
  const ruler = widths.map((width) => '─'.repeat(width))
  return [cells[0], ruler, ...cells.slice(1)].map((row) => line(row).join('  ').trimEnd()).join('\n')
}
