import { setTimeout as pause } from 'node:timers/promises'
import type { LanguageModelV3CallOptions } from '@ai-sdk/provider'
import { aiSdk } from 'palimpsest'
import { BrokenStream } from '../models/failure/broken-stream.ts'
import { providerFailure } from '../models/provider-failure.ts'
import { AnswerParts } from './answer-parts.ts'
import { BrokenAnswer } from './broken-answer.ts'
import type { ModelStep } from './middleware.ts'
import type { ModelAnswer } from './model-answer.ts'

/** Attempts at one call, where the provider fails in a way that passes. */
const ATTEMPTS = 6
const FIRST_WAIT = 1_000
const LONGEST_WAIT = 60_000
/** Milliseconds without a part after which a stream counts as broken; models think long without a word. */
const LONGEST_SILENCE = 600_000

/**
 * Calls the model, and calls again where the provider is busy or the line broke; what was shown by then is withdrawn. Overflows
 * are not tried again here: the same request would be refused again.
 * @throws BrokenAnswer with what was shown, and why it ended.
 */
export async function streamModel(step: ModelStep): Promise<ModelAnswer> {
  for (let attempt = 1; ; attempt++) {
    const parts = new AnswerParts(step.emit)
    try {
      return await streamOnce(step, parts)
    } catch (failure) {
      const wait = attempt < ATTEMPTS ? waitBefore(failure, attempt, step) : undefined
      if (wait === undefined) throw new BrokenAnswer(failure, parts.partial())
      if (parts.shown) step.emit({ type: 'rewind', reason: 'provider' })
      step.emit({ type: 'retry', attempt, milliseconds: wait.milliseconds, message: wait.message })
      await pause(wait.milliseconds, undefined, { signal: step.signal }).catch(() => {
        throw new BrokenAnswer(step.signal.reason, undefined)
      })
    }
  }
}

async function streamOnce({ model, options, signal }: ModelStep, parts: AnswerParts): Promise<ModelAnswer> {
  const call = options as unknown as LanguageModelV3CallOptions
  const silence = new Silence(signal)
  try {
    silence.heard()
    const prompt = model.fit(call.prompt)
    const { stream } = await model.language.doStream({ ...call, prompt, abortSignal: silence.signal })
    for await (const part of stream) {
      silence.heard()
      if (part.type === 'error') throw part.error
      parts.push(part)
    }
  } catch (failure) {
    throw silence.signal.aborted ? silence.signal.reason : failure
  } finally {
    silence.end()
  }
  if (!parts.ended) throw new BrokenStream('cut-off')
  return parts.answer()
}

/** Aborted with the caller's signal, or when nothing came for too long. */
class Silence {
  readonly signal: AbortSignal
  readonly #controller = new AbortController()
  #timer: NodeJS.Timeout | undefined

  constructor(caller: AbortSignal) {
    this.signal = AbortSignal.any([caller, this.#controller.signal])
  }

  /** Something came: waits anew. @throws the reason of the signal where that is aborted. */
  heard(): void {
    this.signal.throwIfAborted()
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#controller.abort(new BrokenStream('silent')), LONGEST_SILENCE)
    this.#timer.unref()
  }

  end(): void {
    clearTimeout(this.#timer)
  }
}

/** How long to wait before the next attempt; undefined where another one is of no use. */
function waitBefore(
  failure: unknown,
  attempt: number,
  { model, signal }: ModelStep,
): { readonly milliseconds: number; readonly message: string } | undefined {
  if (signal.aborted || aiSdk.overflow(failure, { size: 0, window: Number.POSITIVE_INFINITY }) !== undefined)
    return undefined
  const { retryable, retryAfter, message } = providerFailure(failure, model)
  if (!retryable) return undefined
  return { milliseconds: Math.min(LONGEST_WAIT, retryAfter ?? FIRST_WAIT * 2 ** (attempt - 1)), message }
}
