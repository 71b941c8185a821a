import type { Generated } from '../../engine/summary/text-generation.ts'
import { fieldsOf, listOf, stringOf, stringOr } from '../json-fields.ts'
import { carried, generatedFrom, type TextCall } from '../text-call.ts'
import { type AnthropicBlock, type AnthropicRequest, createdSummary, isThinking, kindOf, typeOf } from './items.ts'
import { usageOf } from './usage.ts'

/** One text by the Messages API. */
export const anthropicTextCall: TextCall<AnthropicRequest> = {
  request(prompt, like) {
    const model = prompt.model ?? like.model
    return {
      ...(model !== undefined && { model }),
      ...carried(like as AnthropicRequest & Carried, CARRIED),
      max_tokens: prompt.maxOutputTokens,
      system: prompt.system,
      messages: [createdSummary(prompt.user)],
    }
  },
  read: readAnswer,
}

/** What a hosted service needs in the body, who the user is, and where inference may run. */
const CARRIED = ['anthropic_version', 'metadata', 'inference_geo'] as const

type Carried = { readonly [K in (typeof CARRIED)[number]]?: unknown }

function readAnswer(response: unknown): Generated {
  const { content, stop_reason: stop } = fieldsOf(response)
  const blocks = listOf(content).map((block) => fieldsOf(block) as unknown as AnthropicBlock)
  return generatedFrom({
    texts: blocks.flatMap((block) => (typeOf(block) === 'text' ? [stringOr(block.text, '')] : [])),
    finish: FINISH[stringOf(stop) ?? ''] ?? 'other',
    reasoned: blocks.some(isThinking),
    called: blocks.some((block) => kindOf(block) === 'client-call'),
    refused: false,
    usage: usageOf(response),
  })
}

const FINISH: Readonly<Record<string, Generated['finish']>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'refusal',
  tool_use: 'tool-call',
}
