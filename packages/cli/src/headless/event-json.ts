import type { AgentEvent } from '@palimpsest/agent'
import { errorJson } from './error-json.ts'
import { usageJson } from './usage-json.ts'

/**
 * An event as a line of `stream-json`: its type as it is named, its fields in snake_case, times in milliseconds. What tools
 * are given and asked for stays as it is. Undefined for what a machine does not get to see: the text of a summary.
 */
export function eventJson(event: AgentEvent): object | undefined {
  switch (event.type) {
    case 'turn-started':
    case 'step-started':
    case 'text-delta':
    case 'reasoning-delta':
    case 'rewind':
    case 'retry':
    case 'tool-call':
    case 'permission-asked':
    case 'permission-answered':
    case 'warning':
      return event
    case 'step-ended': {
      const { usage, ...rest } = event
      return { ...rest, ...(usage && { usage: usageJson(usage) }) }
    }
    case 'tool-result': {
      const { exitCode, ...rest } = event
      return { ...rest, ...(exitCode !== undefined && { exit_code: exitCode }) }
    }
    case 'summary-delta':
      return undefined
    case 'sub-agent': {
      const inner = eventJson(event.event)
      return inner && { ...event, event: inner }
    }
    case 'turn-ended': {
      const { error, ...rest } = event
      return { ...rest, ...(error && { error: errorJson(error) }) }
    }
    default:
      return compactionJson(event)
  }
}

type CompactionEvent = Extract<AgentEvent, { readonly type: `compaction-${string}` }>

function compactionJson(event: CompactionEvent): object {
  const { type, id, reason } = event
  const head = { type, id, reason }
  switch (event.type) {
    case 'compaction-started':
      return { ...head, tokens_before: event.tokensBefore }
    case 'compaction-applied':
      return {
        ...head,
        tokens_before: event.tokensBefore,
        tokens_after: event.tokensAfter,
        evicted: event.evicted,
        attempts: event.attempts,
        record_id: event.recordId,
      }
    case 'compaction-cancelled':
      return { ...head, attempts: event.attempts }
    case 'compaction-failed':
      return { ...head, attempts: event.attempts, error: errorJson(event.error) }
  }
}
