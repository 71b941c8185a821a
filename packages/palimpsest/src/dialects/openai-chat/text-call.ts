import type { Generated, GeneratePrompt } from '../../engine/summary/text-generation.ts'
import { fieldsOf, listOf, stringOf, stringOr } from '../json-fields.ts'
import { carried, generatedFrom, type TextCall } from '../text-call.ts'
import { type ChatRequest, summaryMessage } from './items.ts'
import { readUsage } from './usage.ts'

/** One text by Chat Completions. */
export const openaiChatTextCall: TextCall<ChatRequest> = {
  request(prompt, like) {
    const model = prompt.model ?? like.model
    return {
      ...(model !== undefined && { model }),
      ...carried(like as ChatRequest & Carried, CARRIED),
      ...cacheKey(like as ChatRequest & Carried, prompt),
      [capField(prompt, like)]: prompt.maxOutputTokens,
      messages: [{ role: 'system', content: prompt.system }, summaryMessage(prompt.user)],
    }
  },
  read: readAnswer,
}

/** Who the user is, whether the answer may be stored, and (OpenRouter) which providers may see the data. */
const CARRIED = ['user', 'safety_identifier', 'store', 'provider'] as const

type Carried = { readonly [K in (typeof CARRIED)[number]]?: unknown } & { readonly prompt_cache_key?: unknown }

/** The session, for callers that name it here: other servers of this format do not all take the field. */
function cacheKey({ prompt_cache_key: own }: Carried, { session }: GeneratePrompt) {
  return typeof own === 'string' ? { prompt_cache_key: session ?? own } : {}
}

/**
 * The name of the output cap. What the caller uses for this model works. Else the model decides: OpenAI's reasoning models
 * refuse `max_tokens`, and most other servers know nothing else, so that a cap under the newer name would be none.
 */
function capField({ model }: GeneratePrompt, like: ChatRequest): 'max_tokens' | 'max_completion_tokens' {
  if (model === undefined || model === like.model) {
    if (typeof like.max_completion_tokens === 'number') return 'max_completion_tokens'
    if (typeof like.max_tokens === 'number') return 'max_tokens'
  }
  return REASONING_MODELS.test(model ?? like.model ?? '') ? 'max_completion_tokens' : 'max_tokens'
}

const REASONING_MODELS = /^(?:openai\/)?(?:o\d|gpt-(?:[5-9]|\d{2}))/i

function readAnswer(response: unknown): Generated {
  const choice = fieldsOf(listOf(fieldsOf(response).choices)[0])
  const message = fieldsOf(choice.message)
  return generatedFrom({
    texts: textsOf(message.content),
    finish: FINISH[stringOf(choice.finish_reason) ?? ''] ?? 'other',
    // Servers differ in where they put reasoning.
    reasoned: [message.reasoning_content, message.reasoning].some((text) => typeof text === 'string' && text !== ''),
    called: listOf(message.tool_calls).length > 0 || Object.keys(fieldsOf(message.function_call)).length > 0,
    refused: stringOr(message.refusal, '') !== '',
    usage: readUsage(response),
  })
}

function textsOf(content: unknown): readonly string[] {
  if (typeof content === 'string') return [content]
  return listOf(content).map((part) => (fieldsOf(part).type === 'text' ? stringOr(fieldsOf(part).text, '') : ''))
}

const FINISH: Readonly<Record<string, Generated['finish']>> = {
  stop: 'stop',
  eos: 'stop',
  length: 'length',
  model_context_window_exceeded: 'length',
  content_filter: 'refusal',
  tool_calls: 'tool-call',
  function_call: 'tool-call',
}
