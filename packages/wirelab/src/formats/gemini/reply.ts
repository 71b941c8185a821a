import type { LabUsage, Reply, ReplyContext, ReplyPart, StreamPiece } from '../../format.ts'
import { field } from '../../json-fields.ts'
import { reasoningTokens } from '../../reasoning-tokens.ts'
import { serverSentEvent, streamChunks } from '../../server-sent-events.ts'
import { demandsSignatures, signPart } from './thought-signatures.ts'

/** The whole answer. */
export function geminiReply(reply: Reply, context: ReplyContext): object {
  return responseObject(replyParts(reply, context), { reply, context, last: true })
}

/** A chunk of a streamed answer: a response of its own. */
export interface Chunk {
  readonly data: object
  /** Is some of the answer in it? */
  readonly content: boolean
}

/** The answer in chunks, each with the next piece of text or a whole call. The finish reason comes with the last one. */
export function geminiChunks(reply: Reply, context: ReplyContext): readonly Chunk[] {
  const pieces = replyParts(reply, context).flatMap(splitPart)
  if (pieces.length === 0) return [closingChunk(reply, context)]
  return pieces.map((part, index) => ({
    data: responseObject([part], { reply, context, last: index === pieces.length - 1 }),
    content: true,
  }))
}

/** The same with the finish reason in a chunk of its own, so that a failure can come before it at every point. */
export function geminiOpenChunks(reply: Reply, context: ReplyContext): readonly Chunk[] {
  const pieces = replyParts(reply, context).flatMap(splitPart)
  const open = pieces.map((part) => ({ data: responseObject([part], { reply, context, last: false }), content: true }))
  return [...open, closingChunk(reply, context)]
}

function closingChunk(reply: Reply, context: ReplyContext): Chunk {
  return { data: responseObject([], { reply, context, last: true }), content: false }
}

/** The chunks as server-sent events (`alt=sse`). */
export function geminiEvents(reply: Reply, context: ReplyContext): readonly StreamPiece[] {
  return geminiChunks(reply, context).map(({ data, content }) => serverSentEvent(data, { content }))
}

/** A part of a content as the API writes it. */
type Part = { readonly [key: string]: unknown }

/** The parts of the answer; the first call of a step is signed, or else its last text, where the model signs at all. */
function replyParts(reply: Reply, context: ReplyContext): readonly Part[] {
  const signed = reply.parts.findIndex(({ kind }) => kind === 'tool-call')
  const parts = reply.parts.filter((part) => part.kind !== 'reasoning' || wantsThoughts(context.body) || part.signature)
  const target = signed < 0 ? parts.findLast(({ kind }) => kind === 'text') : reply.parts[signed]
  return parts.map((part) => {
    const plain = plainPart(part)
    const own = part.kind === 'reasoning' ? part.signature : undefined
    const issued = part === target && demandsSignatures(context.model) ? signPart(plain, context.id) : undefined
    const signature = own ?? issued
    return signature === undefined ? plain : { ...plain, thoughtSignature: signature }
  })
}

/** Thoughts are written out only for callers that ask for them. */
function wantsThoughts(body: unknown): boolean {
  return field(field(field(body, 'generationConfig'), 'thinkingConfig'), 'includeThoughts') === true
}

function plainPart(part: ReplyPart): Part {
  switch (part.kind) {
    case 'text':
      return { text: part.text }
    case 'reasoning':
      return { text: part.text, thought: true }
    case 'tool-call':
      return { functionCall: { id: part.id, name: part.name, args: part.input } }
  }
}

/** A text in pieces; its signature comes last, on an empty text of its own. */
function splitPart(part: Part): readonly Part[] {
  if (typeof part.text !== 'string') return [part]
  const { text, thoughtSignature, ...rest } = part
  const chunks = textChunks(text).map((chunk) => ({ text: chunk, ...rest }))
  return thoughtSignature === undefined ? chunks : [...chunks, { text: '', thoughtSignature, ...rest }]
}

/** Two pieces at least, so that no failure behind the first comes behind the finish reason. */
function textChunks(text: string): readonly string[] {
  const chunks = streamChunks(text)
  const [first, ...more] = chunks.length === 1 ? text : []
  return first === undefined || more.length === 0 ? chunks : [first, more.join('')]
}

function responseObject(
  parts: readonly object[],
  { reply, context, last }: { readonly reply: Reply; readonly context: ReplyContext; readonly last: boolean },
): object {
  const content = { role: 'model', ...(parts.length > 0 && { parts }) }
  return {
    candidates: [{ content, ...(last && { finishReason: FINISH[reply.finish ?? 'stop'] }), index: 0 }],
    usageMetadata: usageMetadata(context.usage, { reply, last }),
    modelVersion: context.model,
    responseId: context.id,
  }
}

/** Calls end like everything else; a full window has no word of its own. */
const FINISH: Readonly<Record<NonNullable<Reply['finish']>, string>> = {
  stop: 'STOP',
  'tool-call': 'STOP',
  length: 'MAX_TOKENS',
  refusal: 'SAFETY',
  'context-window': 'MAX_TOKENS',
}

/** Candidates and thoughts are counted apart; the cached part is within the prompt's count. Output is known at the end. */
function usageMetadata(usage: LabUsage, { reply, last }: { readonly reply: Reply; readonly last: boolean }): object {
  const thoughts = reasoningTokens(reply, usage.output)
  return {
    promptTokenCount: usage.input,
    ...(usage.cacheRead > 0 && { cachedContentTokenCount: usage.cacheRead }),
    ...(last && { candidatesTokenCount: usage.output - thoughts }),
    ...(last && thoughts > 0 && { thoughtsTokenCount: thoughts }),
    totalTokenCount: usage.input + (last ? usage.output : 0),
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: usage.input }],
  }
}
