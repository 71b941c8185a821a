import type { Generated } from '../../engine/summary/text-generation.ts'
import { fieldsOf, stringOf, stringOr } from '../json-fields.ts'
import { generatedFrom } from '../text-call.ts'
import type { LangChainMessage } from './items.ts'
import { usageOf } from './usage.ts'
import { viewMessage } from './view.ts'

/** The one text that a model was asked for, in the AI message of its answer. Never throws. */
export function readTextAnswer(answer: unknown): Generated {
  const message = answer as LangChainMessage
  const { additional_kwargs: extra, response_metadata: metadata } = fieldsOf(answer)
  const { parts } = viewMessage(message)
  return generatedFrom({
    texts: parts.flatMap((part) => (part.kind === 'text' ? [part.text()] : [])),
    finish: finishOf(fieldsOf(metadata)),
    reasoned: parts.some((part) => part.kind === 'reasoning'),
    called: parts.some((part) => part.kind === 'tool-call'),
    refused: stringOr(fieldsOf(extra).refusal, '') !== '',
    usage: usageOf(answer),
  })
}

/** Each integration keeps the reason of its provider under the provider's name for it. */
function finishOf(metadata: Readonly<Record<string, unknown>>): Generated['finish'] {
  const {
    stop_reason: stop,
    finish_reason: finish,
    finishReason,
    stopReason,
    status,
    incomplete_details: cut,
  } = metadata
  const reason = [stop, finish, finishReason, stopReason, fieldsOf(cut).reason, status].map(stringOf).find(Boolean)
  return FINISH[(reason ?? '').toLowerCase()] ?? 'other'
}

const FINISH: Readonly<Record<string, Generated['finish']>> = {
  stop: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  completed: 'stop',
  eos: 'stop',
  length: 'length',
  max_tokens: 'length',
  max_output_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'refusal',
  content_filter: 'refusal',
  content_filtered: 'refusal',
  safety: 'refusal',
  tool_use: 'tool-call',
  tool_calls: 'tool-call',
}
