import type { Conversation } from '../../engine/messages/message.ts'
import { type Fields, fieldsOf, isObject, isSameList, listOf, stringOf } from '../json-fields.ts'
import type { LangChainMessage, LangChainRequest } from './items.ts'
import { speakerOf } from './slots.ts'

/** The mark of every message class of `@langchain/core` from version 1 on; those before have a method that tells the type. */
const MESSAGE_BRAND = Symbol.for('langchain.message')

/** How sure are we that this is a call to a model as LangChain makes it? 0 to 1. */
export function recognisesLangChain(body: unknown): number {
  const { messages } = fieldsOf(body)
  if (!Array.isArray(messages) || messages.length === 0) return 0
  if (messages.every(isMessage)) return 1
  return messages.every((message) => isMessage(message) || isPlain(message)) ? 0.9 : 0
}

/** Plain fields, as messages are written to JSON: the type says who speaks, and there is no role. */
function isPlain(message: unknown): boolean {
  const { type, role } = fieldsOf(message)
  return role === undefined && PLAIN_TYPES.has(type) && 'content' in fieldsOf(message)
}

const PLAIN_TYPES: ReadonlySet<unknown> = new Set(['human', 'ai', 'system', 'developer', 'tool', 'function'])

function isMessage(message: unknown): boolean {
  if (!isObject(message)) return false
  const isBranded = (message as { [MESSAGE_BRAND]?: unknown })[MESSAGE_BRAND] === true
  return isBranded || (typeof message._getType === 'function' && 'content' in message)
}

/** Takes a request apart. `describe` tells what the model is told of a tool. */
export function openRequest(
  request: LangChainRequest,
  describe: (tool: unknown) => unknown,
): Conversation<LangChainMessage> {
  const messages = messagesOf(request)
  const start = countLeading(messages)
  const model = modelName(request.model)
  return {
    system: [...ownSystem(request), ...messages.slice(0, start)],
    items: messages.slice(start),
    ...(Array.isArray(request.tools) && { tools: request.tools.map(describe) }),
    ...(model !== undefined && { model }),
    ...(hasServerEdits(request) && { serverEdits: true }),
    ...(SERVER_STATE.some((name) => settingOf(request, name) != null) && { historyOnServer: true }),
  }
}

/**
 * The request with the messages of `view`; the same object when nothing differs. A view that says `historyOnServer: false`
 * stands for the whole history: then references to one at the provider go. The output cap belongs to the model object and
 * stays.
 */
export function closeRequest(request: LangChainRequest, view: Conversation<LangChainMessage>): LangChainRequest {
  const own = ownSystem(request)
  const before = messagesOf(request)
  const after = [...view.system.slice(own.length), ...view.items] as readonly LangChainMessage[]
  const system = view.system[0]
  const changes = {
    ...(!isSameList(after, before) && { messages: after }),
    ...(own.length > 0 && system !== own[0] && { systemMessage: system as LangChainMessage }),
    ...(view.historyOnServer === false && stateChange(request)),
  }
  return Object.keys(changes).length === 0 ? request : { ...request, ...changes }
}

function messagesOf(request: LangChainRequest): readonly LangChainMessage[] {
  return listOf(fieldsOf(request).messages) as readonly LangChainMessage[]
}

/** What stands before all messages; an empty one is none. */
function ownSystem(request: LangChainRequest): readonly unknown[] {
  const { systemMessage: message, systemPrompt: prompt } = fieldsOf(request)
  if (isObject(message))
    return message.content === '' || (listOf(message.content).length === 0 && Array.isArray(message.content))
      ? []
      : [message]
  return typeof prompt === 'string' && prompt !== '' ? [prompt] : []
}

function countLeading(messages: readonly LangChainMessage[]): number {
  const first = messages.findIndex((message) => speakerOf(message) !== 'system')
  return first < 0 ? messages.length : first
}

/** The name of a model, of what is bound to one, or of a model that is chosen when it is called. */
export function modelName(model: unknown): string | undefined {
  if (typeof model === 'string') return model.slice(model.indexOf(':') + 1)
  const { model: own, modelName: older, bound, _defaultConfig: chosen } = fieldsOf(model)
  const name = stringOf(own) ?? stringOf(older) ?? stringOf(fieldsOf(chosen).model)
  if (name !== undefined) return name
  return isObject(bound) ? modelName(bound) : undefined
}

/** Settings that point at a history that the provider keeps (OpenAI). */
const SERVER_STATE = ['previous_response_id', 'conversation'] as const

function settingOf(request: LangChainRequest, name: string): unknown {
  return fieldsOf(request.modelSettings)[name]
}

function stateChange(request: LangChainRequest): Pick<LangChainRequest, 'modelSettings'> {
  const settings = Object.entries(fieldsOf(request.modelSettings))
  const kept = settings.filter(([name]) => !SERVER_STATE.some((state) => state === name))
  return kept.length === settings.length ? {} : { modelSettings: Object.fromEntries(kept) }
}

/** The provider clears or compacts content by itself, as the model or this call says. */
function hasServerEdits(request: LangChainRequest): boolean {
  const model = fieldsOf(request.model)
  const holders: readonly Fields[] = [fieldsOf(request.modelSettings), model, fieldsOf(model.modelKwargs)]
  return holders.some(({ context_management: own, contextManagement: camel, truncation }) => {
    const edits = [own, camel].flatMap((value) => listOf(fieldsOf(value).edits ?? value))
    return edits.length > 0 || truncation === 'auto'
  })
}
