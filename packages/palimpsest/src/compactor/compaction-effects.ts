import { utf8Bytes } from '../engine/json/json-bytes.ts'
import type { Effect, EffectResult } from '../engine/ladder/compaction-task.ts'
import type { Transcript } from '../engine/messages/transcript.ts'
import type { StoreRequest, SummaryRequest } from '../engine/plan/draft.ts'
import type { Plan } from '../engine/plan/plan.ts'
import type { ArtifactStore } from '../stores/ports.ts'
import type { Summarizer, SummaryInput, SummaryOutcome, SummaryUsage } from '../summarizers/summarizer.ts'
import type { EventDraft } from './event-source.ts'
import { type GrowingSlices, summaryInput } from './summary-input.ts'

export interface EffectSettings {
  readonly summarizer: Summarizer
  /** Writes where the summariser does not; undefined: the compaction fails. */
  readonly fallback: Summarizer | undefined
  readonly artifacts: ArtifactStore
  readonly namespace: string
  readonly session: string
  readonly model: string | undefined
  readonly mode: SummaryInput['mode']
  readonly slices: GrowingSlices
  /** Measured tokens per estimated one. */
  readonly scale: number
  /** A size that the provider refused without saying what would fit. */
  readonly refused: number | undefined
  /** The plan in force. */
  readonly current: Plan
  readonly signal: AbortSignal
  readonly emit: (event: EventDraft) => void
  readonly now: () => number
}

/**
 * Performs what the ladder asks for and keeps the answers: the same request is answered once, also when the ladder runs
 * again. A failed effect is an answer too; only an abort ends the run.
 */
export class CompactionEffects<Item extends object> {
  readonly #transcript: Transcript<Item>
  readonly #settings: EffectSettings
  readonly #answers = new Map<string, Promise<EffectResult>>()
  #usage: SummaryUsage = { input: 0, output: 0 }

  constructor(transcript: Transcript<Item>, settings: EffectSettings) {
    this.#transcript = transcript
    this.#settings = settings
  }

  /** Tokens that summaries cost, rejected ones included. */
  get usage(): SummaryUsage {
    return this.#usage
  }

  answer(effect: Effect): Promise<EffectResult> {
    const key = JSON.stringify(effect)
    const known = this.#answers.get(key)
    if (known !== undefined) return known
    const fresh = effect.kind === 'summarize' ? this.#summarize(effect.request) : this.#store(effect.request)
    this.#answers.set(key, fresh)
    return fresh
  }

  async #summarize(request: SummaryRequest): Promise<EffectResult> {
    const { summarizer, emit, now, signal } = this.#settings
    const start = now()
    const input = this.#input(request)
    const outcome = await this.#written(summarizer(input, { signal }), input)
    this.#usage = {
      input: this.#usage.input + outcome.usage.input,
      output: this.#usage.output + outcome.usage.output,
    }
    for (const rejected of outcome.rejected) emit({ type: 'summary-rejected', rejected })
    emit({
      type: 'summarizer-called',
      by: outcome.status === 'written' ? outcome.by : 'none',
      ...(outcome.asked !== undefined && { asked: outcome.asked }),
      usage: outcome.usage,
      milliseconds: now() - start,
      rejections: outcome.rejected.map(({ reason }) => reason),
    })
    return outcome.status === 'written' ? outcome.text : undefined
  }

  /** What a summariser may not do, it may still do: one that fails is as one that wrote nothing. */
  async #written(writing: Promise<SummaryOutcome>, input: SummaryInput): Promise<SummaryOutcome> {
    const { signal, fallback } = this.#settings
    const outcome = await writing.catch((): SummaryOutcome => failedSummary())
    signal.throwIfAborted()
    const known = isOutcome(outcome) ? outcome : failedSummary()
    if (known.status === 'written' || fallback === undefined) return known
    const { usage, rejected, asked } = known
    const replaced = await fallback(input, { signal })
    return {
      ...replaced,
      usage,
      rejected: [...rejected, ...replaced.rejected],
      ...(asked !== undefined && { asked }),
    }
  }

  #input(request: SummaryRequest): SummaryInput {
    const { model, session, mode, slices, current, scale, refused } = this.#settings
    const input = summaryInput(this.#transcript, slices, request, current)
    return {
      ...input,
      mode,
      session,
      scale,
      ...(refused !== undefined && { refused }),
      ...(model !== undefined && { model }),
    }
  }

  async #store({ position, part }: StoreRequest): Promise<EffectResult> {
    const { artifacts, namespace, signal, emit } = this.#settings
    const text = this.#transcript.view(position).parts[part]?.text()
    if (text === undefined) return undefined
    try {
      const key = await artifacts.put(namespace, text, { signal })
      emit({ type: 'artifact-stored', key, bytes: utf8Bytes(text) })
      return key
    } catch (error) {
      signal.throwIfAborted()
      void error // a failed store leaves the result as it was
      return undefined
    }
  }
}

function failedSummary(): SummaryOutcome {
  const detail = 'The summariser failed.'
  return { status: 'failed', usage: { input: 0, output: 0 }, rejected: [{ reason: 'failed', detail }] }
}

function isOutcome(outcome: SummaryOutcome | undefined): outcome is SummaryOutcome {
  return outcome?.status === 'failed' || (outcome?.status === 'written' && typeof outcome.text === 'string')
}
