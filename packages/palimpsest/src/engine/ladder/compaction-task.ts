import type { PalimpsestError } from '../errors.ts'
import type { RenderContext, Violation } from '../messages/message.ts'
import type { Transcript } from '../messages/transcript.ts'
import type { StoreRequest, SummaryRequest } from '../plan/draft.ts'
import type { Plan } from '../plan/plan.ts'
import type { KeepWindow } from '../strategies/keep-window.ts'
import type { Rung } from './rung.ts'

/** A transcript that must become smaller, and how. Tokens are estimates unless `scale` calibrates them. */
export interface CompactionTask<Item extends object> {
  readonly transcript: Transcript<Item>
  /** The plan in force, and the transcript length when it was made. */
  readonly current: Plan
  readonly madeAt?: number
  /** Tokens of system, tools and framing: no plan changes them. */
  readonly overhead: number
  /** Where a compaction must end, in tokens of the whole request. */
  readonly target: number
  /** What no request may exceed, in tokens of the whole request. */
  readonly limit: number
  /** Measured tokens per estimated one (κ). Default 1. */
  readonly scale?: number
  readonly keep: KeepWindow
  readonly rungs: readonly Rung[]
  readonly context: Partial<RenderContext>
  /** Can the caller read what is offloaded? */
  readonly canRead?: boolean
  /** Where the evicted transcript is and how to read it, for the summary message. Only for callers who can. */
  readonly historyNote?: string
  /** Checks the items as the request they would go out in. Default: the lens's own check on the items alone. */
  readonly check?: (items: readonly Item[]) => readonly Violation[]
}

/** What the pure core asks its driver for. */
export type Effect =
  | { readonly kind: 'summarize'; readonly request: SummaryRequest }
  | { readonly kind: 'store'; readonly request: StoreRequest }

/** The driver's answer: the summary's text, or the key; undefined when the effect failed. */
export type EffectResult = string | undefined

/** A rung whose result was not taken, and why. */
export interface RejectedRung {
  readonly rung: string
  readonly reason: 'effect-failed' | 'invalid-view' | 'postcondition' | 'not-smaller'
  readonly detail: string
  readonly violations?: readonly Violation[]
}

/** A smaller view that the dialect accepts, and the plan that makes it. Tokens are those of the whole request. */
export interface Compacted<Item> {
  readonly status: 'compacted'
  /** The cumulative plan: everything in force, earlier compactions included. */
  readonly plan: Plan
  /** The items that go out. */
  readonly items: readonly Item[]
  readonly tokensBefore: number
  readonly tokensAfter: number
  /** Names of the rungs whose edits are in the plan, in order. */
  readonly strategies: readonly string[]
  readonly rejected: readonly RejectedRung[]
  readonly reachedTarget: boolean
}

/** No view within the limit was found; the error names what takes the room. */
export interface Refused {
  readonly status: 'refused'
  readonly error: PalimpsestError
  readonly tokensBefore: number
  readonly rejected: readonly RejectedRung[]
}

/** How a compaction ended. Nothing was committed yet: that is up to the driver. */
export type CompactionOutcome<Item> = Compacted<Item> | Refused
