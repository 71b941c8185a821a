import type { Reply, ReplyContext, ReplyPart, StreamPiece } from '../../format.ts'
import type { Fields } from '../../json-fields.ts'
import { serverSentEvent, streamChunks } from '../../server-sent-events.ts'
import { issueSignature } from '../../signature.ts'
import { extendPrefix, prefixOf, thinkingHash, thinkingInOpenTurn } from './thinking-binding.ts'

/** The answer as one message. */
export function replyMessage(reply: Reply, context: ReplyContext): object {
  return {
    ...messageHead(context),
    content: replyBlocks(reply, context),
    stop_reason: stopReason(reply),
    stop_sequence: null,
    usage: { ...inputUsage(context), output_tokens: context.usage.output },
  }
}

/** The answer as events. */
export function replyStream(reply: Reply, context: ReplyContext): readonly StreamPiece[] {
  const start = {
    ...messageHead(context),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...inputUsage(context), output_tokens: 1 },
  }
  return [
    event('message_start', { message: start }),
    event('ping', {}),
    ...replyBlocks(reply, context).flatMap(blockEvents),
    event('message_delta', {
      delta: { stop_reason: stopReason(reply), stop_sequence: null },
      usage: { ...inputUsage(context), output_tokens: context.usage.output },
    }),
    event('message_stop', {}),
  ]
}

function messageHead(context: ReplyContext): object {
  return { id: `msg_${context.id}`, type: 'message', role: 'assistant', model: context.model }
}

function blockEvents(block: Fields, index: number): readonly StreamPiece[] {
  const deltas = blockDeltas(block).map((delta) => event('content_block_delta', { index, delta }, true))
  return [
    event('content_block_start', { index, content_block: emptyBlock(block) }),
    ...deltas,
    event('content_block_stop', { index }),
  ]
}

function emptyBlock(block: Fields): object {
  if (block.type === 'text') return { type: 'text', text: '' }
  if (block.type === 'thinking') return { type: 'thinking', thinking: '', signature: '' }
  return { ...block, input: {} }
}

function blockDeltas(block: Fields): readonly object[] {
  if (block.type === 'text') return streamChunks(String(block.text)).map((text) => ({ type: 'text_delta', text }))
  if (block.type === 'thinking') {
    return [
      ...streamChunks(String(block.thinking)).map((thinking) => ({ type: 'thinking_delta', thinking })),
      { type: 'signature_delta', signature: block.signature },
    ]
  }
  const input = JSON.stringify(block.input)
  const chunks = input === '{}' ? [] : streamChunks(input)
  return ['', ...chunks].map((partial_json) => ({ type: 'input_json_delta', partial_json }))
}

/** Blocks of the answer; thinking without a signature gets one that is bound to what the request says before it. */
function replyBlocks(reply: Reply, context: ReplyContext): readonly Fields[] {
  const blocks = reply.parts.map(blockOf)
  const signed = { prefix: prefixOf(context.body), inTurn: thinkingInOpenTurn(context.body), ordinal: 0 }
  return blocks.map((block, at) => {
    const { hash, thinking } = signed.prefix
    signed.prefix = extendPrefix(signed.prefix, 'assistant', block)
    if (block.type !== 'thinking') return block
    const calls = blocks.slice(at).flatMap(({ id }) => (typeof id === 'string' ? [id] : []))
    const place = { answer: context.id, ordinal: signed.ordinal++, inTurn: signed.inTurn++, calls }
    if (block.signature !== '') return block
    const bound = { block: thinkingHash(block), prefix: hash, previous: thinking }
    return { ...block, signature: issueSignature({ ...bound, ...place }) }
  })
}

function blockOf(part: ReplyPart): Fields {
  if (part.kind === 'text') return { type: 'text', text: part.text }
  if (part.kind === 'reasoning') return { type: 'thinking', thinking: part.text, signature: part.signature ?? '' }
  return { type: 'tool_use', id: part.id, name: part.name, input: part.input }
}

function stopReason(reply: Reply): string {
  switch (reply.finish ?? 'none') {
    case 'length':
      return 'max_tokens'
    case 'refusal':
      return 'refusal'
    case 'context-window':
      return 'model_context_window_exceeded'
    case 'tool-call':
      return 'tool_use'
    case 'stop':
      return 'end_turn'
    default:
      return reply.parts.some(({ kind }) => kind === 'tool-call') ? 'tool_use' : 'end_turn'
  }
}

/** `input_tokens` is what no cache served or took in. */
function inputUsage({ usage }: ReplyContext): object {
  return {
    input_tokens: usage.input - usage.cacheRead - usage.cacheWrite,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
  }
}

function event(type: string, fields: object, content = false): StreamPiece {
  return serverSentEvent({ type, ...fields }, { event: type, content })
}
