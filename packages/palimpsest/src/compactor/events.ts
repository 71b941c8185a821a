import type { OverflowFacts } from '../dialects/dialect.ts'
import type { PalimpsestError } from '../engine/errors.ts'
import type { RejectedRung } from '../engine/ladder/compaction-task.ts'
import type { Plan } from '../engine/plan/plan.ts'
import type { CompactionReason } from '../engine/record/compaction-record.ts'
import type { SummaryRejection, SummaryUsage } from '../summarizers/summarizer.ts'

/** What happens around model calls, for logs, telemetry and screens. Holds no text of the conversation but the plan's. */
export type CompactorEvent = EventBase &
  (
    | {
        readonly type: 'compaction-started'
        readonly reason: CompactionReason
        readonly background: boolean
        readonly tokensBefore: number
        /** Ends the compaction alone; the model call goes on with what there is. */
        cancel(): void
      }
    | {
        readonly type: 'compaction-applied'
        readonly reason: CompactionReason
        readonly plan: Plan
        readonly recordId: string
        readonly strategies: readonly string[]
        readonly tokensBefore: number
        readonly tokensAfter: number
        /** Messages that left the view in this compaction. */
        readonly evicted: number
        readonly usage: SummaryUsage
        readonly historyPath?: string
        /** Tool calls whose arguments were shortened. */
        readonly truncatedArguments: number
      }
    | { readonly type: 'compaction-cancelled'; readonly reason: CompactionReason; readonly usage: SummaryUsage }
    | {
        readonly type: 'compaction-failed'
        readonly reason: CompactionReason
        readonly error: PalimpsestError
        readonly usage: SummaryUsage
      }
    | { readonly type: 'plan-rejected'; readonly rejected: RejectedRung }
    | { readonly type: 'summary-rejected'; readonly rejected: SummaryRejection }
    | {
        readonly type: 'summarizer-called'
        /** The model that wrote it; `extractive` where none did. */
        readonly by: string
        /** The model that was asked, whoever wrote in the end; absent where none was, or nobody said which. */
        readonly asked?: string
        readonly usage: SummaryUsage
        readonly milliseconds: number
        /** Why texts were refused, in order: each has an event of its own too. */
        readonly rejections?: readonly SummaryRejection['reason'][]
      }
    | { readonly type: 'store-failed'; readonly error: PalimpsestError }
    | { readonly type: 'reanchored'; readonly recordId: string }
    | {
        readonly type: 'overflow-detected'
        readonly facts: OverflowFacts
        readonly attempt: number
        /** What is tried next; `none`: the refusal goes to the caller. */
        readonly remedy?: 'output-cap' | 'without-reasoning' | 'compaction' | 'none'
      }
    /** What was shown of an answer is withdrawn, and the call made again. Only a caller with a screen of its own can: it emits this. */
    | { readonly type: 'rewind'; readonly reason: 'overflow' }
    | { readonly type: 'artifact-stored'; readonly key: string; readonly bytes: number }
    /** Its limits are the default's; once per model and process. */
    | { readonly type: 'unknown-model' }
    | {
        readonly type: 'usage-observed'
        readonly usage: {
          readonly input: number
          readonly cacheRead: number
          readonly cacheWrite: number
          readonly output: number
        }
        /** What was predicted of the same request. */
        readonly predicted: number
        /** The model's window, where it is known. */
        readonly window?: number
      }
  )

interface EventBase {
  /** One id for all events of one compaction; others have one of their own. */
  readonly id: string
  /** The session as the caller named it, or the one found by content. */
  readonly session: string
  readonly model?: string
  /** The server that answers, or its provider, as the caller named it. */
  readonly upstream?: string
}
