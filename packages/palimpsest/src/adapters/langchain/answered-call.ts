import type { Prepared } from '../../compactor/compactor.ts'
import { ContextOverflowError } from '../../compactor/context-overflow-error.ts'
import { fieldsOf, listOf } from '../../dialects/json-fields.ts'
import type { LangChainRequest } from '../../dialects/langchain/index.ts'

/** What the model said, and the attempt that it answers. */
export interface AnsweredCall<Answer> {
  readonly answer: Answer
  readonly prepared: Prepared<LangChainRequest>
}

type Send<Answer> = (request: LangChainRequest) => Answer | Promise<Answer>

/**
 * The model's answer: a refusal as too large is answered with a smaller request. So is, once, an answer that the window cut
 * short, unless it was streamed: then somebody has seen it, and the next call of the conversation is compacted first.
 * @throws ContextOverflowError when no request can be made small enough; the model's own error for all else.
 */
export async function answeredCall<Answer>(
  first: Prepared<LangChainRequest>,
  send: Send<Answer>,
): Promise<AnsweredCall<Answer>> {
  const call = await untilAnswered(first, send)
  const facts = call.prepared.observe(messageOf(call.answer))
  call.prepared.done()
  if (facts === undefined) return call
  const smaller = wasShown(call.answer) ? undefined : await call.prepared.recoverFrom(facts).catch(exhausted)
  if (smaller === undefined) {
    call.prepared.markOverflow(facts)
    return call
  }
  const again = await untilAnswered(smaller, send)
  const cut = again.prepared.observe(messageOf(again.answer))
  again.prepared.done()
  if (cut !== undefined) again.prepared.markOverflow(cut)
  return again
}

async function untilAnswered<Answer>(
  first: Prepared<LangChainRequest>,
  send: Send<Answer>,
): Promise<AnsweredCall<Answer>> {
  let prepared = first
  for (;;) {
    try {
      return { answer: await send(prepared.request), prepared }
    } catch (failure) {
      const next = isFinal(failure) ? undefined : await prepared.recover(failure)
      if (next === undefined) throw failure
      prepared = next
    }
  }
}

/** What a middleware of ours inside this one gave up on is not tried again. LangChain wraps what middleware throws. */
function isFinal(failure: unknown): boolean {
  for (let layer = failure, depth = 0; layer instanceof Error && depth < 8; layer = layer.cause, depth++) {
    if (layer instanceof ContextOverflowError) return true
  }
  return false
}

/** There is an answer, though it is cut: better than none. */
function exhausted(error: unknown): undefined {
  if (!(error instanceof ContextOverflowError)) throw error
}

/** The AI message of an answer; structured output stands beside its message. */
function messageOf(answer: unknown): unknown {
  return listOf(fieldsOf(answer).messages)[0] ?? answer
}

/** A message that was streamed is put together of chunks, and stays one. */
function wasShown(answer: unknown): boolean {
  return 'tool_call_chunks' in fieldsOf(messageOf(answer))
}
