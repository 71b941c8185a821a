import type { Session } from '@palimpsest/sessions'
import type { CompactorEvent } from 'palimpsest'
import type { AgentEventListener } from '../loop/agent-event.ts'

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
export function compactionEvents({
  session,
  emit,
  summarizer,
}: CompactionEventsSetup): (event: CompactorEvent) => void {
  const attempts = new Map<string, number>()
  const tried = (id: string) => attempts.set(id, (attempts.get(id) ?? 0) + 1)
  const ended = (id: string) => {
    const made = attempts.get(id) ?? 0
    attempts.delete(id)
    return made
  }
  return (event) => {
    const { id } = event
    switch (event.type) {
      case 'compaction-started':
        attempts.set(id, 0)
        session.requestAction({ action: id, kind: 'summarize', name: 'compaction', input: { reason: event.reason } })
        emit({ type: event.type, id, reason: event.reason, tokensBefore: event.tokensBefore, cancel: event.cancel })
        return
      case 'compaction-applied': {
        const { reason, tokensBefore, tokensAfter, evicted, recordId } = event
        session.completeAction(id, 'ok', { output: { record: recordId } })
        emit({ type: event.type, id, reason, tokensBefore, tokensAfter, evicted, attempts: ended(id), recordId })
        return
      }
      case 'compaction-cancelled':
        session.completeAction(id, 'interrupted')
        emit({ type: event.type, id, reason: event.reason, attempts: ended(id) })
        return
      case 'compaction-failed':
        session.completeAction(id, 'failed')
        emit({ type: event.type, id, reason: event.reason, attempts: ended(id), error: event.error })
        return
      case 'summary-rejected':
        tried(id)
        return
      case 'summarizer-called': {
        const { by, usage } = event
        if (by !== 'none') tried(id)
        if (usage.input + usage.output === 0) return
        const counted = { input: usage.input, cacheRead: 0, cacheWrite: 0, output: usage.output }
        session.recordUsage({ purpose: 'summarize', usage: counted, model: summarizer() })
        return
      }
      case 'artifact-stored':
        session.requestAction({ action: event.key, kind: 'store', name: 'artifact' })
        session.completeAction(event.key, 'ok', { output: { bytes: event.bytes } })
        return
      case 'store-failed':
        emit({ type: 'warning', message: event.error.message })
        return
      case 'unknown-model':
        emit({ type: 'warning', message: unknownModel(event.model) })
    }
  }
}

function unknownModel(model = 'this model'): string {
  return `The window of ${model} is not known: the default holds. --window or modelProfiles tell it.`
}
