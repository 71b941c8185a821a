import { type LangChainMessage, langchain } from '../../dialects/langchain/index.ts'
import { BoundedMap } from '../../stores/bounded-map.ts'
import { TOOL_NAMES } from '../../stores/history-tools.ts'

/** Calls that are noted at most: an agent may never run a call that the model made. */
const MOST = 1_000

/**
 * Calls of our tools on their way from the model to the tool: a run without a thread does not tell a tool whose conversation it
 * works on. Two conversations can have calls of one id at once; then neither is guessed.
 */
export class AnsweringCalls {
  readonly #sessions = new BoundedMap<ReadonlySet<string>>(MOST)

  /** Notes the calls of our tools in an answer of this conversation. */
  note(answer: LangChainMessage, session: string): void {
    for (const { kind, callId, toolName } of langchain.view(answer).parts) {
      if (kind !== 'tool-call' || callId === undefined || !isOurs(toolName)) continue
      this.#sessions.set(callId, new Set([...(this.#sessions.get(callId) ?? []), session]))
    }
  }

  /** The conversation that made this call; undefined where none or more than one may have. */
  sessionOf(callId: string): string | undefined {
    const sessions = [...(this.#sessions.get(callId) ?? [])]
    return sessions.length === 1 ? sessions[0] : undefined
  }
}

function isOurs(toolName: unknown): boolean {
  return Object.values<unknown>(TOOL_NAMES).includes(toolName)
}
