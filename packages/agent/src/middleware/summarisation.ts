import type { Session } from '@palimpsest/sessions'
import { COMPACTION_FOLLOWS, type Compactor, ContextOverflowError, type OverflowFacts, type Prepared } from 'palimpsest'
import type { ModelCall } from 'palimpsest/ai-sdk'
import { BrokenAnswer, failureOf, partialOf } from '../loop/broken-answer.ts'
import type { AgentMiddleware, CallModel, ModelStep } from '../loop/middleware.ts'
import type { ModelAnswer } from '../loop/model-answer.ts'
import type { NewestRequest } from './newest-request.ts'

/** What keeps a conversation in its window, and where that is written down. */
export interface SummarisationSetup {
  readonly session: Session
  readonly namespace: string
  /** The compactor of the model that is called now. */
  readonly compactor: () => Compactor<ModelCall>
  readonly newest: NewestRequest
}

/** One attempt at an answer, and what it answered. */
interface Attempt {
  readonly prepared: Prepared<ModelCall>
  readonly answer: ModelAnswer
}

/**
 * Keeps every model call inside the window: compacts before it where that is due, and answers an overflow with a smaller
 * request. What is shown of an answer that did not fit is withdrawn.
 */
export function summarisationSlot({ session, namespace, compactor, newest }: SummarisationSetup): AgentMiddleware {
  return {
    name: 'summarisation',
    async wrapModelCall(step, next) {
      const call = modelCallOf(step)
      const first = await compactor().prepare(call, { ...session.forCompactor, signal: step.signal })
      const { prepared, answer } = await answerWithin(step, next, { prepared: first, session })
      newest.note(prepared)
      if (answer.usage !== undefined) {
        const learned = prepared.learned()
        const told = { model: step.model.name, ...(learned !== undefined && { learned }) }
        session.recordUsage({ purpose: 'chat', usage: answer.usage, ...told })
      }
      return answer
    },
    async wrapToolOutput(output) {
      if (output.text === COMPACTION_FOLLOWS) compactor().requestCompaction(session.id, namespace)
      return output
    },
  }
}

/** The call as the compactor takes it: its prompt is the whole conversation. */
export function modelCallOf({ model, options }: Pick<ModelStep, 'model' | 'options'>): ModelCall {
  return { modelId: model.id, options, wholeHistory: true }
}

/** Puts the compaction that makes this view in force, before anything is sent that it made. */
export async function adopt({ record }: Prepared<ModelCall>, session: Session): Promise<void> {
  if (record !== undefined) session.applyCompaction(record)
  await session.commit()
}

interface Attempting {
  readonly prepared: Prepared<ModelCall>
  readonly session: Session
}

async function answerWithin(
  step: ModelStep,
  next: CallModel,
  { prepared: first, session }: Attempting,
): Promise<Attempt> {
  let prepared = first
  let isCut = false
  for (;;) {
    await adopt(prepared, session)
    try {
      const answer = await next({ ...step, options: prepared.request.options })
      const facts = prepared.observe(answer.end)
      prepared.done()
      const smaller = facts === undefined || isCut ? undefined : await afterCut(prepared, facts, answer)
      if (smaller === undefined) return { prepared, answer }
      step.emit({ type: 'rewind', reason: 'overflow' })
      isCut = true
      prepared = smaller
    } catch (error) {
      prepared = await afterFailure(prepared, error, step)
    }
  }
}

/** The next attempt after a failure. @throws the failure where it is no overflow; what was shown goes with it. */
async function afterFailure(prepared: Prepared<ModelCall>, error: unknown, { emit }: ModelStep) {
  const partial = partialOf(error)
  const smaller = await prepared.recover(failureOf(error)).catch((reason) => {
    throw new BrokenAnswer(reason, partial)
  })
  if (smaller === undefined) throw error
  if (partial !== undefined) emit({ type: 'rewind', reason: 'overflow' })
  return smaller
}

/** The next attempt after an answer that the window cut; undefined where there is none, and the answer stands as it is. */
async function afterCut(prepared: Prepared<ModelCall>, facts: OverflowFacts, { message }: ModelAnswer) {
  try {
    return await prepared.recoverFrom(facts)
  } catch (error) {
    if (!(error instanceof ContextOverflowError) || message === undefined) throw error
    prepared.markOverflow(facts)
    return undefined
  }
}
