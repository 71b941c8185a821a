import { z } from 'zod'
import type { Agent, TurnResult } from '../agent/agent.ts'
import { type AgentTool, type ToolCall, ToolFailure, type ToolOutput } from '../tools/agent-tool.ts'
import type { AgentMiddleware } from './middleware.ts'

/** How sub-agents are started, and what becomes of what they cost. */
export interface SubAgentSetup {
  /** An agent with a context of its own, for this call. */
  readonly start: (call: ToolCall) => Promise<Agent>
  readonly onEnd: (agent: Agent) => void
}

const INPUT = z.object({
  description: z.string().describe('What it is to do, in three to six words.'),
  prompt: z.string().min(1).describe('The whole task: the sub-agent sees nothing of this conversation.'),
})

/** Gives a tool by which a piece of work is done in a context of its own: only its answer comes back. */
export function subAgentSlot(setup: SubAgentSetup): AgentMiddleware {
  const task: AgentTool<z.infer<typeof INPUT>> = {
    name: 'task',
    description: `Hands a piece of work to a sub-agent with the same tools and a context of its own, and gives its final \
answer. Use it for searches through many files and for work whose details do not matter afterwards. Several in one step run \
side by side.`,
    input: INPUT,
    run: ({ prompt }, call) => runTask(prompt, call, setup),
  }
  return { name: 'sub-agent', contribute: () => ({ tools: [task as AgentTool] }) }
}

async function runTask(prompt: string, call: ToolCall, { start, onEnd }: SubAgentSetup): Promise<ToolOutput> {
  const agent = await start(call)
  const result = await agent.send(prompt, { signal: call.signal })
  onEnd(agent)
  call.signal.throwIfAborted()
  if (result.outcome !== 'answered') throw new ToolFailure(failureText(result))
  return { text: result.texts.at(-1) ?? 'The sub-agent ended without a word.', brief: `${result.steps} steps` }
}

function failureText({ error, texts }: TurnResult): string {
  const said = texts.at(-1)
  return `The sub-agent did not finish: ${error?.message ?? 'it was stopped.'}${said === undefined ? '' : `\nIts last words: ${said}`}`
}
