import type { FaultQueue } from './faults.ts'
import type { LabRules, WireFormat } from './format.ts'
import type { CallPurpose, CallRecord } from './lab-call.ts'
import type { OverflowWording } from './overflow-wordings.ts'
import type { PrefixCache } from './prefix-cache.ts'
import type { Script } from './script/script.ts'
import type { SummaryScript } from './script/summary-calls.ts'
import type { TokenCounter } from './token-counter.ts'

/** What the simulator is set to, and what it remembers from call to call. */
export interface LabState {
  readonly formats: readonly WireFormat[]
  readonly window: number
  readonly rules: LabRules
  readonly script: Script
  readonly summarizer: SummaryScript
  readonly isSummaryCall: (body: unknown) => boolean
  readonly faults: FaultQueue
  readonly cache: PrefixCache
  readonly count: TokenCounter
  readonly wording: OverflowWording | undefined
  readonly sumsOutput: boolean | undefined
  readonly bytesLimit: number
  readonly calls: CallRecord[]
  readonly onCall: (call: CallRecord) => void
  readonly answered: Record<CallPurpose, number>
  /** Answers begun: the source of their ids. */
  begun: number
}
