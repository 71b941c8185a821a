import type { TranscriptSlice } from '../engine/manifest/transcript-slice.ts'
import type { SummaryRequest } from '../engine/plan/draft.ts'
import type { PositionRange } from '../engine/plan/plan.ts'

export type { Generate, Generated, GeneratePrompt } from '../engine/summary/text-generation.ts'

/** What a summariser works from. */
export interface SummaryInput {
  /** The evicted messages and those before them, in order, as the dialect reads them. */
  readonly slices: readonly TranscriptSlice[]
  readonly request: SummaryRequest
  /** Is it a person who asked (`/compact`), or the engine? */
  readonly mode: 'automatic' | 'manual'
  /** The run's own model. */
  readonly model?: string
  /** The session, for providers that take one. */
  readonly session?: string
  /** Tokens of a text, by the estimator of the run's model. */
  readonly estimate: (text: string) => number
  /** Measured tokens per estimated one, where that is known: what fits a window is judged by it. Default 1. */
  readonly scale?: number
  /** Tokens of a request that the run's own model refused without saying what would fit. */
  readonly refused?: number
  /** Position of the last user message, which stays in the view verbatim. */
  readonly lastUserMessage?: number
  /**
   * What `request.previous` tells already: a model reads the earlier summaries instead of these positions. A message that
   * stood verbatim beside an earlier summary is in none of them, so it is not listed here. Absent: nothing is left out.
   */
  readonly told?: readonly PositionRange[]
}

/** Tokens that a summary cost. */
export interface SummaryUsage {
  readonly input: number
  readonly output: number
}

/** What came of it. A rejected text is never shown to anyone; what it cost is counted all the same. */
export type SummaryOutcome =
  | {
      readonly status: 'written'
      readonly text: string
      /** The model that wrote it; `extractive` where none did. */
      readonly by: string
      readonly usage: SummaryUsage
      /** Why attempts before this one were rejected, in order. */
      readonly rejected: readonly SummaryRejection[]
      /** The model that was asked, whoever wrote in the end; absent where none was. */
      readonly asked?: string
    }
  | {
      readonly status: 'failed'
      readonly usage: SummaryUsage
      readonly rejected: readonly SummaryRejection[]
      readonly asked?: string
    }

/**
 * Why a text was not accepted as a summary. `not-smaller`: than what it replaces; `too-long`: smaller, but far above its
 * budget. `input-too-large`, `failed` and `deadline` are about the call: there was no text.
 */
export interface SummaryRejection {
  readonly reason:
    | 'empty'
    | 'reasoning-only'
    | 'refusal'
    | 'cut-by-length'
    | 'tool-call'
    | 'nothing-said'
    | 'repeats-input'
    | 'too-short'
    | 'not-smaller'
    | 'too-long'
    | 'input-too-large'
    | 'failed'
    | 'deadline'
  /** In words, without any of the conversation's text. */
  readonly detail: string
}

/** Writes one summary. Rejects only when `signal` is aborted; everything else is an outcome. */
export type Summarizer = (input: SummaryInput, call: { readonly signal?: AbortSignal }) => Promise<SummaryOutcome>
