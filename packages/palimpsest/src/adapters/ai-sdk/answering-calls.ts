import { fieldsOf, listOf } from '../../dialects/json-fields.ts'
import { TOOL_NAMES } from '../../stores/history-tools.ts'

/** Whose conversation a tool works on. */
export interface ConversationScope {
  readonly namespace: string
  readonly session: string
}

/** The conversation that made a call, as it stood then. */
export interface AskingConversation extends ConversationScope {
  /** May its model ask for a compaction, or is it too early for that? */
  readonly mayCompact: boolean
  /** Which entries of its history are its own: see `Prepared`. */
  readonly own?: (position: number) => string | undefined
}

/** Calls that are noted at most: an application may never run a call that the model made. */
const MOST = 1_000

/**
 * Calls of our tools on their way from the model to the tool: the SDK tells a tool the id of its call, not the
 * conversation. Two conversations can have calls of one id at once; then neither is guessed.
 */
export class AnsweringCalls {
  readonly #scopes = new Map<string, readonly AskingConversation[]>()

  /** Notes the calls of our tools among the parts of an answer. */
  note(parts: unknown, scope: AskingConversation): void {
    for (const part of listOf(parts)) {
      const { type, toolCallId, toolName } = fieldsOf(part)
      if (type === 'tool-call' && typeof toolCallId === 'string' && isOurs(toolName)) this.#add(toolCallId, scope)
    }
  }

  /** The conversation that made this call; undefined where none or more than one may have. */
  take(toolCallId: string): AskingConversation | undefined {
    const scopes = this.#scopes.get(toolCallId) ?? []
    this.#scopes.delete(toolCallId)
    return scopes.length === 1 ? scopes[0] : undefined
  }

  #add(toolCallId: string, scope: AskingConversation): void {
    const others = (this.#scopes.get(toolCallId) ?? []).filter((one) => !isSame(one, scope))
    this.#scopes.delete(toolCallId)
    this.#scopes.set(toolCallId, [...others, scope])
    const [oldest] = this.#scopes.keys()
    if (this.#scopes.size > MOST && oldest !== undefined) this.#scopes.delete(oldest)
  }
}

function isOurs(toolName: unknown): boolean {
  return Object.values<unknown>(TOOL_NAMES).includes(toolName)
}

/** Are these one conversation? */
export function isSame(one: ConversationScope, other: ConversationScope | undefined): boolean {
  return one.namespace === other?.namespace && one.session === other.session
}
