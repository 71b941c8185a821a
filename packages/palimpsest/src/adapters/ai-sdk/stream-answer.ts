import type { Prepared } from '../../compactor/compactor.ts'
import { nextAfter } from './generate-answer.ts'
import type { LanguageModel, StreamedAnswer } from './language-model.ts'
import type { ModelCall } from './model-call.ts'
import { openStream } from './open-stream.ts'

/** Sees each part of an answer as it passes. */
export type PartObserver = (part: unknown, prepared: Prepared<ModelCall>) => void

/**
 * The model's answer as a stream that has begun: an overflow before its first content is answered with a smaller request and
 * never seen. @throws ContextOverflowError when no request can be made small enough; the provider's own error for all else.
 */
export async function streamAnswer(
  model: LanguageModel,
  first: Prepared<ModelCall>,
  onPart: PartObserver,
): Promise<StreamedAnswer> {
  let prepared = first
  for (;;) {
    const attempt = await attemptStream(model, prepared, onPart)
    if (attempt.kind === 'begun') return attempt.answer
    prepared = attempt.next
  }
}

type Attempt =
  | { readonly kind: 'begun'; readonly answer: StreamedAnswer }
  | { readonly kind: 'refused'; readonly next: Prepared<ModelCall> }

async function attemptStream(
  model: LanguageModel,
  prepared: Prepared<ModelCall>,
  onPart: PartObserver,
): Promise<Attempt> {
  let answer: StreamedAnswer
  try {
    answer = await model.doStream(prepared.request.options)
  } catch (error) {
    return { kind: 'refused', next: await nextAfter(prepared, error) }
  }
  const opened = await openStream(answer.stream, prepared, (part) => onPart(part, prepared))
  switch (opened.kind) {
    case 'begun':
      return { kind: 'begun', answer: { ...answer, stream: opened.stream } }
    case 'failed':
      return { kind: 'refused', next: await nextAfter(prepared, opened.failure) }
    case 'cut':
      return { kind: 'refused', next: await prepared.recoverFrom(opened.facts) }
  }
}
