import type { OverflowFacts } from '../dialects/dialect.ts'
import type { Conversation } from '../engine/messages/message.ts'
import type { PrepareOptions } from './compactor.ts'

/** One request and what became of its attempts so far. */
export interface Incoming<Request> {
  readonly request: Request
  readonly options: PrepareOptions
  readonly conversation: Conversation<object>
  readonly model: string
  /** Refusals so far, by what was done about them. */
  readonly refusals: { readonly compacted: number; readonly lowered: boolean; readonly stripped: boolean }
  /** The output cap that a refusal left room for. */
  readonly outputCap?: number
}

/** A sent request that was refused. */
export interface Refusal {
  readonly facts: OverflowFacts
  readonly failure: unknown
  readonly sent: number
  readonly recordId: string | undefined
}
