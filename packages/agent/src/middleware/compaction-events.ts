import type { Session } from '@palimpsest/sessions'
import type { CompactorEvent } from 'palimpsest'
import type { AgentEvent, AgentEventListener } from '../loop/agent-event.ts'

/** What became of a compactor's events: told on, and written into the session. */
export interface CompactionEventsSetup {
  readonly session: Session
  readonly emit: AgentEventListener
  /** Who writes summaries, as the session names it: of a rejected one no event says it. */
  readonly summarizer: () => string
}

/**
 * Takes the events of a compactor: tells those that a person or machine wants to know, and logs what had an effect. A replay of
 * the session then knows of every call of a summariser, and what it cost.
 */
export function compactionEvents(setup: CompactionEventsSetup): (event: CompactorEvent) => void {
  const calls = new SummariserCalls()
  return (event) => {
    const attempts = calls.count(event)
    logEffect(event, setup)
    const told = toldEvent(event, attempts)
    if (told !== undefined) setup.emit(told)
  }
}

/** Calls of a summariser that a compaction took, as long as it runs. */
class SummariserCalls {
  readonly #made = new Map<string, number>()

  /** How many there were up to this event. */
  count({ id, ...event }: CompactorEvent): number {
    if (event.type === 'compaction-started') this.#made.set(id, 0)
    const before = this.#made.get(id)
    if (before === undefined) return 0
    const isCall = event.type === 'summary-rejected' || (event.type === 'summarizer-called' && event.by !== 'none')
    const made = before + (isCall ? 1 : 0)
    if (ENDS.has(event.type)) this.#made.delete(id)
    else this.#made.set(id, made)
    return made
  }
}

const ENDS: ReadonlySet<CompactorEvent['type']> = new Set([
  'compaction-applied',
  'compaction-cancelled',
  'compaction-failed',
])

function logEffect(event: CompactorEvent, { session, summarizer }: CompactionEventsSetup): void {
  switch (event.type) {
    case 'compaction-started': {
      const { id, reason } = event
      session.requestAction({ action: id, kind: 'summarize', name: 'compaction', input: { reason } })
      return
    }
    case 'compaction-applied':
      session.completeAction(event.id, 'ok', { output: { record: event.recordId } })
      return
    case 'compaction-cancelled':
      session.completeAction(event.id, 'interrupted')
      return
    case 'compaction-failed':
      session.completeAction(event.id, 'failed')
      return
    case 'summarizer-called': {
      const { input, output } = event.usage
      if (input + output === 0) return
      const usage = { input, cacheRead: 0, cacheWrite: 0, output }
      session.recordUsage({ purpose: 'summarize', usage, model: summarizer() })
      return
    }
    case 'artifact-stored':
      session.requestAction({ action: event.key, kind: 'store', name: 'artifact' })
      session.completeAction(event.key, 'ok', { output: { bytes: event.bytes } })
  }
}

function toldEvent(event: CompactorEvent, attempts: number): AgentEvent | undefined {
  switch (event.type) {
    case 'compaction-started': {
      const { type, id, reason, tokensBefore, cancel } = event
      return { type, id, reason, tokensBefore, cancel }
    }
    case 'compaction-applied': {
      const { type, id, reason, tokensBefore, tokensAfter, evicted, recordId } = event
      return { type, id, reason, tokensBefore, tokensAfter, evicted, attempts, recordId }
    }
    case 'compaction-cancelled':
      return { type: event.type, id: event.id, reason: event.reason, attempts }
    case 'compaction-failed':
      return { type: event.type, id: event.id, reason: event.reason, attempts, error: event.error }
    case 'store-failed':
      return { type: 'warning', message: event.error.message }
    case 'unknown-model':
      return { type: 'warning', message: unknownModel(event.model) }
    default:
      return undefined
  }
}

function unknownModel(model = 'this model'): string {
  return `The window of ${model} is not known: the default holds. --window or modelProfiles tell it.`
}
