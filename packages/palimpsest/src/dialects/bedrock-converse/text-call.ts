import type { Generated } from '../../engine/summary/text-generation.ts'
import { fieldsOf, listOf, stringOf, stringOr } from '../json-fields.ts'
import { carried, generatedFrom, type TextCall } from '../text-call.ts'
import { type BedrockRequest, createdSummary, createdText } from './items.ts'
import { usageOf } from './usage.ts'

/** One text by Converse. The model stands in the URL, unless the caller's request has it too, as that of the SDK. */
export const bedrockTextCall: TextCall<BedrockRequest> = {
  request(prompt, like) {
    return {
      ...(like.modelId !== undefined && { modelId: prompt.model ?? like.modelId }),
      ...carried(like as BedrockRequest & Carried, CARRIED),
      system: [createdText(prompt.system)],
      messages: [createdSummary(prompt.user)],
      inferenceConfig: { maxTokens: prompt.maxOutputTokens },
    }
  },
  read: readAnswer,
}

/** Guardrails are a duty of the account, and calls without them may be denied; metadata says whose call this is. */
const CARRIED = ['guardrailConfig', 'requestMetadata'] as const

type Carried = { readonly [K in (typeof CARRIED)[number]]?: unknown }

function readAnswer(response: unknown): Generated {
  const { output, stopReason } = fieldsOf(response)
  const blocks = listOf(fieldsOf(fieldsOf(output).message).content).map(fieldsOf)
  return generatedFrom({
    texts: blocks.map(({ text }) => stringOr(text, '')),
    finish: FINISH[stringOf(stopReason) ?? ''] ?? 'other',
    reasoned: blocks.some((block) => 'reasoningContent' in block),
    called: blocks.some((block) => 'toolUse' in block),
    refused: false,
    usage: usageOf(response),
  })
}

const FINISH: Readonly<Record<string, Generated['finish']>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  guardrail_intervened: 'refusal',
  content_filtered: 'refusal',
  tool_use: 'tool-call',
}
