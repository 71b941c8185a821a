import { derive, deriveList, originOf } from '../../engine/json/derive.ts'
import type { Conversation } from '../../engine/messages/message.ts'
import { type BedrockBlock, type BedrockMessage, type BedrockRequest, isRecord, memberOf } from './items.ts'

/** @see Dialect.open */
export function openRequest(request: BedrockRequest): Conversation<BedrockMessage> {
  const { modelId, inferenceConfig, additionalModelRequestFields: fields } = request
  const thinking = isRecord(fields) ? fields.thinking : undefined
  const thinkingBudget = isRecord(thinking) ? thinking.budget_tokens : undefined
  const outputCap = inferenceConfig?.maxTokens
  return {
    system: systemOf(request),
    items: request.messages ?? [],
    tools: request.toolConfig?.tools ?? [],
    ...(typeof modelId === 'string' && { model: modelId }),
    ...(typeof outputCap === 'number' && { outputCap }),
    ...(typeof thinkingBudget === 'number' && { thinkingBudget }),
  }
}

function systemOf(request: BedrockRequest): readonly BedrockBlock[] {
  return request.system ?? []
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

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one === other || (one.length === other.length && one.every((value, index) => value === other[index]))
}

function derivedList<T>(origin: readonly T[] | undefined, items: readonly T[]): readonly T[] {
  return origin === undefined || originOf(items) !== undefined ? items : deriveList(origin, items)
}

/** The inference settings with the cap of the view, where it is below the one that the request asks for. */
function loweredConfig(config: BedrockRequest['inferenceConfig'], cap: number | undefined) {
  const requested = config?.maxTokens
  if (config === undefined || requested === undefined || cap === undefined || cap >= requested) return undefined
  return derive(config, { maxTokens: cap })
}

/** Messages at both ends that are looked at to tell formats apart. */
const SAMPLE = 20

/** How surely this is a Converse request, from 0 (no) to 1. @see Dialect.recognises */
export function recognisesRequest(body: unknown): number {
  if (!isRecord(body) || !Array.isArray(body.messages)) return 0
  const sample = [...body.messages.slice(0, SAMPLE), ...body.messages.slice(-SAMPLE)]
  const blocks = sample.flatMap((message) =>
    isRecord(message) && Array.isArray(message.content) ? message.content : [],
  )
  const isPlausible = sample.every((message) => isRecord(message) && Array.isArray(message.content))
  // Blocks of the other formats with `messages` say what they are in `type`; here the member's name does.
  if (!isPlausible || blocks.some((block) => !isRecord(block) || 'type' in block || memberOf(block) === '')) return 0
  if (blocks.length > 0) return 1
  return 'inferenceConfig' in body || 'toolConfig' in body || 'modelId' in body ? 1 : 0
}
