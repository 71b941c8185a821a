import { derive, deriveList } from '../../engine/json/derive.ts'
import type { Conversation } from '../../engine/messages/message.ts'
import { isSameList } from '../json-fields.ts'
import { loweredCap } from '../output-cap.ts'
import type { ChatMessage, ChatRequest } from './items.ts'
import { isInstruction } from './slots.ts'

/** The fields of the output cap. */
const CAP_FIELDS = ['max_completion_tokens', 'max_tokens'] as const

/** Takes a request apart: the system and developer messages that open it are its leading system. */
export function openRequest(request: ChatRequest): Conversation<ChatMessage> {
  const { messages, tools, model } = request
  const start = countLeading(messages)
  const caps = CAP_FIELDS.map((name) => request[name]).filter((value) => typeof value === 'number')
  return {
    system: messages.slice(0, start),
    items: messages.slice(start),
    ...(tools && { tools }),
    ...(typeof model === 'string' && { model }),
    // Servers differ in which one counts when both are there: the larger is what they may ask for.
    ...(caps.length > 0 && { outputCap: Math.max(...caps) }),
  }
}

/**
 * The request with the messages of `view`; the same object when nothing differs. Whichever output cap the request has is
 * lowered where the view has a smaller one.
 */
export function closeRequest(request: ChatRequest, view: Conversation<ChatMessage>): ChatRequest {
  const before = request.messages
  const after = [...view.system, ...view.items] as readonly ChatMessage[]
  const changes = {
    ...(!isSameList(after, before) && { messages: deriveList(before, after) }),
    ...loweredCaps(request, view.outputCap),
  }
  return Object.keys(changes).length === 0 ? request : derive<ChatRequest>(request, changes)
}

function loweredCaps(request: ChatRequest, cap: number | undefined): Partial<ChatRequest> {
  const higher = CAP_FIELDS.filter((name) => loweredCap(request[name], cap) !== undefined)
  return Object.fromEntries(higher.map((name) => [name, cap]))
}

function countLeading(messages: readonly ChatMessage[]): number {
  const first = messages.findIndex((message) => !isInstruction(message))
  return first < 0 ? messages.length : first
}
