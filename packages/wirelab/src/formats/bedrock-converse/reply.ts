import type { LabUsage, Reply, ReplyContext, ReplyPart, StreamPiece } from '../../format.ts'
import type { Fields } from '../../json-fields.ts'
import { streamChunks } from '../../server-sent-events.ts'
import { eventFrame } from './frames.ts'
import { extendPrefix, placeBeforeAnswer, signReasoning } from './reasoning-rules.ts'

/** The whole answer. */
export function converseReply(reply: Reply, context: ReplyContext): object {
  return {
    output: { message: { role: 'assistant', content: answerBlocks(reply, context) } },
    stopReason: stopReason(reply),
    usage: tokenUsage(context.usage),
    metrics: METRICS,
  }
}

/** The answer as frames. A text begins with its first piece: only calls are announced. */
export function converseStream(reply: Reply, context: ReplyContext): readonly StreamPiece[] {
  return [
    eventFrame('messageStart', { role: 'assistant' }),
    ...answerBlocks(reply, context).flatMap((block, index) => [
      ...blockFrames(block, index),
      eventFrame('contentBlockStop', { contentBlockIndex: index }),
    ]),
    eventFrame('messageStop', { stopReason: stopReason(reply) }),
    eventFrame('metadata', { usage: tokenUsage(context.usage), metrics: METRICS }),
  ]
}

/** The simulator has no clock of its own. */
const METRICS = { latencyMs: 1 }

type AnswerBlock =
  | { readonly text: string }
  | { readonly toolUse: { readonly toolUseId: string; readonly name: string; readonly input: object } }
  | { readonly reasoningContent: { readonly reasoningText: { readonly text: string; readonly signature: string } } }

function answerBlocks(reply: Reply, context: ReplyContext): readonly AnswerBlock[] {
  let { prefix, inTurn } = placeBeforeAnswer(context.body)
  return reply.parts.map((part, place) => {
    const calls = reply.parts.slice(place).flatMap((one) => (one.kind === 'tool-call' ? [one.id] : []))
    const block = answerBlock(part, (text) => signReasoning(text, { answer: context.id, place, prefix, inTurn, calls }))
    prefix = extendPrefix(prefix, 'assistant', block as Fields)
    if (part.kind === 'reasoning') inTurn += 1
    return block
  })
}

function answerBlock(part: ReplyPart, sign: (text: string) => string): AnswerBlock {
  switch (part.kind) {
    case 'text':
      return { text: part.text }
    case 'reasoning':
      return { reasoningContent: { reasoningText: { text: part.text, signature: part.signature ?? sign(part.text) } } }
    case 'tool-call':
      return { toolUse: { toolUseId: part.id, name: part.name, input: part.input } }
  }
}

function blockFrames(block: AnswerBlock, contentBlockIndex: number): readonly StreamPiece[] {
  const delta = (inner: object) => eventFrame('contentBlockDelta', { contentBlockIndex, delta: inner }, true)
  if ('text' in block) return streamChunks(block.text).map((text) => delta({ text }))
  if ('toolUse' in block) {
    const { toolUseId, name, input } = block.toolUse
    const start = eventFrame('contentBlockStart', { contentBlockIndex, start: { toolUse: { toolUseId, name } } }, true)
    return [start, ...streamChunks(JSON.stringify(input)).map((piece) => delta({ toolUse: { input: piece } }))]
  }
  const { text, signature } = block.reasoningContent.reasoningText
  const pieces = streamChunks(text).map((piece) => delta({ reasoningContent: { text: piece } }))
  return [...pieces, delta({ reasoningContent: { signature } })]
}

const STOP_REASON: Readonly<Record<NonNullable<Reply['finish']>, string>> = {
  stop: 'end_turn',
  'tool-call': 'tool_use',
  length: 'max_tokens',
  refusal: 'content_filtered',
  'context-window': 'model_context_window_exceeded',
}

function stopReason(reply: Reply): string {
  const called = reply.parts.some(({ kind }) => kind === 'tool-call')
  return STOP_REASON[reply.finish ?? (called ? 'tool-call' : 'stop')]
}

/** `inputTokens` leaves out what the cache read or took in; the total has everything. */
function tokenUsage(usage: LabUsage): object {
  return {
    inputTokens: usage.input - usage.cacheRead - usage.cacheWrite,
    outputTokens: usage.output,
    totalTokens: usage.input + usage.output,
    cacheReadInputTokens: usage.cacheRead,
    cacheWriteInputTokens: usage.cacheWrite,
  }
}
