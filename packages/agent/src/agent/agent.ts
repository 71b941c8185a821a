import type { Session, UsageTotal } from '@palimpsest/sessions'
import type { TurnResult } from '../loop/turn-result.ts'
import type { AgentModel } from '../models/agent-model.ts'

/** How full the window is. `waiting`: compacted, or not yet asked; the next answer tells. */
export interface ContextMeter {
  readonly window?: number
  readonly trigger: number
  readonly used: { readonly tokens: number; readonly kind: 'measured' | 'estimated' } | 'waiting'
  /** Estimated tokens of what would be sent now, by source. */
  readonly sources: Readonly<Record<ContextSource, number>>
  /** Messages in view, and in all. */
  readonly messages: { readonly inView: number; readonly all: number }
}

/** Where what stands in a request comes from. */
export type ContextSource = 'system' | 'memory' | 'tools' | 'human' | 'model' | 'tool' | 'summary'

/** What a session has cost so far; `dollars` where prices are known of every model that it used. */
export interface SessionCost {
  readonly chat: UsageTotal
  readonly summarize: UsageTotal
  readonly subAgents: UsageTotal
  readonly dollars?: number
  readonly models: readonly string[]
}

/** A place to go back to. */
export interface UndoPoint {
  readonly kind: 'turn' | 'compaction'
  /** The entry after which the session goes on. */
  readonly to: number
  /** Milliseconds since the epoch. */
  readonly at: number
  /** The user's words of that turn, shortened; the tokens of that compaction. */
  readonly label: string
  /** What the user had asked there, to be edited and sent again. */
  readonly text?: string
}

/** A conversation with a model that has tools, kept in a session. One turn at a time. */
export interface Agent {
  readonly session: Session
  readonly model: AgentModel
  /** Does a turn run? */
  readonly busy: boolean
  /** Runs one turn. Never throws for what the world did: that is the result. @throws RangeError while another turn runs. */
  send(text: string, options?: { readonly signal?: AbortSignal }): Promise<TurnResult>
  /**
   * Compacts now, with a summary that says more of the focus; streams it as events and leaves `Context compacted.` in the
   * session. Gives false where there was nothing to compact, or it was cancelled. @throws PalimpsestError as a turn has it.
   */
  compact(options?: { readonly focus?: string; readonly signal?: AbortSignal }): Promise<boolean>
  /**
   * Goes on with another model. Where what is in view does not fit it, it is compacted first, with the old model; where that
   * fails the old model stays. @throws PalimpsestError that says why.
   */
  setModel(model: AgentModel, options?: { readonly signal?: AbortSignal }): Promise<void>
  /** How full the window is now. */
  context(): Promise<ContextMeter>
  /** What the session has cost so far, what was undone too. */
  cost(): Promise<SessionCost>
  /** The turns and compactions that can be undone, newest first. */
  undoPoints(): Promise<readonly UndoPoint[]>
  /** Goes back to before that point. The log keeps what was there; nobody sees it any more. */
  undo(point: UndoPoint): Promise<void>
  /** A copy of the session up to now, under a new id, and an agent that goes on with it. */
  fork(): Promise<Agent>
}
