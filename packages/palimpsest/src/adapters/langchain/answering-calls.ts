import type { Prepared } from '../../compactor/compactor.ts'
import { type LangChainMessage, langchain } from '../../dialects/langchain/index.ts'
import { BoundedMap } from '../../stores/bounded-map.ts'
import { TOOL_NAMES } from '../../stores/history-tools.ts'

/** The conversation that made a call, as far as a prepared request tells it. */
export type AskingConversation = Pick<Prepared<unknown>, 'session' | 'own'>

/** Calls that are noted at most: an agent may never run a call that the model made. */
const MOST = 1_000

/**
 * Calls of our tools on their way from the model to the tool: a run without a thread does not tell a tool whose conversation it
 * works on. Two conversations can have calls of one id at once; then neither is guessed.
 */
export class AnsweringCalls {
  readonly #conversations = new BoundedMap<ReadonlyMap<string, AskingConversation>>(MOST)

  /** Notes the calls of our tools in an answer of this conversation. */
  note(answer: LangChainMessage, { session, own }: AskingConversation): void {
    for (const { kind, callId, toolName } of langchain.view(answer).parts) {
      if (kind !== 'tool-call' || callId === undefined || !isOurs(toolName)) continue
      const bySession = new Map(this.#conversations.get(callId))
      this.#conversations.set(callId, bySession.set(session, { session, own }))
    }
  }

  /** The conversation that made this call; undefined where none or more than one may have. */
  conversationOf(callId: string): AskingConversation | undefined {
    const conversations = [...(this.#conversations.get(callId)?.values() ?? [])]
    return conversations.length === 1 ? conversations[0] : undefined
  }
}

function isOurs(toolName: unknown): boolean {
  return Object.values<unknown>(TOOL_NAMES).includes(toolName)
}
