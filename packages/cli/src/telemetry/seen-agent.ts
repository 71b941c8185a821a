import { type AgentEventListener, type AgentTelemetry, agentTelemetry } from '@palimpsest/agent'
import { startTelemetry } from './start-telemetry.ts'
import type { Environment } from './telemetry-settings.ts'

/** What an agent is started with, where telemetry may have been asked for. */
export interface SeenAgent {
  readonly listeners: { readonly onEvent: AgentEventListener } & Partial<AgentTelemetry>
  /** What was asked for and is not done, one line each. */
  readonly notes: readonly string[]
  /** Sends what is left. */
  stop(): Promise<void>
}

export interface SeenAgentSetup {
  readonly onEvent: AgentEventListener
  readonly env: Environment
  /** Takes what the last export has to say, when nobody listens to events any more. */
  readonly say: (line: string) => void
}

/** The listener itself where no variable asks for telemetry; else it, and telemetry beside it. */
export async function seenAgent({ onEvent, env, say }: SeenAgentSetup): Promise<SeenAgent> {
  const notes: string[] = []
  let warn: (line: string) => void = (line) => notes.push(line)
  const started = await startTelemetry({ env, warn: (line) => warn(line) })
  if (started === undefined) return { listeners: { onEvent }, notes, stop: async () => {} }
  const seen = agentTelemetry(started.telemetry)
  warn = (message) => onEvent({ type: 'warning', message })
  return {
    notes,
    listeners: {
      onEvent(event) {
        seen.onEvent(event)
        onEvent(event)
      },
      onCompactorEvent: seen.onCompactorEvent,
    },
    stop() {
      // the screen or the output is closed
      warn = say
      return started.stop()
    },
  }
}
