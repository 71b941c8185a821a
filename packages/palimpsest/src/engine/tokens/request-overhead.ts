import { type TokenMeter, tokensOf, UNITS_PER_TOKEN } from './ledger.ts'

/** Tokens of a request that no plan can change. */
export interface RequestOverhead {
  /** System blocks and the request's own framing. */
  readonly system: number
  /** Tool definitions with their framing. */
  readonly tools: number
  /** Whether a provider's usage says so or this library estimates it. */
  readonly basis: 'measured' | 'estimated'
}

/** A hosted tool (web search, code interpreter …) has no schema here; the provider's own description of it costs about this. */
export const HOSTED_TOOL_TOKENS = 500

/**
 * Estimates system and tools of a request. A tool that is deferred until it is loaded counts 0.
 *
 * @example
 * const meter = dialectMeter(anthropicMessages, 'claude-sonnet-4-5', 'mean')
 * const overhead = requestOverhead(conversation, meter)
 */
export function requestOverhead(
  conversation: { readonly system: readonly unknown[]; readonly tools?: readonly unknown[] },
  meter: TokenMeter,
): RequestOverhead {
  const framing = meter.framing.request * UNITS_PER_TOKEN
  const system = conversation.system.reduce<number>((sum, block) => sum + meter.text(textOf(block)), framing)
  const tools = (conversation.tools ?? []).map((tool) => toolUnits(tool, meter))
  const loaded = tools.filter((units) => units > 0)
  const base = loaded.length === 0 ? 0 : meter.framing.tools * UNITS_PER_TOKEN
  return {
    system: tokensOf(system),
    tools: tokensOf(loaded.reduce((sum, units) => sum + units, base)),
    basis: 'estimated',
  }
}

function toolUnits(tool: unknown, meter: TokenMeter): number {
  if (tool === null || typeof tool !== 'object') return meter.text(JSON.stringify(tool) ?? '')
  const record = tool as Record<string, unknown>
  if (record.defer_loading === true) return 0
  if (isHosted(record)) return HOSTED_TOOL_TOKENS * UNITS_PER_TOKEN
  return meter.text(JSON.stringify(tool)) + meter.framing.tool * UNITS_PER_TOKEN
}

/** Hosted tools name a versioned type of the provider and carry no schema. */
function isHosted(tool: Record<string, unknown>): boolean {
  const type = tool.type
  const hasSchema = SCHEMA_KEYS.some((key) => key in tool)
  return !hasSchema && typeof type === 'string' && type !== 'function' && type !== 'custom'
}

const SCHEMA_KEYS = [
  'input_schema',
  'parameters',
  'function',
  'functionDeclarations',
  'toolSpec',
  'inputSchema',
  'format',
]

/** The model reads the text of a block, not its JSON; a block without text counts as its JSON. */
function textOf(block: unknown): string {
  if (typeof block === 'string') return block
  if (Array.isArray(block)) return block.map(textOf).join('\n')
  if (block === null || typeof block !== 'object') return ''
  for (const key of ['text', 'content', 'parts'] as const) {
    const inner = (block as Record<string, unknown>)[key]
    if (inner !== undefined) return textOf(inner)
  }
  return JSON.stringify(block)
}
