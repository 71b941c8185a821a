import { derive, deriveList, originOf } from '../../engine/json/derive.ts'
import type { Conversation } from '../../engine/messages/message.ts'
import { type Fields, isObject, isSameList } from '../json-fields.ts'
import { loweredCap } from '../output-cap.ts'
import { type AnthropicBlock, type AnthropicMessage, type AnthropicRequest, kindOf, typeOf } from './items.ts'

/** A Messages request, taken apart, with what only this format knows. */
export interface AnthropicConversation extends Conversation<AnthropicMessage> {
  /** The request asks for automatic caching: one of the four cache marks is taken by it. */
  readonly automaticCache?: true
}

/** @see Dialect.open */
export function openRequest(request: AnthropicRequest): AnthropicConversation {
  const { model, max_tokens: outputCap, thinking, thread } = request
  const thinkingBudget = isObject(thinking) ? thinking.budget_tokens : undefined
  return {
    system: systemOf(request),
    items: request.messages,
    tools: Array.isArray(request.tools) ? request.tools : [],
    ...(typeof model === 'string' && { model }),
    ...(typeof outputCap === 'number' && { outputCap }),
    ...(typeof thinkingBudget === 'number' && { thinkingBudget }),
    ...(continues(thread) && { historyOnServer: true }),
    ...(isObject(request.cache_control) && { automaticCache: true }),
    ...(hasServerEdits(request) && { serverEdits: true }),
  }
}

/** A system prompt that is a string stands as that string: the request gets it back as it was. */
function systemOf(request: AnthropicRequest): readonly (string | AnthropicBlock)[] {
  const { system } = request
  if (typeof system === 'string') return [system]
  return Array.isArray(system) ? system : []
}

function hasServerEdits({ context_management: management }: AnthropicRequest): boolean {
  return isObject(management) && Array.isArray(management.edits) && management.edits.length > 0
}

/** A thread that continues says what came before this request; its messages are only the newest part. */
function continues(thread: unknown): thread is Fields {
  return isObject(thread) && thread.type === 'continue'
}

/**
 * @see Dialect.close
 * A view that is the whole history starts a thread anew: the client goes on from the answer, so a state must be held.
 */
export function closeRequest(request: AnthropicRequest, view: Conversation<AnthropicMessage>): AnthropicRequest {
  const messages = closedList(request.messages, view.items)
  const opened = systemOf(request)
  const sameSystem = isSameList(view.system, opened)
  const cap = loweredCap(request.max_tokens, view.outputCap)
  const { thread } = request
  const changes: Partial<AnthropicRequest> = {
    ...(messages !== request.messages && { messages }),
    ...(!sameSystem && { system: closedSystem(request, view.system) }),
    ...(cap !== undefined && { max_tokens: cap }),
    ...(view.historyOnServer === false &&
      continues(thread) && { thread: derive<Fields>(thread, { type: 'create', previous_message_id: undefined }) }),
  }
  return Object.keys(changes).length === 0 ? request : derive<AnthropicRequest>(request, changes)
}

function closedList<T>(origin: readonly T[], items: readonly T[]): readonly T[] {
  if (isSameList(items, origin)) return origin
  return originOf(items) === undefined ? deriveList(origin, items) : items
}

function closedSystem(request: AnthropicRequest, system: readonly unknown[]): readonly AnthropicBlock[] {
  const blocks = system.map((block) => (typeof block === 'string' ? { type: 'text', text: block } : block))
  return deriveList(Array.isArray(request.system) ? request.system : [], blocks as AnthropicBlock[])
}

/** Messages at both ends that are looked at to tell formats apart. */
const SAMPLE = 20

/** How surely this is a Messages request, from 0 (no) to 1. @see Dialect.recognises */
export function recognisesRequest(body: unknown): number {
  if (!isObject(body) || !Array.isArray(body.messages)) return 0
  const sample = [...body.messages.slice(0, SAMPLE), ...body.messages.slice(-SAMPLE)]
  if (!sample.every(isPlausible)) return 0
  const blocks = sample.flatMap((message) => (Array.isArray(message.content) ? message.content : []))
  if (blocks.some((block) => !isObject(block) || typeof block.type !== 'string' || FOREIGN.has(block.type))) return 0
  const tools = Array.isArray(body.tools) ? body.tools : []
  if (tools.some((tool) => isObject(tool) && isObject(tool.function))) return 0
  const own =
    'system' in body ||
    'anthropic_version' in body ||
    blocks.some(isOwnBlock) ||
    tools.some((tool) => isObject(tool) && ('input_schema' in tool || /_\d{8}$/.test(String(tool.type))))
  if (own) return 1
  // Text alone looks the same in chat formats, which put the system prompt first and serve these models too.
  if (sample[0]?.role === 'system') return 0.1
  if (/claude/i.test(String(body.model))) return 0.7
  return typeof body.max_tokens === 'number' ? 0.4 : 0.1
}

/** Blocks that chat formats have and this one does not. */
const FOREIGN: ReadonlySet<string> = new Set([
  'image_url',
  'input_audio',
  'file',
  'input_text',
  'output_text',
  'refusal',
])

function isPlausible(message: unknown): message is { readonly role: string; readonly content?: unknown } {
  if (!isObject(message) || 'tool_calls' in message || 'tool_call_id' in message) return false
  const { role, content } = message
  if (role !== 'user' && role !== 'assistant' && role !== 'system') return false
  return content === undefined || typeof content === 'string' || Array.isArray(content)
}

function isOwnBlock(block: AnthropicBlock): boolean {
  const { source } = block
  return kindOf(block) !== 'other' || (typeOf(block) === 'image' && isObject(source)) || isObject(block.cache_control)
}
