import type { CompactorEvent } from 'palimpsest'
import type { SpansInForce, Telemetry } from 'palimpsest/otel'
import type { AgentEventListener } from '../loop/agent-event.ts'
import { AgentSpans } from './agent-spans.ts'

/** What an agent is started with to be seen. */
export interface AgentTelemetry {
  readonly onEvent: AgentEventListener
  /** Hears the compactors of the agent and of its sub-agents. */
  readonly onCompactorEvent: (event: CompactorEvent) => void
}

/**
 * Makes spans of an agent's events: `invoke_agent` for each turn, in it `chat` for each step and `execute_tool` for each call of a
 * tool, sub-agents below the tool that started them. Compactions and overflow retries stand on them, summaries are spans of their own.
 *
 * @example
 * const telemetry = agentTelemetry(await openTelemetry())
 * const agent = await startAgent({ ...setup, ...telemetry })
 */
export function agentTelemetry(telemetry: Telemetry): AgentTelemetry {
  const running = new Map<string, AgentSpans>()
  const spans = new AgentSpans({ telemetry, running })
  return {
    onEvent: (event) => spans.take(event),
    onCompactorEvent: (event) => telemetry.onEvent(event, inForce(running.get(event.session))),
  }
}

function inForce(agent: AgentSpans | undefined): SpansInForce {
  return agent?.inForce ?? {}
}
