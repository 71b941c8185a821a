import type { Reply, ReplyContext, ReplyPart, StreamPiece } from '../../format.ts'
import { field } from '../../json-fields.ts'
import { serverSentEvent, streamChunks } from '../../server-sent-events.ts'

/** A moment in time for `created`: the same in every run. */
const CREATED = 1_767_225_600

/** The answer as one completion. */
export function replyCompletion(reply: Reply, context: ReplyContext): object {
  const choice = { index: 0, message: messageOf(reply), logprobs: null, finish_reason: finishReason(reply) }
  return { ...head('chat.completion', context), choices: [choice], usage: usageOf(reply, context) }
}

/** The answer as chunks. Usage comes in one of its own, where the request asks for it. */
export function replyChunks(reply: Reply, context: ReplyContext): readonly StreamPiece[] {
  const withUsage = field(field(context.body, 'stream_options'), 'include_usage') === true
  const chunk = (delta: object, options: { finish?: string; content?: boolean } = {}) =>
    serverSentEvent(
      {
        ...head('chat.completion.chunk', context),
        choices: [{ index: 0, delta, logprobs: null, finish_reason: options.finish ?? null }],
        ...(withUsage && { usage: null }),
      },
      { content: options.content ?? false },
    )
  const usage = { ...head('chat.completion.chunk', context), choices: [], usage: usageOf(reply, context) }
  return [
    chunk({ role: 'assistant', content: '', refusal: null }),
    ...deltasOf(reply).map((delta) => chunk(delta, { content: true })),
    chunk({}, { finish: finishReason(reply) }),
    ...(withUsage ? [serverSentEvent(usage)] : []),
    serverSentEvent('[DONE]'),
  ]
}

function head(object: string, context: ReplyContext): object {
  return { id: `chatcmpl-${context.id}`, object, created: CREATED, model: context.model }
}

function messageOf(reply: Reply): object {
  const text = textOf(reply, 'text')
  const thought = textOf(reply, 'reasoning')
  const calls = callsOf(reply)
  const isRefusal = reply.finish === 'refusal'
  return {
    role: 'assistant',
    // Without calls an answer always has a text, if an empty one.
    content: isRefusal ? null : (text ?? (calls.length > 0 ? null : '')),
    refusal: isRefusal ? (text ?? '') : null,
    ...(thought !== undefined && { reasoning_content: thought }),
    ...(calls.length > 0 && { tool_calls: calls.map(callObject) }),
  }
}

function deltasOf(reply: Reply): readonly object[] {
  let call = 0
  return reply.parts.flatMap((part): readonly object[] => {
    if (part.kind === 'reasoning') return streamChunks(part.text).map((reasoning_content) => ({ reasoning_content }))
    if (part.kind === 'tool-call') return callDeltas(part, call++)
    const key = reply.finish === 'refusal' ? 'refusal' : 'content'
    return streamChunks(part.text).map((text) => ({ [key]: text }))
  })
}

/** The first delta of a call names it; its arguments follow in pieces. */
function callDeltas(part: ToolCall, index: number): readonly object[] {
  const { id, type, function: named } = callObject(part)
  const opening = { index, id, type, function: { name: named.name, arguments: '' } }
  const pieces = streamChunks(named.arguments).map((text) => ({ index, function: { arguments: text } }))
  return [opening, ...pieces].map((one) => ({ tool_calls: [one] }))
}

type ToolCall = Extract<ReplyPart, { kind: 'tool-call' }>

function callObject({ id, name, input }: ToolCall) {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(input) } } as const
}

function callsOf({ parts }: Reply): readonly ToolCall[] {
  return parts.filter((part) => part.kind === 'tool-call')
}

function textOf({ parts }: Reply, kind: 'text' | 'reasoning'): string | undefined {
  const texts = parts.flatMap((part) => (part.kind === kind ? [part.text] : []))
  return texts.length === 0 ? undefined : texts.join('')
}

function finishReason(reply: Reply): string {
  const finish = reply.finish ?? (callsOf(reply).length > 0 ? 'tool-call' : 'stop')
  const reasons = {
    stop: 'stop',
    'tool-call': 'tool_calls',
    length: 'length',
    // A refusal is a field of the message; the answer itself came to its end.
    refusal: 'stop',
    'context-window': 'model_context_window_exceeded',
  }
  return reasons[finish]
}

function usageOf(reply: Reply, { usage }: ReplyContext): object {
  const onlyThought = reply.parts.every(({ kind }) => kind === 'reasoning')
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: onlyThought ? usage.output : 0, audio_tokens: 0 },
  }
}
