import type { Generated } from '../../engine/summary/text-generation.ts'
import { fieldsOf, listOf, property, stringOf } from '../json-fields.ts'
import { carried, generatedFrom, type TextCall } from '../text-call.ts'
import { field } from './fields.ts'
import type { GeminiRequest } from './items.ts'
import { usageOf } from './usage.ts'

/** One text by `generateContent`. The model stands in the URL, unless the caller's body has it too. */
export const geminiTextCall: TextCall<GeminiRequest> = {
  request(prompt, like) {
    const model = prompt.model ?? stringOf(property(like, 'model'))
    return {
      ...(property(like, 'model') !== undefined && { model }),
      ...carried(like as GeminiRequest & Carried, CARRIED),
      systemInstruction: { parts: [{ text: prompt.system }] },
      contents: [{ role: 'user', parts: [{ text: prompt.user }] }],
      generationConfig: { maxOutputTokens: prompt.maxOutputTokens },
    }
  },
  read: readAnswer,
}

/** What the caller lets pass: the defaults are stricter and would refuse to tell what the conversation was about. */
const CARRIED = ['safetySettings', 'safety_settings', 'labels'] as const

type Carried = { readonly [K in (typeof CARRIED)[number]]?: unknown }

/** A response, or all chunks of a stream. */
function readAnswer(response: unknown): Generated {
  const list: readonly unknown[] = Array.isArray(response) ? response : [response]
  const chunks = list.map((chunk) => property(chunk, 'response') ?? chunk)
  const candidates = chunks.map((chunk) => listOf(property(chunk, 'candidates'))[0])
  const parts = candidates.flatMap((candidate) =>
    listOf(property(property(candidate, 'content'), 'parts')).map(fieldsOf),
  )
  const finish = candidates.map((one) => stringOf(field(one, 'finishReason'))).findLast((one) => one !== undefined)
  return generatedFrom({
    texts: parts.map(({ text, thought }) => (typeof text === 'string' && thought !== true ? text : '')),
    finish: FINISH[finish ?? ''] ?? 'other',
    reasoned: parts.some(({ thought }) => thought === true) || chunks.some(hasThoughts),
    called: parts.some((part) => field(part, 'functionCall') !== undefined),
    refused: chunks.some(isBlocked),
    usage: usageOf(response),
  })
}

/** Thoughts are counted, though they are not shown. */
function hasThoughts(chunk: unknown): boolean {
  return Number(field(field(chunk, 'usageMetadata'), 'thoughtsTokenCount')) > 0
}

function isBlocked(chunk: unknown): boolean {
  const feedback = property(chunk, 'promptFeedback') ?? property(chunk, 'prompt_feedback')
  return (property(feedback, 'blockReason') ?? property(feedback, 'block_reason')) !== undefined
}

const FINISH: Readonly<Record<string, Generated['finish']>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  SAFETY: 'refusal',
  RECITATION: 'refusal',
  LANGUAGE: 'refusal',
  BLOCKLIST: 'refusal',
  PROHIBITED_CONTENT: 'refusal',
  SPII: 'refusal',
  MALFORMED_FUNCTION_CALL: 'tool-call',
  UNEXPECTED_TOOL_CALL: 'tool-call',
}
