import type { Prepared } from '../../compactor/compactor.ts'
import { aiSdk } from '../../dialects/ai-sdk/index.ts'
import type { OverflowFacts } from '../../dialects/dialect.ts'
import { fieldsOf } from '../../dialects/json-fields.ts'

/** What is known of a stream at its first content. */
export type OpenedStream =
  /** Not an overflow, as far as can be told before it is shown. */
  | { readonly kind: 'begun'; readonly stream: ReadableStream<unknown> }
  /** An overflow, as the provider reported it. */
  | { readonly kind: 'failed'; readonly failure: unknown }
  /** It ended without content, for want of room. */
  | { readonly kind: 'cut'; readonly facts: OverflowFacts }

/** As much of an attempt as its stream is judged by. */
export type JudgedAttempt = Pick<Prepared<unknown>, 'observe' | 'overflow' | 'done' | 'markOverflow'>

/**
 * Holds a stream until its first content, then hands on part by part, as it is asked for. An overflow after that is handed
 * on in the provider's own form; the conversation is marked, so that its next request is compacted before it is sent.
 */
export async function openStream(
  source: ReadableStream<unknown>,
  attempt: JudgedAttempt,
  onPart: (part: unknown) => void,
): Promise<OpenedStream> {
  const reader = source.getReader()
  const begin = aiSdk.reader()
  const held: unknown[] = []
  const judge = (part: unknown) => {
    onPart(part)
    return factsOf(part, attempt)
  }
  for (;;) {
    const next = await readOrFail(reader)
    if (next.kind === 'failed' && attempt.overflow(next.failure) !== undefined) return next
    // what has ended or failed says so again to whoever reads on
    if (next.kind !== 'part') break
    begin.push(next.part)
    const facts = judge(next.part)
    if (facts !== undefined && !begin.started) return giveUp(reader, next.part, facts)
    if (facts !== undefined) attempt.markOverflow(facts)
    held.push(next.part)
    if (begin.started || begin.failure !== undefined) break
  }
  return { kind: 'begun', stream: passOn(reader, held, { judge, attempt }) }
}

type Read = { readonly kind: 'part'; readonly part: unknown } | { readonly kind: 'end' } | Failed
type Failed = { readonly kind: 'failed'; readonly failure: unknown }

async function readOrFail(reader: ReadableStreamDefaultReader<unknown>): Promise<Read> {
  try {
    const { done, value } = await reader.read()
    return done ? { kind: 'end' } : { kind: 'part', part: value }
  } catch (failure) {
    return { kind: 'failed', failure }
  }
}

/** What this part says of an overflow; usage that it tells is taken. */
function factsOf(part: unknown, attempt: JudgedAttempt): OverflowFacts | undefined {
  const { type, error } = fieldsOf(part)
  if (type === 'error') return attempt.overflow(error)
  if (type !== 'finish') return undefined
  const facts = attempt.observe(part)
  attempt.done()
  return facts
}

function giveUp(
  reader: ReadableStreamDefaultReader<unknown>,
  part: unknown,
  facts: OverflowFacts,
): Extract<OpenedStream, { kind: 'failed' | 'cut' }> {
  // nobody waits for the rest, nor for its end
  reader.cancel().catch(() => {})
  const { type, error } = fieldsOf(part)
  return type === 'error' ? { kind: 'failed', failure: error } : { kind: 'cut', facts }
}

interface Passing {
  readonly judge: (part: unknown) => OverflowFacts | undefined
  readonly attempt: JudgedAttempt
}

/** Parts are read only when they are asked for; cancelling ends the source. */
function passOn(
  reader: ReadableStreamDefaultReader<unknown>,
  held: unknown[],
  { judge, attempt }: Passing,
): ReadableStream<unknown> {
  const mark = (facts: OverflowFacts | undefined) => facts !== undefined && attempt.markOverflow(facts)
  return new ReadableStream<unknown>(
    {
      async pull(controller) {
        if (held.length > 0) return controller.enqueue(held.shift())
        const next = await readOrFail(reader)
        if (next.kind === 'end') return controller.close()
        if (next.kind === 'failed') {
          mark(attempt.overflow(next.failure))
          throw next.failure
        }
        mark(judge(next.part))
        controller.enqueue(next.part)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
