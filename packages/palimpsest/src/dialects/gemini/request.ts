import { derive, deriveList } from '../../engine/json/derive.ts'
import type { Conversation } from '../../engine/messages/message.ts'
import { isObject, isSameList, numberOf, property, stringOf } from '../json-fields.ts'
import { loweredCap } from '../output-cap.ts'
import { field, spelling } from './fields.ts'
import type { GeminiContent, GeminiRequest } from './items.ts'

/** How sure are we that this is a `generateContent` body? 0 to 1. */
export function recognisesGemini(body: unknown): number {
  const contents = property(body, 'contents')
  if (!Array.isArray(contents)) return 0
  if (contents.length === 0) return 0.3
  return contents.every((content) => Array.isArray(property(content, 'parts'))) ? 1 : 0.2
}

/** The request taken apart. A `cachedContent` at the provider is part of no count: its size is unknown here. */
export function openRequest(request: GeminiRequest): Conversation<GeminiContent> {
  const system = field(request, 'systemInstruction')
  const tools = property(request, 'tools')
  const model = stringOf(property(request, 'model'))
  const outputCap = capOf(request)
  const thinkingBudget = numberOf(field(field(generationConfig(request), 'thinkingConfig'), 'thinkingBudget'))
  return {
    system: system === undefined ? [] : [system],
    items: contentsOf(request),
    // Tools may stand in the cached content: then what the request names is not all there is.
    ...(Array.isArray(tools) ? { tools } : property(request, 'cachedContent') === undefined && { tools: [] }),
    ...(model !== undefined && { model }),
    ...(outputCap !== undefined && { outputCap }),
    // 0 is off, -1 leaves it to the model.
    ...(thinkingBudget !== undefined && thinkingBudget > 0 && { thinkingBudget }),
  }
}

/** The request with the contents and the output cap of the view; the same object when neither changed. */
export function closeRequest(request: GeminiRequest, view: Conversation<GeminiContent>): GeminiRequest {
  const contents = contentsOf(request)
  const sameContents = isSameList(contents, view.items)
  const cap = loweredCap(capOf(request), view.outputCap)
  if (sameContents && cap === undefined) return request
  return derive<object>(request, {
    ...(!sameContents && { contents: deriveList(contents, view.items) }),
    ...(cap !== undefined && { [spelling(request, 'generationConfig')]: withCap(generationConfig(request), cap) }),
  }) as GeminiRequest
}

function contentsOf(request: GeminiRequest): readonly GeminiContent[] {
  const contents: unknown = property(request, 'contents')
  return Array.isArray(contents) ? (contents as readonly GeminiContent[]) : []
}

function generationConfig(request: GeminiRequest): unknown {
  return field(request, 'generationConfig')
}

function capOf(request: GeminiRequest): number | undefined {
  return numberOf(field(generationConfig(request), 'maxOutputTokens'))
}

function withCap(config: unknown, cap: number): object {
  const origin: object = isObject(config) ? config : {}
  return derive<object>(origin, { [spelling(config, 'maxOutputTokens')]: cap })
}
