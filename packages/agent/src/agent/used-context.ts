import type { AgentEvent } from '../loop/agent-event.ts'
import type { ContextMeter } from './agent.ts'

/** How much of the window the newest answer took, as events tell it. After a compaction nobody knows before the next answer. */
export class UsedContext {
  #used: ContextMeter['used'] = 'waiting'

  /** A session that goes on: what its last call took is known. */
  resume(lastInputTokens: number | undefined): void {
    if (lastInputTokens !== undefined) this.#used = { tokens: lastInputTokens, kind: 'measured' }
  }

  get used(): ContextMeter['used'] {
    return this.#used
  }

  hear(event: AgentEvent): void {
    if (event.type === 'compaction-applied') this.forget()
    if (event.type !== 'step-ended' || event.usage === undefined) return
    this.#used = { tokens: event.usage.input + event.usage.output, kind: 'measured' }
  }

  /** What was known is of another view. */
  forget(): void {
    this.#used = 'waiting'
  }
}
