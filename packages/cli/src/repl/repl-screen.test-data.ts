import type { AgentEvent } from '@palimpsest/agent'
import { emptyScreen, type ReplScreen, type Segment } from './repl-screen.ts'
import { showEvent } from './show-event.ts'

/** The screen of a turn after these events. */
export function shownAfter(events: readonly AgentEvent[], at = 0): ReplScreen {
  const turn: ReplScreen = { ...emptyScreen, work: { kind: 'turn', since: 0 } }
  return events.reduce((screen, event) => showEvent(screen, event, at), turn)
}

/** `assistant:Hello | tool:id…` for a call that runs, `tool:id=2` for one with two lines. */
export function screenNotation({ segments }: Pick<ReplScreen, 'segments'>): string {
  return segments.map(segmentNotation).join(' | ')
}

function segmentNotation(segment: Segment): string {
  switch (segment.kind) {
    case 'tool':
      return `tool:${segment.id}${segment.result === undefined ? '…' : `=${segment.result.text.split('\n').length}`}`
    case 'error':
      return `error:${segment.message}`
    case 'report':
      return `report:${segment.lines.length}`
    default:
      return `${segment.kind}:${segment.text}`
  }
}
