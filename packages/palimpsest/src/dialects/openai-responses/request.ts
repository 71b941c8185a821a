import { derive, deriveList } from '../../engine/json/derive.ts'
import { fieldsOf, isSameList, listOf } from '../json-fields.ts'
import { loweredCap } from '../output-cap.ts'
import type { ResponsesConversation, ResponsesSettings } from './check.ts'
import { isInstruction } from './families.ts'
import { type ResponsesItem, type ResponsesRequest, stringInputItem } from './items.ts'

/** Takes a request apart: `instructions` and the system and developer items that open `input` are its leading system. */
export function openRequest(request: ResponsesRequest): ResponsesConversation {
  const { instructions, tools, model, max_output_tokens: cap } = request
  const input = inputItems(request)
  const start = countLeading(input)
  return {
    system: [...(instructions ? [instructions] : []), ...input.slice(0, start)],
    items: input.slice(start),
    settings: settingsOf(request),
    ...(tools && { tools }),
    ...(typeof model === 'string' && { model }),
    ...(typeof cap === 'number' && { outputCap: cap }),
    ...(hasServerHistory(request) && { historyOnServer: true }),
    ...(hasServerEdits(request) && { serverEdits: true }),
  }
}

/**
 * The request with the items of `view`; the same object when nothing differs. The output cap is lowered where the request
 * has one and the view a smaller one. A view that says `historyOnServer: false` of a request that pointed there is whole:
 * the pointers leave.
 */
export function closeRequest(request: ResponsesRequest, view: ResponsesConversation): ResponsesRequest {
  const cap = loweredCap(request.max_output_tokens, view.outputCap)
  const cleared = view.historyOnServer === false && hasServerHistory(request)
  const changes = {
    ...inputChange(request, view),
    ...(cap !== undefined && { max_output_tokens: cap }),
    ...(cleared && { previous_response_id: undefined, conversation: undefined }),
  }
  return Object.keys(changes).length === 0 ? request : derive<ResponsesRequest>(request, changes)
}

function inputChange(request: ResponsesRequest, view: ResponsesConversation): Partial<ResponsesRequest> {
  const before = inputItems(request)
  const after = [...view.system.filter((entry) => typeof entry === 'object'), ...view.items] as readonly ResponsesItem[]
  if (typeof request.input === 'string') {
    const only = after.length === 1 ? fieldsOf(after[0]) : {}
    const isSame = only.role === 'user' && only.content === request.input
    return isSame ? {} : { input: after }
  }
  return isSameList(after, before)
    ? {}
    : { input: request.input === undefined ? after : deriveList(request.input, after) }
}

function inputItems({ input }: ResponsesRequest): readonly ResponsesItem[] {
  if (typeof input === 'string') return [stringInputItem(input)]
  return Array.isArray(input) ? input : []
}

function countLeading(items: readonly ResponsesItem[]): number {
  const first = items.findIndex((item) => !isInstruction(item))
  return first < 0 ? items.length : first
}

function hasServerHistory({ previous_response_id: previous, conversation }: ResponsesRequest): boolean {
  return (previous ?? conversation ?? undefined) !== undefined
}

/** The provider compacts by itself, or drops what does not fit. */
function hasServerEdits({ context_management: management, truncation }: ResponsesRequest): boolean {
  return listOf(management).length > 0 || truncation === 'auto'
}

function settingsOf(request: ResponsesRequest): ResponsesSettings {
  const { store, stream, prompt_cache_options: caching } = request
  return {
    ...(typeof store === 'boolean' && { store }),
    ...(typeof stream === 'boolean' && { stream }),
    ...(caching !== undefined && { cacheBreakpoints: true }),
  }
}
