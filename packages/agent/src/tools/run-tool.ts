import { PalimpsestError } from 'palimpsest'
import type { z } from 'zod'
import { type AgentTool, type ToolCall, ToolFailure, type ToolOutput } from './agent-tool.ts'
import type { Permissions } from './permissions.ts'

/**
 * Runs one call: reads its arguments, asks what must be asked, runs it. What the model did wrong, what the user did not allow and
 * what the world refused is a failed output. Rejects with the signal's reason when that is aborted, and for faults of ours.
 */
export async function runTool(
  tool: AgentTool,
  rawInput: unknown,
  call: ToolCall,
  permissions: Permissions,
): Promise<ToolOutput> {
  call.signal.throwIfAborted()
  const read = tool.input.safeParse(withoutNulls(rawInput))
  if (!read.success) return failed(argumentText(tool.name, rawInput, read.error))
  // what its own schema let through
  const input = read.data as never
  try {
    const request = await tool.permission?.(input, call)
    const outcome = request === undefined ? ({ allowed: true } as const) : await permissions.check(request, call)
    if (!outcome.allowed) return { ...failed(outcome.reason), brief: 'not allowed' }
    call.signal.throwIfAborted()
    return await tool.run(input, call)
  } catch (error) {
    call.signal.throwIfAborted()
    const reason = reasonOf(error)
    if (reason === undefined) throw error
    return failed(reason)
  }
}

function failed(text: string): ToolOutput {
  return { text: text.slice(0, LONGEST_FAILURE), failed: true, brief: 'failed' }
}

/** UTF-16 units of what a model reads of a failure. */
const LONGEST_FAILURE = 8_000
const MOST_ISSUES = 8

/** Some models fill in `null` for what they leave out. */
function withoutNulls(input: unknown): unknown {
  if (input === null || typeof input !== 'object' || Array.isArray(input)) return input
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null))
}

function argumentText(tool: string, input: unknown, { issues }: z.ZodError): string {
  if (typeof input === 'string')
    return `The arguments of ${tool} are no valid JSON: ${JSON.stringify(input.slice(0, 200))}. Call it again with an object.`
  const lines = issues
    .slice(0, MOST_ISSUES)
    .map(({ path, message }) => `- ${path.join('.') || 'arguments'}: ${message}`)
  return `The arguments of ${tool} are not what it takes, nothing was done:\n${lines.join('\n')}`
}

/** What the world did; undefined for faults of ours. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof ToolFailure) return error.message
  if (error instanceof PalimpsestError) return [error.message, error.hint].filter(Boolean).join(' ')
  return isSystemError(error) ? `The system refused: ${error.message}.` : undefined
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string'
}
