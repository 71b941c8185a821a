import { derive, deriveList } from '../../engine/json/derive.ts'
import type { Conversation } from '../../engine/messages/message.ts'
import { isObject, isSameList, listOf, numberOf, property, stringOf } from '../json-fields.ts'
import { loweredCap } from '../output-cap.ts'
import { optionsByProvider } from './fields.ts'
import type { AiSdkCallOptions, AiSdkMessage, AiSdkRequest } from './items.ts'
import { typeOf } from './part-data.ts'

/** How sure are we that these are call options, or a prompt alone? 0 to 1. */
export function recognisesAiSdk(body: unknown): number {
  const prompt = Array.isArray(body) ? body : property(body, 'prompt')
  if (!Array.isArray(prompt) || !prompt.every(isMessage)) return 0
  if (prompt.some(hasOwnPart)) return 1
  // Texts alone look the same in other formats; under `prompt` no other format has a list of messages.
  return Array.isArray(body) ? (prompt.length > 0 ? 0.2 : 0) : 0.8
}

function isMessage(message: unknown): boolean {
  const role = stringOf(property(message, 'role'))
  const content = property(message, 'content')
  if (role === 'system') return typeof content === 'string'
  if (role !== 'user' && role !== 'assistant' && role !== 'tool') return false
  return typeof content === 'string' || (Array.isArray(content) && content.every((part) => typeOf(part) !== ''))
}

/** Parts whose type and fields no other format has. */
function hasOwnPart(message: unknown): boolean {
  const content = property(message, 'content')
  if (!Array.isArray(content)) return false
  return content.some((part) => property(part, 'toolCallId') !== undefined || typeOf(part).startsWith('tool-'))
}

/** The request taken apart. A prompt alone tells neither tools nor a cap. */
export function openRequest(request: AiSdkRequest): Conversation<AiSdkMessage> {
  const prompt = promptOf(request)
  const firstItem = prompt.findIndex((message) => property(message, 'role') !== 'system')
  const start = firstItem < 0 ? prompt.length : firstItem
  const parts = { system: prompt.slice(0, start), items: prompt.slice(start) }
  if (isPrompt(request)) return parts
  const cap = capOf(request)
  const thinking = thinkingOf(request)
  return {
    ...parts,
    tools: Array.isArray(request.tools) ? request.tools : [],
    ...(cap !== undefined && { outputCap: cap }),
    ...(thinking !== undefined && { thinkingBudget: thinking.budget }),
    ...(hasServerEdits(request) && { serverEdits: true }),
    ...(SERVER_STATE.some((name) => stateOf(request, name).length > 0) && { historyOnServer: true }),
  }
}

/**
 * The request with the messages and the output cap of the view; the same object when nothing changed. A view that says
 * `historyOnServer: false` stands for the whole history: then references to a history at the provider go, in one step.
 */
export function closeRequest(request: AiSdkRequest, view: Conversation<AiSdkMessage>): AiSdkRequest {
  const before = promptOf(request)
  const messages = [...view.system, ...view.items] as readonly AiSdkMessage[]
  const same = isSameList(before, messages)
  const prompt = same ? before : deriveList(before, messages)
  if (isPrompt(request)) return prompt
  const changes = {
    ...(!same && { prompt }),
    ...capChange(request, view.outputCap),
    ...(view.historyOnServer === false && stateChange(request)),
  }
  return Object.keys(changes).length === 0 ? request : derive(request, changes)
}

function isPrompt(request: AiSdkRequest): request is readonly AiSdkMessage[] {
  return Array.isArray(request)
}

function promptOf(request: AiSdkRequest): readonly AiSdkMessage[] {
  const prompt: unknown = isPrompt(request) ? request : property(request, 'prompt')
  return Array.isArray(prompt) ? (prompt as readonly AiSdkMessage[]) : []
}

/** A thinking budget, and whether the provider adds it to the cap (then the model may write both). */
interface Thinking {
  readonly budget: number
  readonly added: boolean
}

function thinkingOf(request: AiSdkCallOptions): Thinking | undefined {
  const options = property(request, 'providerOptions')
  const anthropic = numberOf(property(property(property(options, 'anthropic'), 'thinking'), 'budgetTokens'))
  const bedrock = numberOf(property(property(property(options, 'bedrock'), 'reasoningConfig'), 'budgetTokens'))
  const added = anthropic ?? bedrock
  if (added !== undefined && added > 0) return { budget: added, added: true }
  const google = ['google', 'vertex'].map((name) => property(property(options, name), 'thinkingConfig'))
  const budget = google.map((config) => numberOf(property(config, 'thinkingBudget'))).find((found) => (found ?? 0) > 0)
  return budget === undefined ? undefined : { budget, added: false }
}

/** Output tokens that the model may write in all. Anthropic's and Bedrock's providers put the thinking on top. */
function capOf(request: AiSdkCallOptions): number | undefined {
  const own = numberOf(request.maxOutputTokens)
  const thinking = thinkingOf(request)
  return own !== undefined && thinking?.added ? own + thinking.budget : own
}

function capChange(request: AiSdkCallOptions, cap: number | undefined): { readonly maxOutputTokens?: number } {
  const lowered = loweredCap(capOf(request), cap)
  if (lowered === undefined) return {}
  const thinking = thinkingOf(request)
  return { maxOutputTokens: thinking?.added ? Math.max(1, lowered - thinking.budget) : lowered }
}

/** The provider clears, compacts or drops content by itself (Anthropic, OpenAI, Azure). */
function hasServerEdits(request: AiSdkCallOptions): boolean {
  return optionsByProvider(request).some((own) => {
    const edits = property(property(own, 'contextManagement'), 'edits') ?? property(own, 'contextManagement')
    return listOf(edits).length > 0 || property(own, 'truncation') === 'auto'
  })
}

/** Options that point at a history that the provider keeps (OpenAI, Azure). */
const SERVER_STATE = ['previousResponseId', 'conversation'] as const

/** The providers whose options hold this reference. */
function stateOf(request: AiSdkCallOptions, name: (typeof SERVER_STATE)[number]): readonly string[] {
  const options = Object.entries(request.providerOptions ?? {})
  return options.flatMap(([provider, own]) => (typeof property(own, name) === 'string' ? [provider] : []))
}

function stateChange(request: AiSdkCallOptions): Pick<AiSdkCallOptions, 'providerOptions'> {
  const before = request.providerOptions ?? {}
  let options = before
  for (const name of SERVER_STATE) {
    for (const provider of stateOf(request, name)) {
      const own = options[provider]
      if (isObject(own)) options = derive(options, { [provider]: derive(own, { [name]: undefined }) })
    }
  }
  return options === before ? {} : { providerOptions: options }
}
