import type { Agent, AgentEventListener, AskPermission, OpenModel } from '@palimpsest/agent'
import type { SessionStore } from '@palimpsest/sessions'

export interface ReplOptions {
  /**
   * Opens the agent that is talked to; called once, before there is a screen. What it throws, the caller of `repl` gets.
   * Agents that `resume` and `fork` give speak through the same ports.
   */
  open(ports: ReplPorts): Promise<ReplAgent>
  /** Sent at once. */
  readonly prompt?: string
  /** The folder whose paths are completed. */
  readonly cwd: string
  readonly color: boolean
  /** Models that `/model` offers beside those that were used. */
  readonly models?: () => Promise<readonly string[]>
  /** One line for the person, when the screen is gone. */
  say(line: string): void
  /** The command that goes on with a session. */
  goOn(id: string): string
}

export interface ReplPorts {
  readonly ask: AskPermission
  readonly onEvent: AgentEventListener
}

/** An opened agent, and what goes on with other sessions and models. */
export interface ReplAgent {
  readonly agent: Agent
  readonly openModel: OpenModel
  readonly sessions: SessionStore
  /** What the person should know before it begins. */
  readonly notes?: readonly string[]
  resume(id: string): Promise<Agent>
  close(): Promise<void>
}
