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

/** What hears the events of a compactor, and ends the compactions that a turn leaves behind. */
export interface CompactionEvents {
  readonly hear: (event: CompactorEvent) => void
  /** A turn that is cancelled does not wait for its compaction: tells its end now, and nothing when it comes. */
  readonly settle: () => void
}

/**
 * Takes the events of a compactor: tells those that a person or machine wants to know, and logs what had an effect. A replay of
 * the session then knows of every call of a summariser, and what it cost. Each start has one end.
 */
export function compactionEvents(setup: CompactionEventsSetup): CompactionEvents {
  const running = new RunningCompactions()
  const hear = (event: CompactorEvent) => {
    if (ENDS.has(event.type) && !running.has(event.id)) return
    const attempts = running.count(event)
    logEffect(event, setup)
    const told = toldEvent(event, attempts)
    if (told !== undefined) setup.emit(told)
  }
  return {
    hear,
    settle: () => {
      for (const { id, session, reason } of running.started())
        hear({ type: 'compaction-cancelled', id, session, reason, usage: { input: 0, output: 0 } })
    },
  }
}

type Started = Extract<CompactorEvent, { type: 'compaction-started' }>

/** The compactions that run, with the calls of a summariser that each took so far. */
class RunningCompactions {
  readonly #running = new Map<string, { readonly start: Started; readonly calls: number }>()

  has(id: string): boolean {
    return this.#running.has(id)
  }

  started(): readonly Started[] {
    return Array.from(this.#running.values(), ({ start }) => start)
  }

  /** Calls up to this event. */
  count(event: CompactorEvent): number {
    const { id } = event
    if (event.type === 'compaction-started') this.#running.set(id, { start: event, calls: 0 })
    const before = this.#running.get(id)
    if (before === undefined) return 0
    const isCall = event.type === 'summary-rejected' || (event.type === 'summarizer-called' && event.by !== 'none')
    const calls = before.calls + (isCall ? 1 : 0)
    if (ENDS.has(event.type)) this.#running.delete(id)
    else this.#running.set(id, { ...before, calls })
    return calls
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
