import type { AgentEvent } from '@palimpsest/agent'
import { type ErrorJson, errorJson } from './error-json.ts'

/** What came of one compaction of a run. */
export interface CompactionJson {
  readonly id: string
  readonly reason: string
  /** Tokens of the request before it, and after it. */
  readonly before: number
  readonly after?: number
  /** Messages that left the view. */
  readonly evicted?: number
  /** Calls of a summariser that it took. */
  readonly attempts: number
  readonly outcome: 'applied' | 'cancelled' | 'failed'
  readonly error?: ErrorJson
}

/** The compactions of a run, from its events. Those of sub-agents are theirs. */
export class CompactionTally {
  readonly #before = new Map<string, number>()
  readonly #ended: CompactionJson[] = []

  note(event: AgentEvent): void {
    switch (event.type) {
      case 'compaction-started':
        this.#before.set(event.id, event.tokensBefore)
        break
      case 'compaction-applied':
        this.#end(event, { outcome: 'applied', after: event.tokensAfter, evicted: event.evicted })
        break
      case 'compaction-cancelled':
        this.#end(event, { outcome: 'cancelled' })
        break
      case 'compaction-failed':
        this.#end(event, { outcome: 'failed', error: errorJson(event.error) })
        break
    }
  }

  /** In the order in which they ended. */
  get ended(): readonly CompactionJson[] {
    return this.#ended
  }

  #end(
    { id, reason, attempts }: { readonly id: string; readonly reason: string; readonly attempts: number },
    came: Pick<CompactionJson, 'outcome' | 'after' | 'evicted' | 'error'>,
  ): void {
    this.#ended.push({ id, reason, before: this.#before.get(id) ?? 0, attempts, ...came })
    this.#before.delete(id)
  }
}
