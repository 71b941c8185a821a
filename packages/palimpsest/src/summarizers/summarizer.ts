import type { TranscriptSlice } from '../engine/manifest/transcript-slice.ts'
import type { SummaryRequest } from '../engine/plan/draft.ts'

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
  /** Position of the last user message, which stays in the view verbatim. */
  readonly lastUserMessage?: number
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
    }
  | {
      readonly status: 'failed'
      readonly usage: SummaryUsage
      readonly rejected: readonly SummaryRejection[]
    }

/** Why a text was not accepted as a summary. */
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
    | 'input-too-large'
    | 'failed'
    | 'deadline'
  /** In words, without any of the conversation's text. */
  readonly detail: string
}

/** Writes one summary. Rejects only when `signal` is aborted; everything else is an outcome. */
export type Summarizer = (
  input: SummaryInput,
  call: { readonly signal?: AbortSignal },
) => Promise<SummaryOutcome>

/** One text from a model: the only thing a model-based summariser needs of it. */
export type Generate = (prompt: GeneratePrompt, call: { readonly signal?: AbortSignal }) => Promise<Generated>

export interface GeneratePrompt {
  readonly system: string
  readonly user: string
  readonly maxOutputTokens: number
  /** Another model than the run's own. */
  readonly model?: string
  readonly session?: string
}

export interface Generated {
  /** The answer's text, without reasoning. */
  readonly text: string
  readonly finish: 'stop' | 'length' | 'refusal' | 'tool-call' | 'other'
  /** Was there reasoning beside (or instead of) the text? */
  readonly reasoned?: boolean
  readonly usage?: SummaryUsage
}
