import { Markdown, truncateToWidth, visibleWidth, wrapTextWithAnsi } from '@mariozechner/pi-tui'
import { formatCount, plural } from '../format-number.ts'
import { diffLines } from './diff-lines.ts'
import type { Segment, ToolResult, ToolSegment } from './repl-screen.ts'
import { type Paint, type ReplTheme, shownText } from './repl-theme.ts'
import { toolHead } from './tool-head.ts'

export interface SegmentLook {
  readonly width: number
  readonly unfolded: boolean
  readonly theme: ReplTheme
}

/** The lines of one segment, none wider than the screen. */
export function segmentLines(segment: Segment, look: SegmentLook): readonly string[] {
  return linesOf(segment, look).map((line) => fitted(line, look.width))
}

/** The line, cut where a terminal would wrap it. */
export function fitted(line: string, width: number): string {
  return visibleWidth(line) > width ? truncateToWidth(line, width, '…') : line
}

function linesOf(segment: Segment, look: SegmentLook): readonly string[] {
  const { paint, markdown } = look.theme
  switch (segment.kind) {
    case 'user':
      return marked(paint.cyan('❯'), clippedLines(wrapped(shownText(segment.text), look, 2), look, USER_LINES))
    case 'assistant':
      return new Markdown(shownText(segment.text), 0, 0, markdown).render(look.width).map((line) => line.trimEnd())
    case 'summary':
      return marked(paint.dim('│'), wrapped(shownText(segment.text), look, 2).map(paint.dim))
    case 'reasoning':
      return reasoningLines(shownText(segment.text), look)
    case 'tool':
      return toolLines(segment, look)
    case 'notice':
      return [paint.dim(`· ${shownText(segment.text)}`)]
    case 'warning':
      return marked(paint.yellow('!'), wrapped(shownText(segment.text), look, 2).map(paint.yellow))
    case 'error':
      return errorLines(segment, look)
    case 'report':
      return segment.lines.flatMap((line) => wrapTextWithAnsi(line, look.width))
  }
}

const USER_LINES = 20
const RESULT_LINES = 200

/** The first line behind a sign, the others below its words. */
function marked(sign: string, lines: readonly string[]): readonly string[] {
  return lines.map((line, at) => `${at === 0 ? sign : ' '} ${line}`)
}

function wrapped(text: string, { width }: SegmentLook, indent: number): readonly string[] {
  return wrapTextWithAnsi(text, Math.max(1, width - indent))
}

function clippedLines(lines: readonly string[], { unfolded, theme }: SegmentLook, most: number): readonly string[] {
  if (unfolded || lines.length <= most) return lines
  return [...lines.slice(0, most - 1), theme.paint.dim(`… ${formatCount(lines.length - most + 1)} more lines (Ctrl+O)`)]
}

function reasoningLines(text: string, look: SegmentLook): readonly string[] {
  const { paint } = look.theme
  const sign = paint.dim('∴')
  if (look.unfolded) return marked(sign, wrapped(text, look, 2).map(paint.dim))
  const last = text.split('\n').findLast((line) => line.trim() !== '') ?? ''
  return [`${sign} ${paint.dim(fitted(last.trim(), Math.max(1, look.width - 2)))}`]
}

/** One line where it is folded: what was called, and what came of it. */
function toolLines(tool: ToolSegment, look: SegmentLook): readonly string[] {
  const { paint } = look.theme
  const { result } = tool
  const sign = result === undefined ? paint.dim('○') : result.failed ? paint.red('●') : paint.green('●')
  const outcome = result === undefined ? (tool.note === undefined ? '' : `› ${shownText(tool.note)}`) : briefOf(result)
  const line = headAndOutcome(toolHead(tool.name, tool.input), outcome, { ...look, width: look.width - 2 })
  const head = `${sign} ${line}`
  if (!look.unfolded) return [head]
  return [head, ...inputLines(tool.input, look), ...(result === undefined ? [] : resultLines(result, look))]
}

/** The outcome is seen whole where it can be: the head gives way. */
function headAndOutcome(head: string, outcome: string, { width, theme }: SegmentLook): string {
  if (outcome === '') return fitted(head, width)
  const room = Math.max(Math.floor(width / 2), width - visibleWidth(outcome) - 3)
  return `${fitted(head, room)} ${theme.paint.dim(`· ${outcome}`)}`
}

function briefOf({ brief, failed, text, milliseconds }: ToolResult): string {
  const lines = text === '' ? 0 : text.trimEnd().split('\n').length
  const said = brief ?? (failed ? 'failed' : plural(lines, 'line'))
  const slow = milliseconds !== undefined && milliseconds >= 1_000 ? `, ${(milliseconds / 1_000).toFixed(1)} s` : ''
  return `${shownText(said).replaceAll('\n', ' ')}${slow}`
}

function inputLines(input: unknown, look: SegmentLook): readonly string[] {
  const text = typeof input === 'string' ? input : (JSON.stringify(input, undefined, 2) ?? '')
  return wrapped(shownText(text), look, 4).map((line) => `    ${look.theme.paint.dim(line)}`)
}

function resultLines({ text }: ToolResult, look: SegmentLook): readonly string[] {
  const lines = wrapped(shownText(text), look, 4)
  const more = lines.length > RESULT_LINES ? [`… ${formatCount(lines.length - RESULT_LINES)} more lines`] : []
  return [...diffLines(lines.slice(0, RESULT_LINES), look.theme.paint), ...more].map((line) => `    ${line}`)
}

function errorLines({ message, hint }: Extract<Segment, { kind: 'error' }>, look: SegmentLook): readonly string[] {
  const { paint } = look.theme
  const lines = [`error: ${message}`, ...(hint === undefined ? [] : [`hint: ${hint}`])]
  return lines.flatMap((line) => wrapped(shownText(line).replaceAll('\n', ' '), look, 0).map(redWith(paint)))
}

function redWith(paint: Paint): (line: string) => string {
  return (line) => paint.red(line)
}
