import pc from 'picocolors'
import { formatShort, plural } from './format-number.ts'

/** What a chart shows: one value for each step, in tokens. */
export interface Chart {
  readonly values: readonly number[]
  /** Compactions: they happened before the step with this index. */
  readonly marks: readonly number[]
  /** Sizes that steps had before something made them smaller: drawn above their bars. */
  readonly jumps?: readonly { readonly step: number; readonly value: number }[]
  /** Level at which compaction starts. */
  readonly trigger?: number
  readonly window?: number
}

/** How it is drawn. */
export interface ChartStyle {
  /** Columns in all; fewer than 30 are taken as 30. */
  readonly width: number
  /** Rows of the plot; the axis, the marks and the legend add three. Default 10. */
  readonly height?: number
  readonly color: boolean
}

const jumpSign = '░'
const eighths = ['', '▁', '▂', '▃', '▄', '▅', '▆', '▇']
const axisWidth = 7

/**
 * A chart of size over time in Unicode blocks. Each column shows the largest value of the steps it stands for, so a peak
 * is never lost; lines show trigger and window where the bars leave room. No line is wider than `width`.
 */
export function terminalChart(chart: Chart, style: ChartStyle): string {
  if (chart.values.length === 0) return '(no steps)'
  const columns = Math.max(30, style.width) - axisWidth
  const rows = style.height ?? 10
  const levels = columnPeaks(chart.values, columns)
  const jumps = columnJumps(chart, columns)
  const top = Math.max(1, ...levels, ...jumps.values(), chart.window ?? 0, chart.trigger ?? 0)
  const paint = pc.createColors(style.color)
  const labels = rowLabels(chart, top, rows)
  const lines = Array.from({ length: rows }, (_, at) => {
    const row = rows - 1 - at
    const cells = levels.map((level, column) => cell(level, jumps.get(column) ?? 0, row, { chart, top, rows, paint }))
    return `${(labels.get(row) ?? '').padStart(axisWidth - 2)} ┤${joinPainted(cells)}`
  })
  return [...lines, axis(chart, columns), legend(chart, paint, columns)].join('\n')
}

/** The largest value of each column's share of the steps; with fewer steps than columns a step fills several. */
function columnPeaks(values: readonly number[], columns: number): readonly number[] {
  return Array.from({ length: columns }, (_, column) => {
    const from = Math.floor((column * values.length) / columns)
    const to = Math.max(from + 1, Math.floor(((column + 1) * values.length) / columns))
    return values.slice(from, to).reduce((peak, value) => Math.max(peak, value), 0)
  })
}

/** The largest jump of each column that has one. */
function columnJumps({ jumps = [], values }: Chart, columns: number): ReadonlyMap<number, number> {
  const largest = new Map<number, number>()
  for (const { step, value } of jumps) {
    const column = columnOf(step, values.length, columns)
    largest.set(column, Math.max(value, largest.get(column) ?? 0))
  }
  return largest
}

function columnOf(step: number, steps: number, columns: number): number {
  return Math.min(columns - 1, Math.floor((step * columns) / steps))
}

/** Labels by row, what matters most first: a row has one label, the first that claims it. The axis below has the zero. */
function rowLabels(chart: Chart, top: number, rows: number): ReadonlyMap<number, string> {
  const labels = new Map<number, string>()
  for (const value of [chart.window, chart.trigger, top, top / 2]) {
    if (value === undefined) continue
    const row = rowOf(value, top, rows)
    if (!labels.has(row)) labels.set(row, formatShort(value))
  }
  return labels
}

function rowOf(value: number, top: number, rows: number): number {
  return Math.min(rows - 1, Math.floor((value / top) * rows))
}

interface Painted {
  readonly sign: string
  readonly paint: (text: string) => string
}

interface Canvas {
  readonly chart: Chart
  readonly top: number
  readonly rows: number
  readonly paint: ReturnType<typeof pc.createColors>
}

function cell(level: number, jump: number, row: number, { chart, top, rows, paint }: Canvas): Painted {
  const filled = Math.round((level / top) * rows * 8) - row * 8
  const color =
    level > (chart.window ?? Infinity) ? paint.red : level >= (chart.trigger ?? Infinity) ? paint.yellow : paint.cyan
  if (filled >= 8) return { sign: '█', paint: color }
  // A value above zero always shows, if only as the thinnest bar.
  const eighth = row === 0 && level > 0 ? Math.max(1, filled) : filled
  if (eighth > 0) return { sign: eighths[eighth] ?? '', paint: color }
  if (Math.round((jump / top) * rows * 2) > row * 2) return { sign: jumpSign, paint: paint.dim }
  if (chart.window !== undefined && row === rowOf(chart.window, top, rows)) return { sign: '─', paint: paint.red }
  if (chart.trigger !== undefined && row === rowOf(chart.trigger, top, rows)) return { sign: '┄', paint: paint.yellow }
  return { sign: ' ', paint: String }
}

/** Neighbours of one colour share its escape codes. */
function joinPainted(cells: readonly Painted[]): string {
  let text = ''
  for (let from = 0; from < cells.length; ) {
    const paint = cells[from]?.paint ?? String
    let to = from
    while (to < cells.length && cells[to]?.paint === paint) to += 1
    text += paint(
      cells
        .slice(from, to)
        .map((one) => one.sign)
        .join(''),
    )
    from = to
  }
  return text
}

/** The axis with a mark where a compaction happened, and the number of steps at its end. */
function axis(chart: Chart, columns: number): string {
  const signs = Array.from({ length: columns }, () => '─')
  for (const mark of chart.marks) signs[columnOf(mark, chart.values.length, columns)] = '▲'
  return `${'0'.padStart(axisWidth - 2)} └${signs.join('')}`
}

function legend(chart: Chart, paint: Canvas['paint'], columns: number): string {
  const parts = [
    plural(chart.values.length, 'step'),
    ...(chart.marks.length > 0 ? ['▲ compaction'] : []),
    ...((chart.jumps ?? []).length > 0 ? [`${paint.dim(jumpSign)} before it`] : []),
    ...(chart.trigger === undefined ? [] : [`${paint.yellow('┄')} trigger ${formatShort(chart.trigger)}`]),
    ...(chart.window === undefined ? [] : [`${paint.red('─')} window ${formatShort(chart.window)}`]),
  ]
  let line = ''
  let used = 0
  for (const part of parts) {
    const length = plainLength(part) + (line === '' ? 0 : 3)
    if (used + length > columns) break
    line += (line === '' ? '' : '   ') + part
    used += length
  }
  return `${' '.repeat(axisWidth)}${line}`
}

function plainLength(text: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character opens every colour code
  return text.replace(/\u001b\[\d+m/g, '').length
}
