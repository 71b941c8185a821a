import type { SummaryModel } from 'palimpsest/ai-sdk'
import type { AgentEventListener } from '../loop/agent-event.ts'

/** A summary that a person sees grow. What was shown in the end is what may be stored. */
export class ShownSummary {
  readonly #emit: AgentEventListener
  #text = ''

  constructor(emit: AgentEventListener) {
    this.#emit = emit
  }

  get text(): string {
    return this.#text
  }

  /** For whoever writes it. */
  readonly watch: NonNullable<SummaryModel['watch']> = {
    started: () => {
      if (this.#text !== '') this.#emit({ type: 'summary-delta', text: '', restart: true })
      this.#text = ''
    },
    text: (text) => this.add(text),
  }

  add(text: string): void {
    this.#text += text
    this.#emit({ type: 'summary-delta', text })
  }
}
