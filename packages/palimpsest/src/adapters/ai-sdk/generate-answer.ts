import type { Prepared } from '../../compactor/compactor.ts'
import { ContextOverflowError } from '../../compactor/context-overflow-error.ts'
import type { OverflowFacts } from '../../dialects/dialect.ts'
import { fieldsOf, listOf } from '../../dialects/json-fields.ts'
import type { LanguageModel } from './language-model.ts'
import type { ModelCall } from './model-call.ts'

/** An answer in one piece, and the attempt that it answers. */
export interface GeneratedAnswer {
  readonly result: unknown
  readonly prepared: Prepared<ModelCall>
}

/**
 * The model's answer: a refusal as too large is answered with a smaller request, and so is, once, an answer that the window
 * cut short. @throws ContextOverflowError when no request can be made small enough; the provider's own error for all else.
 */
export async function generateAnswer(model: LanguageModel, first: Prepared<ModelCall>): Promise<GeneratedAnswer> {
  const { result, prepared, facts } = await untilAnswered(model, first)
  if (facts === undefined) return { result, prepared }
  const smaller = await nextAfterCut(prepared, facts, result)
  if (smaller === undefined) return { result, prepared }
  const again = await untilAnswered(model, smaller)
  if (again.facts !== undefined) again.prepared.markOverflow(again.facts)
  return again
}

interface JudgedAnswer extends GeneratedAnswer {
  /** Present where the answer says that the input was cut or did not fit. */
  readonly facts: OverflowFacts | undefined
}

async function untilAnswered(model: LanguageModel, first: Prepared<ModelCall>): Promise<JudgedAnswer> {
  let prepared = first
  for (;;) {
    try {
      const result = await model.doGenerate(prepared.request.options)
      const facts = prepared.observe(result)
      prepared.done()
      return { result, prepared, facts }
    } catch (error) {
      prepared = await nextAfter(prepared, error)
    }
  }
}

/** The next attempt after this failure. @throws the failure itself where it is no overflow. */
export async function nextAfter(prepared: Prepared<ModelCall>, failure: unknown): Promise<Prepared<ModelCall>> {
  const next = await prepared.recover(failure)
  if (next === undefined) throw failure
  return next
}

/** The next attempt; undefined where there is none and the answer, though cut, says something. */
async function nextAfterCut(
  prepared: Prepared<ModelCall>,
  facts: OverflowFacts,
  result: unknown,
): Promise<Prepared<ModelCall> | undefined> {
  try {
    return await prepared.recoverFrom(facts)
  } catch (error) {
    if (error instanceof ContextOverflowError && listOf(fieldsOf(result).content).length > 0) return undefined
    throw error
  }
}
