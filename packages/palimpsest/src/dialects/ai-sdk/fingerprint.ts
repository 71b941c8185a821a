import { canonicalJson } from '../../engine/json/canonical-json.ts'
import { isObject, listOf, property } from '../json-fields.ts'
import type { AiSdkMessage } from './items.ts'
import { plainJson } from './wire-json.ts'

/**
 * Stable text of a message: without cache marks, and the same whether a file is held as bytes or as base64, so that a
 * prompt read back from a store continues the one that was sent.
 */
export function fingerprintOf(message: AiSdkMessage): string {
  if (!isObject(message)) return canonicalJson(plainJson(message)) ?? ''
  const content = property(message, 'content')
  const unmarked = { ...withoutMarks(message), ...(Array.isArray(content) && { content: content.map(unmarkedPart) }) }
  return canonicalJson(plainJson(unmarked))
}

function unmarkedPart(part: unknown): unknown {
  if (!isObject(part)) return part
  const output = property(part, 'output')
  const plain = withoutMarks(part)
  return isObject(output) ? { ...plain, output: unmarkedOutput(output) } : plain
}

function unmarkedOutput(output: Readonly<Record<string, unknown>>): unknown {
  const plain = withoutMarks(output)
  if (output.type !== 'content') return plain
  const blocks = listOf(output.value)
  return { ...plain, value: blocks.map((block) => (isObject(block) ? withoutMarks(block) : block)) }
}

/** Where providers put cache marks: Anthropic and OpenRouter, compatible ones, Bedrock, OpenAI. */
const MARKS: ReadonlySet<string> = new Set(['cacheControl', 'cache_control', 'cachePoint', 'promptCacheBreakpoint'])

function withoutMarks(value: object): Readonly<Record<string, unknown>> {
  const { providerOptions, ...rest } = value as Readonly<Record<string, unknown>>
  if (!isObject(providerOptions)) return rest
  const kept = Object.entries(providerOptions).flatMap(([provider, options]): [string, unknown][] => {
    if (!isObject(options)) return [[provider, options]]
    const own = Object.entries(options).filter(([name]) => !MARKS.has(name))
    return own.length === 0 ? [] : [[provider, Object.fromEntries(own)]]
  })
  return kept.length === 0 ? rest : { ...rest, providerOptions: Object.fromEntries(kept) }
}
