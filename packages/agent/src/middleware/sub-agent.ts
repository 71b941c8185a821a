import { z } from 'zod'
import type { AgentMiddleware } from '../loop/middleware.ts'
import type { TurnResult } from '../loop/turn-result.ts'
import { type AgentTool, type ToolCall, ToolFailure, type ToolOutput } from '../tools/agent-tool.ts'

/** Has an agent with a context of its own do what the prompt says, for this call. */
export type RunSubAgent = (prompt: string, call: ToolCall) => Promise<TurnResult>

const INPUT = z.object({
  description: z.string().describe('What it is to do, in three to six words.'),
  prompt: z.string().min(1).describe('The whole task: the sub-agent sees nothing of this conversation.'),
})

/** Gives a tool by which a piece of work is done in a context of its own: only its answer comes back. */
export function subAgentSlot(runSubAgent: RunSubAgent): AgentMiddleware {
  const task: AgentTool<z.infer<typeof INPUT>> = {
    name: 'task',
    description: `Hands a piece of work to a sub-agent with the same tools and a context of its own, and gives its final \
answer. Use it for searches through many files and for work whose details do not matter afterwards. Several in one step run \
side by side.`,
    input: INPUT,
    run: async ({ prompt }, call) => outputOf(await runSubAgent(prompt, call), call),
  }
  return { name: 'sub-agent', contribute: () => ({ tools: [task as AgentTool] }) }
}

function outputOf(result: TurnResult, { signal }: ToolCall): ToolOutput {
  signal.throwIfAborted()
  if (result.outcome !== 'answered') throw new ToolFailure(failureText(result))
  return { text: result.texts.at(-1) ?? 'The sub-agent ended without a word.', brief: `${result.steps} steps` }
}

function failureText({ error, texts }: TurnResult): string {
  const said = texts.at(-1)
  return `The sub-agent did not finish: ${error?.message ?? 'it was stopped.'}${said === undefined ? '' : `\nIts last words: ${said}`}`
}
