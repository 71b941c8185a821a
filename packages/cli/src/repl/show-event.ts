import type { AgentEvent } from '@palimpsest/agent'
import {
  type ReplScreen,
  type Segment,
  type ToolResult,
  type ToolSegment,
  type Work,
  withAside,
  withNotice,
  withSegment,
  withTextClosed,
} from './repl-screen.ts'
import { toolHead } from './tool-head.ts'

/** What the screen shows after an event. Pure; `at` is when it came, in milliseconds since the epoch. */
export function showEvent(screen: ReplScreen, event: AgentEvent, at: number): ReplScreen {
  switch (event.type) {
    case 'step-started':
      return stepBegins({ ...screen, stepSpoke: false })
    case 'text-delta':
      return streamed({ ...working(screen, { retry: undefined }), stepSpoke: true }, 'assistant', event.text)
    case 'reasoning-delta':
      return streamed(working(screen, { retry: undefined }), 'reasoning', event.text)
    case 'rewind':
      return withoutStep(screen)
    case 'retry':
      return working(screen, { retry: `Asked again in ${seconds(event.milliseconds)}: ${event.message}` })
    case 'step-ended':
      return stepEnds(screen, event.text)
    case 'tool-call':
      return withSegment(screen, { kind: 'tool', id: event.id, name: event.name, input: event.input })
    case 'tool-result':
      return withTool(screen, event.id, (tool) => ({ ...withoutNote(tool), result: resultOf(event) }))
    case 'sub-agent':
      return withTool(screen, event.id, (tool) => noted(tool, event.event))
    case 'warning':
      return withAside(screen, { kind: 'warning', text: event.message })
    case 'summary-delta':
      return summaryGrows(screen, event)
    case 'compaction-started':
      return working(screen, { compaction: { id: event.id, cancel: () => event.cancel() } })
    case 'compaction-applied':
      return compacted(screen, event.reason === 'manual', at)
    case 'compaction-cancelled':
      return withNotice(working(screen, { compaction: undefined }), 'Compaction cancelled.', at)
    case 'compaction-failed':
      // by hand, and small as it is: whoever asked is told so, and nothing went wrong
      if (event.reason === 'manual' && event.error.code === 'no-progress')
        return working(screen, { compaction: undefined })
      return withSegment(working(screen, { compaction: undefined }), {
        kind: 'warning',
        text: `Compaction failed: ${event.error.message}`,
      })
    // what the screen knows by itself: it starts turns, asks for permissions, and is given the turn's result
    case 'turn-started':
    case 'turn-ended':
    case 'permission-asked':
    case 'permission-answered':
      return screen
  }
}

/** Tools that nobody will answer any more, because the turn is over, are shown as interrupted. */
export function withNothingRunning(screen: ReplScreen): ReplScreen {
  const running = screen.segments.some(isRunning)
  const segments = running
    ? screen.segments.map((one) => (isRunning(one) ? { ...withoutNote(one), result: INTERRUPTED } : one))
    : screen.segments
  return withTextClosed({ ...screen, segments, work: undefined })
}

const INTERRUPTED: ToolResult = { text: '', failed: true, brief: 'interrupted' }

function isRunning(segment: Segment): segment is ToolSegment {
  return segment.kind === 'tool' && segment.result === undefined
}

/** What comes from here on is of the step that a rewind withdraws, and stands in segments of its own. */
function stepBegins(screen: ReplScreen): ReplScreen {
  const closed = withTextClosed(screen)
  return { ...closed, stepFrom: closed.segments.length }
}

function streamed(screen: ReplScreen, kind: 'assistant' | 'reasoning', text: string): ReplScreen {
  if (text === '') return screen
  const last = screen.segments.at(-1)
  if (screen.open !== kind || last?.kind !== kind) return { ...withSegment(screen, { kind, text }), open: kind }
  const longer = { ...screen, segments: screen.segments.with(-1, { kind, text: last.text + text }) }
  return longer.held.length === 0 ? longer : parted(longer, last.text + text, last.text.length)
}

/** What waits stands behind the paragraph that ends first behind `from`; the text goes on below it. */
function parted(screen: ReplScreen, text: string, from: number): ReplScreen {
  const end = text.indexOf('\n\n', Math.max(0, from - 1))
  if (end < 0 || isInCode(text.slice(0, end))) return screen
  const [paragraph, rest] = [text.slice(0, end + 2), text.slice(end + 2)]
  const closed = withTextClosed({
    ...screen,
    segments: screen.segments.with(-1, { kind: 'assistant', text: paragraph }),
  })
  return rest === '' ? closed : { ...withSegment(closed, { kind: 'assistant', text: rest }), open: 'assistant' }
}

/** Does a fence stand open at the end of this Markdown? */
function isInCode(text: string): boolean {
  return (text.match(/^ {0,3}(?:```|~~~)/gm)?.length ?? 0) % 2 === 1
}

/** What others said meanwhile stays: warnings, what commands printed. */
function withoutStep(screen: ReplScreen): ReplScreen {
  const ofStep = ({ kind }: Segment) => kind === 'assistant' || kind === 'reasoning' || kind === 'tool'
  const segments = screen.segments.filter((one, at) => at < screen.stepFrom || !ofStep(one))
  return withTextClosed({ ...screen, segments, stepSpoke: false })
}

function stepEnds(screen: ReplScreen, text: string): ReplScreen {
  if (screen.stepSpoke || text === '') return withTextClosed(screen)
  return withSegment(screen, { kind: 'assistant', text })
}

/** The display goes on in a new segment; what stands above is stored, and no rewind reaches it. */
function compacted(screen: ReplScreen, manual: boolean, at: number): ReplScreen {
  const { meter, meterEpoch } = screen
  const waiting: ReplScreen = {
    ...working(screen, { compaction: undefined }),
    meter: meter && { ...meter, used: 'waiting' },
    meterEpoch: meterEpoch + 1,
  }
  if (manual) return stepBegins(withSegment(waiting, { kind: 'notice', text: 'Context compacted.' }))
  return withNotice(stepBegins(waiting), 'Context compacted automatically.', at)
}

function summaryGrows(screen: ReplScreen, { text, restart }: { text: string; restart?: true }): ReplScreen {
  const last = screen.segments.at(-1)
  if (last?.kind !== 'summary') return withSegment(screen, { kind: 'summary', text })
  return { ...screen, segments: screen.segments.with(-1, { kind: 'summary', text: restart ? text : last.text + text }) }
}

function resultOf(event: Extract<AgentEvent, { type: 'tool-result' }>): ToolResult {
  const { text, failed, brief, milliseconds } = event
  return { text, failed, milliseconds, ...(brief !== undefined && { brief }) }
}

function noted(tool: ToolSegment, event: AgentEvent): ToolSegment {
  if (event.type === 'tool-call') return { ...tool, note: toolHead(event.name, event.input) }
  if (event.type === 'compaction-started') return { ...tool, note: 'Compacting...' }
  return tool
}

function withoutNote({ note: _, ...tool }: ToolSegment): ToolSegment {
  return tool
}

/** Ids may come again in a later turn: the newest call is meant. */
function withTool(screen: ReplScreen, id: string, change: (tool: ToolSegment) => ToolSegment): ReplScreen {
  const at = screen.segments.findLastIndex((one) => one.kind === 'tool' && one.id === id)
  const tool = screen.segments[at]
  return tool?.kind === 'tool' ? { ...screen, segments: screen.segments.with(at, change(tool)) } : screen
}

function working(
  screen: ReplScreen,
  change: { readonly compaction?: Work['compaction'] | undefined; readonly retry?: string | undefined },
): ReplScreen {
  if (screen.work === undefined) return screen
  const { compaction, retry, ...work } = { ...screen.work, ...change }
  return { ...screen, work: { ...work, ...(compaction && { compaction }), ...(retry !== undefined && { retry }) } }
}

function seconds(milliseconds: number): string {
  return `${Math.max(1, Math.round(milliseconds / 1_000))} s`
}
