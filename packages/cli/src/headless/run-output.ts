import type { AgentEvent } from '@palimpsest/agent'
import { plainText } from '../session-text/plain-text.ts'
import type { Terminal } from '../terminal.ts'
import { eventJson } from './event-json.ts'
import type { OutputFormat } from './output-formats.ts'
import { BETWEEN_TEXTS, type RunResult, saidTexts } from './run-result.ts'

/** Prints a run while it goes on. */
export interface RunOutput {
  event(event: AgentEvent): void
  end(result: RunResult): void
}

export function runOutput(format: OutputFormat, terminal: Terminal): RunOutput {
  switch (format) {
    case 'text':
      return new TextOutput(terminal)
    case 'json':
      return { event: () => {}, end: (result) => terminal.data(`${JSON.stringify(result)}\n`) }
    case 'stream-json':
      return {
        event(event) {
          const line = eventJson(event)
          if (line !== undefined) terminal.data(`${JSON.stringify(line)}\n`)
        },
        end: (result) => terminal.data(`${JSON.stringify(result)}\n`),
      }
  }
}

/** Prints what a step said once the step is complete: what is withdrawn before never shows. */
class TextOutput implements RunOutput {
  readonly #terminal: Terminal
  #printed = 0

  constructor(terminal: Terminal) {
    this.#terminal = terminal
  }

  event(event: AgentEvent): void {
    if (event.type === 'step-ended') this.#print(saidTexts([event.text]))
  }

  /** What a step said that did not come to its end is stored, and printed too. */
  end({ texts }: RunResult): void {
    this.#print(texts.slice(this.#printed))
  }

  #print(texts: readonly string[]): void {
    for (const text of texts) {
      const before = this.#printed === 0 ? '' : BETWEEN_TEXTS.slice(1)
      this.#terminal.data(`${before}${this.#terminal.screen ? plainText(text) : text}\n`)
      this.#printed += 1
    }
  }
}
