import { derive, deriveList, originOf } from '../../engine/json/derive.ts'
import type { Conversation } from '../../engine/messages/message.ts'
import { isObject, isSameList } from '../json-fields.ts'
import { loweredCap } from '../output-cap.ts'
import { type BedrockBlock, type BedrockMessage, type BedrockRequest, memberOf } from './items.ts'

/** @see Dialect.open */
export function openRequest(request: BedrockRequest): Conversation<BedrockMessage> {
  const { modelId, inferenceConfig, additionalModelRequestFields: fields } = request
  const thinking = isObject(fields) ? fields.thinking : undefined
  const thinkingBudget = isObject(thinking) ? thinking.budget_tokens : undefined
  const outputCap = inferenceConfig?.maxTokens
  const tools: unknown = request.toolConfig?.tools
  return {
    system: systemOf(request),
    items: Array.isArray(request.messages) ? request.messages : [],
    tools: Array.isArray(tools) ? tools : [],
    ...(typeof modelId === 'string' && { model: modelId }),
    ...(typeof outputCap === 'number' && { outputCap }),
    ...(typeof thinkingBudget === 'number' && { thinkingBudget }),
  }
}

function systemOf(request: BedrockRequest): readonly BedrockBlock[] {
  return Array.isArray(request.system) ? request.system : []
}

/** @see Dialect.close */
export function closeRequest(request: BedrockRequest, view: Conversation<BedrockMessage>): BedrockRequest {
  const sameMessages = isSameList(view.items, request.messages ?? [])
  const sameSystem = isSameList(view.system, systemOf(request))
  const config = loweredConfig(request.inferenceConfig, view.outputCap)
  if (sameMessages && sameSystem && config === undefined) return request
  return derive(request, {
    ...(!sameMessages && { messages: derivedList(request.messages, view.items) }),
    ...(!sameSystem && { system: derivedList(request.system, view.system as readonly BedrockBlock[]) }),
    ...(config !== undefined && { inferenceConfig: config }),
  })
}

function derivedList<T>(origin: readonly T[] | undefined, items: readonly T[]): readonly T[] {
  return origin === undefined || originOf(items) !== undefined ? items : deriveList(origin, items)
}

/** The inference settings with the cap of the view, where it is below the one that the request asks for. */
function loweredConfig(config: BedrockRequest['inferenceConfig'], cap: number | undefined) {
  const lowered = loweredCap(config?.maxTokens, cap)
  return config === undefined || lowered === undefined ? undefined : derive(config, { maxTokens: lowered })
}

/** Messages at both ends that are looked at to tell formats apart. */
const SAMPLE = 20

/** How surely this is a Converse request, from 0 (no) to 1. @see Dialect.recognises */
export function recognisesRequest(body: unknown): number {
  if (!isObject(body) || !Array.isArray(body.messages)) return 0
  const sample = [...body.messages.slice(0, SAMPLE), ...body.messages.slice(-SAMPLE)]
  const blocks = sample.flatMap((message) =>
    isObject(message) && Array.isArray(message.content) ? message.content : [],
  )
  const isPlausible = sample.every((message) => isObject(message) && Array.isArray(message.content))
  // Blocks of the other formats with `messages` say what they are in `type`; here the member's name does.
  if (!isPlausible || blocks.some((block) => !isObject(block) || 'type' in block || memberOf(block) === '')) return 0
  if (blocks.length > 0) return 1
  return 'inferenceConfig' in body || 'toolConfig' in body || 'modelId' in body ? 1 : 0
}
