import type { Generated, GeneratePrompt } from '../../engine/summary/text-generation.ts'
import { type Fields, fieldsOf, listOf, stringOr } from '../json-fields.ts'
import { carried, generatedFrom, type TextCall } from '../text-call.ts'
import { type ResponsesRequest, summaryItem } from './items.ts'
import { readUsage } from './usage.ts'

/** One text by the Responses API. It is never stored at the provider, whatever is the default there. */
export const openaiResponsesTextCall: TextCall<ResponsesRequest> = {
  request: (prompt, like) => ({ ...common(prompt, like), max_output_tokens: prompt.maxOutputTokens }),
  read: readAnswer,
}

/** One text by Codex: always streamed, without an output cap. */
export const openaiCodexTextCall: TextCall<ResponsesRequest> = {
  request: (prompt, like) => ({ ...common(prompt, like), stream: true }),
  read: readAnswer,
}

function common(prompt: GeneratePrompt, like: ResponsesRequest): ResponsesRequest {
  const model = prompt.model ?? like.model
  const { prompt_cache_key: own } = like as ResponsesRequest & Carried
  return {
    ...(model !== undefined && { model }),
    ...carried(like as ResponsesRequest & Carried, CARRIED),
    // The session, for callers that name it here.
    ...(typeof own === 'string' && { prompt_cache_key: prompt.session ?? own }),
    instructions: prompt.system,
    input: [summaryItem(prompt.user)],
    store: false,
  }
}

/** Who the user is. */
const CARRIED = ['user', 'safety_identifier'] as const

type Carried = { readonly [K in (typeof CARRIED)[number]]?: unknown } & { readonly prompt_cache_key?: unknown }

/** A response, the event that ends a stream, or all events of one: some servers leave the output out of the last. */
function readAnswer(response: unknown): Generated {
  const events: readonly unknown[] = Array.isArray(response) ? response : [response]
  const last = events.findLast((event) => isResponse(bodyOf(event)))
  const body = bodyOf(last)
  const output = listOf(body.output).map(fieldsOf)
  const items = output.length > 0 ? output : events.flatMap(finishedItem)
  const parts = items.filter(({ type }) => type === 'message').flatMap(({ content }) => listOf(content).map(fieldsOf))
  return generatedFrom({
    texts: parts.map(({ type, text }) => (type === 'output_text' ? stringOr(text, '') : '')),
    finish: finishOf(body),
    reasoned: items.some(({ type }) => type === 'reasoning'),
    called: items.some(({ type }) => stringOr(type, '').endsWith('_call')),
    refused: parts.some(({ type }) => type === 'refusal'),
    usage: readUsage(last),
  })
}

function bodyOf(event: unknown): Fields {
  const fields = fieldsOf(event)
  return 'response' in fields ? fieldsOf(fields.response) : fields
}

function isResponse({ status, output }: Fields): boolean {
  return Array.isArray(output) || (typeof status === 'string' && status !== 'in_progress')
}

function finishedItem(event: unknown): readonly Fields[] {
  const { type, item } = fieldsOf(event)
  return type === 'response.output_item.done' ? [fieldsOf(item)] : []
}

function finishOf({ status, incomplete_details: details }: Fields): Generated['finish'] {
  if (status === 'completed') return 'stop'
  if (status !== 'incomplete') return 'other'
  return fieldsOf(details).reason === 'content_filter' ? 'refusal' : 'length'
}
