import type { LanguageModelV3FunctionTool } from '@ai-sdk/provider'
import { z } from 'zod'
import type { AgentTool } from './agent-tool.ts'

/** The tool as requests carry it: the same bytes each time, so that a prompt cache holds. */
export function toolDefinition(tool: AgentTool): LanguageModelV3FunctionTool {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(tool.input, { io: 'input', override: withoutLargestInteger })
  return {
    type: 'function',
    name: tool.name,
    description: tool.description,
    inputSchema: inputSchema as LanguageModelV3FunctionTool['inputSchema'],
  }
}

/** Every whole number is below it: says nothing, and some providers refuse it. */
function withoutLargestInteger({ jsonSchema }: { jsonSchema: { maximum?: number } }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
}
