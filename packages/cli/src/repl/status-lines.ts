import type { ContextMeter } from '@palimpsest/agent'
import { formatShare, formatShort } from '../format-number.ts'
import { clipped, oneLine } from '../session-text/plain-text.ts'
import type { ReplScreen, Work } from './repl-screen.ts'
import type { ReplTheme } from './repl-theme.ts'
import { fitted } from './segment-lines.ts'

export interface StatusLook {
  readonly width: number
  readonly theme: ReplTheme
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** What stands above the editor: what runs, what passes by, what waits. */
export function statusLines(screen: ReplScreen, { width, theme, at }: StatusLook): readonly string[] {
  const { paint } = theme
  const spinner =
    screen.work === undefined || screen.work.kind === 'command' || screen.questions.length > 0
      ? []
      : [`${paint.cyan(frameAt(at))} ${spinnerText(screen.work, at)}${paint.dim(keyHint(screen.work))}`]
  const notice = screen.notice === undefined ? [] : [paint.yellow(oneLine(screen.notice.text))]
  const leaving = screen.leaving ? [paint.yellow('Ctrl+C again leaves. What you typed is kept: Up.')] : []
  const lines = [...spinner, ...notice, ...leaving, ...queueLines(screen.queue, width).map(paint.dim)]
  return lines.length === 0 ? [] : ['', ...lines.map((line) => fitted(line, width))]
}

/** The words beside the spinner. */
export function spinnerText(work: Work, at: number): string {
  if (work.ending !== undefined) return 'Ending…'
  if (work.compaction !== undefined || work.kind === 'compact') return 'Compacting...'
  if (work.retry !== undefined) return oneLine(work.retry)
  return `Working… ${elapsed(at - work.since)}`
}

function keyHint(work: Work): string {
  if (work.ending !== undefined) return ''
  return work.compaction !== undefined || work.kind === 'compact'
    ? '  Esc cancels it, Ctrl+C all that runs'
    : '  Ctrl+C ends it'
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
/** Milliseconds that one picture of the spinner stands. */
export const FRAME_MILLISECONDS = 100

function frameAt(at: number): string {
  return FRAMES[Math.floor(at / FRAME_MILLISECONDS) % FRAMES.length] ?? ''
}

function elapsed(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000))
  if (seconds < 60) return `${seconds}s`
  return `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, '0')}s`
}

const QUEUE_LINES = 3

/** The first ones to go, and how many more there are. */
function queueLines(queue: readonly string[], width: number): readonly string[] {
  const shown = queue.slice(0, QUEUE_LINES).map((text) => `⧗ ${oneLine(clipped(text, width))}`)
  const more = queue.length - QUEUE_LINES
  const last = more > 0 ? [`⧗ and ${more} more`] : []
  return queue.length === 0 ? [] : [...shown, ...last, 'Up takes the last one back']
}

/** The line below the editor: the model, and how full the window is. */
export function footerLine(
  { model, meter }: { readonly model: string; readonly meter: ContextMeter | undefined },
  { width, theme }: Pick<StatusLook, 'width' | 'theme'>,
): string {
  const parts = [meterText(meter), oneLine(model), '/help']
  let line = ''
  for (const part of parts) {
    const longer = line === '' ? part : `${line} · ${part}`
    // what does not fit gives way to what says more
    if ([...longer].length <= width || line === '') line = longer
  }
  return theme.paint.dim(fitted(line, width))
}

/** How full the window is; `–` until the next answer tells. */
export function meterText(meter: ContextMeter | undefined): string {
  if (meter === undefined || meter.used === 'waiting') return 'context –'
  const { tokens, kind } = meter.used
  const about = kind === 'estimated' ? '~' : ''
  if (meter.window === undefined) return `context ${about}${formatShort(tokens)}`
  return `context ${about}${formatShare(tokens / meter.window)} of ${formatShort(meter.window)}`
}
