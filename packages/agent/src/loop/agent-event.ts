import type { CompactionReason, PalimpsestError, Usage } from 'palimpsest'
import type { PermissionRequest } from '../tools/permissions.ts'
import type { TurnEnd } from './turn-result.ts'

/** What happens in a turn, in order, for screens and machines. Holds no summary but that of `summary-delta`. */
export type AgentEvent =
  | { readonly type: 'turn-started'; readonly session: string; readonly turn: number }
  | { readonly type: 'step-started'; readonly step: number; readonly model: string }
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  /** What this step showed is withdrawn: the model is asked again. */
  | { readonly type: 'rewind'; readonly reason: 'overflow' | 'provider' }
  /** The provider failed, and is asked again after a while. */
  | { readonly type: 'retry'; readonly attempt: number; readonly milliseconds: number; readonly message: string }
  /** The answer of the model is complete and stored: its whole text, and what it cost. */
  | { readonly type: 'step-ended'; readonly step: number; readonly text: string; readonly usage?: Usage }
  | { readonly type: 'tool-call'; readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly type: 'permission-asked'; readonly id: string; readonly request: PermissionRequest }
  | { readonly type: 'permission-answered'; readonly id: string; readonly answer: 'once' | 'session' | 'denied' }
  | {
      readonly type: 'tool-result'
      readonly id: string
      readonly name: string
      readonly text: string
      readonly failed: boolean
      readonly exitCode?: number
      readonly brief?: string
      readonly milliseconds: number
    }
  | {
      readonly type: 'compaction-started'
      readonly id: string
      readonly reason: CompactionReason
      readonly tokensBefore: number
      /** Ends the compaction alone; the turn goes on where the request fits without it. */
      cancel(): void
    }
  /** The text of the summary that a person asked for, as it is written; `restart`: what came before is void. */
  | { readonly type: 'summary-delta'; readonly text: string; readonly restart?: true }
  | {
      readonly type: 'compaction-applied'
      readonly id: string
      readonly reason: CompactionReason
      readonly tokensBefore: number
      readonly tokensAfter: number
      readonly evicted: number
      /** Calls of a summariser that it took. */
      readonly attempts: number
      readonly recordId: string
    }
  | {
      readonly type: 'compaction-cancelled'
      readonly id: string
      readonly reason: CompactionReason
      readonly attempts: number
    }
  | {
      readonly type: 'compaction-failed'
      readonly id: string
      readonly reason: CompactionReason
      readonly attempts: number
      readonly error: PalimpsestError
    }
  /** Something else that a user may want to know; is not stored. */
  | { readonly type: 'warning'; readonly message: string }
  /** What a sub-agent does, by the call of the tool that started it. */
  | { readonly type: 'sub-agent'; readonly id: string; readonly event: AgentEvent }
  | ({ readonly type: 'turn-ended' } & TurnEnd)

/** Takes the events of an agent as they happen. */
export type AgentEventListener = (event: AgentEvent) => void
