import { INTERRUPTED, type Session } from '@palimpsest/sessions'
import type { AiSdkMessage } from 'palimpsest'
import type { AgentTool, ToolOutput } from '../tools/agent-tool.ts'
import type { Permissions } from '../tools/permissions.ts'
import { runTool } from '../tools/run-tool.ts'
import type { AgentEventListener } from './agent-event.ts'
import type { RequestedCall } from './model-answer.ts'
import type { MiddlewareStack } from './stack.ts'

/** What the calls of one step are run with. */
export interface ToolBatchSetup {
  readonly session: Session
  readonly tools: readonly AgentTool[]
  readonly permissions: Permissions
  readonly stack: MiddlewareStack
  readonly emit: AgentEventListener
  readonly signal: AbortSignal
  readonly now: () => number
}

/**
 * Runs the calls of one step and gives the message with their results, in the order of the calls. Neighbours that need nobody's
 * permission run side by side, all others one after the other. The log knows of each call before it runs. Where the signal is
 * aborted, what has ended keeps its result, and the rest say that they were interrupted.
 */
export async function runTools(calls: readonly RequestedCall[], setup: ToolBatchSetup): Promise<AiSdkMessage> {
  const { session } = setup
  for (const { id, name } of calls) session.requestAction({ action: id, kind: 'tool', name })
  await session.commit()
  const results = new Map<string, ToolOutput>()
  for (const group of sideBySide(calls, setup.tools)) {
    if (setup.signal.aborted) break
    const outputs = await Promise.allSettled(group.map((call) => runCall(call, setup)))
    for (const [at, outcome] of outputs.entries()) {
      const call = group[at]
      if (call === undefined) continue
      if (outcome.status === 'fulfilled') results.set(call.id, outcome.value)
      else if (!setup.signal.aborted) throw outcome.reason
    }
  }
  for (const { id } of calls) session.completeAction(id, statusOf(results.get(id)), told(results.get(id), session))
  return resultMessage(calls, results)
}

/** The calls in groups: those of one group may run at the same time. */
function sideBySide(calls: readonly RequestedCall[], tools: readonly AgentTool[]): readonly RequestedCall[][] {
  const groups: RequestedCall[][] = []
  let isOpen = false
  for (const call of calls) {
    const isFree = tools.find(({ name }) => name === call.name)?.permission === undefined
    const last = groups.at(-1)
    if (isFree && isOpen && last !== undefined) last.push(call)
    else groups.push([call])
    isOpen = isFree
  }
  return groups
}

async function runCall({ id, name, input }: RequestedCall, setup: ToolBatchSetup): Promise<ToolOutput> {
  const { tools, permissions, stack, emit, signal, now } = setup
  emit({ type: 'tool-call', id, name, input })
  const start = now()
  const tool = tools.find((one) => one.name === name)
  const call = { id, signal }
  const output = tool === undefined ? unknownTool(name, tools) : await runTool(tool, input, call, permissions)
  const made = await stack.output(output, { ...call, tool: name })
  // what was cut or named between the halves of a pair is refused by providers
  const shown = { ...made, text: made.text.toWellFormed() }
  const { text, failed = false, exitCode, brief } = shown
  emit({
    type: 'tool-result',
    id,
    name,
    text,
    failed,
    ...(exitCode !== undefined && { exitCode }),
    ...(brief !== undefined && { brief }),
    milliseconds: now() - start,
  })
  return shown
}

function unknownTool(name: string, tools: readonly AgentTool[]): ToolOutput {
  const known = tools.map((tool) => tool.name).join(', ')
  return { text: `There is no tool ${JSON.stringify(name)}. There are: ${known}.`, failed: true, brief: 'no such tool' }
}

function statusOf(output: ToolOutput | undefined): 'ok' | 'failed' | 'interrupted' {
  if (output === undefined) return 'interrupted'
  return output.failed === true ? 'failed' : 'ok'
}

/** What the screen says of it and its result does not: a replay says it again. A session that keeps no results keeps no more. */
function told(output: ToolOutput | undefined, { snapshot }: Session): { readonly output?: unknown } {
  if (output?.brief === undefined || snapshot.started.toolResults === 'compact') return {}
  return { output: { brief: output.brief } }
}

function resultMessage(calls: readonly RequestedCall[], results: ReadonlyMap<string, ToolOutput>): AiSdkMessage {
  return {
    role: 'tool',
    content: calls.map(({ id, name }) => {
      const { text, failed } = results.get(id) ?? { text: INTERRUPTED, failed: true }
      return {
        type: 'tool-result',
        toolCallId: id,
        toolName: name,
        output: { type: failed === true ? 'error-text' : 'text', value: text },
      }
    }),
  }
}
