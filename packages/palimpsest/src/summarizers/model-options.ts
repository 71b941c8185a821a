import type { Generate } from './summarizer.ts'

/** How a model writes summaries. Everything but `generate` has a default. */
export interface ModelSummarizerOptions {
  /** One text from a model. Its signal is aborted with the summary and at the deadline. */
  readonly generate: Generate
  /** Another, cheaper model than the run's own. */
  readonly model?: string
  /** Tokens that the summariser's model reads and writes together. Default, and where unknown: 128,000. */
  readonly window?: number | ((model: string | undefined) => number | undefined)
  /**
   * Tokens that one answer may have, the model's own limit where that is lower. Default: twice the summary's budget, at
   * least 1,024 (some models reason before they write). Never more than a quarter of the window.
   */
  readonly maxOutput?: number
  /** How often one part of the input is asked about, the first time included. Default 2: one retry. */
  readonly attempts?: number
  /** Milliseconds for the whole summary, after which the fallback writes it. Default: none. */
  readonly deadline?: number
  /** Who writes what the model could not: the deterministic summariser, or nobody. Default `extractive`. */
  readonly fallback?: 'extractive' | 'none'
  /** Tokens of the transcript that one call reads at most, where the window has room for more; at least 200. */
  readonly chunkTokens?: number
  /**
   * Most calls for one summary: chunks, retries and calls that were refused as too large together. Default 12. Input that
   * does not fit into so many is read in less detail; where even that does not help, the fallback writes.
   */
  readonly maxCalls?: number
  /** Is this the refusal of a request as too large? Then less is asked at once, at most three times. Default: never. */
  readonly isOverflow?: (error: unknown) => boolean
}
