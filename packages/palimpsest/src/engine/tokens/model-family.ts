import type { TokenFamily } from './feature-weights.ts'

/**
 * The tokenizer family of a model id, in any of the ways people write it: with a provider before it, a region, a date or
 * a version behind it. A Claude that is not known counts as the newest; any other unknown model is `generic`.
 *
 * @example modelFamily('us.anthropic.claude-3-5-sonnet-20241022-v2:0') // 'claude3'
 */
export function modelFamily(model: string | undefined): TokenFamily {
  const id = (model ?? '').toLowerCase()
  if (id.includes('claude')) return claudeFamily(id)
  return FAMILIES.find(([pattern]) => pattern.test(id))?.[1] ?? 'generic'
}

const FAMILIES: readonly (readonly [RegExp, TokenFamily])[] = [
  [/\bgpt-oss/, 'o200k'],
  [/\b(?:chat)?gpt-?4o|\bgpt-4\.[15]|\bgpt-[5-9]|\bo[1-9](?:-|$)|codex|computer-use/, 'o200k'],
  [/\bgpt-4|\bgpt-3\.5|\bgpt-35|text-embedding/, 'cl100k'],
  [/gemini|gemma/, 'gemma3'],
  [/qwen|qwq/, 'qwen3'],
  [/llama/, 'llama3'],
  [/deepseek/, 'deepseek_v3'],
]

/** Claude 4.7 brought a tokenizer that makes about a third more of the same text. */
function claudeFamily(id: string): TokenFamily {
  const version = claudeVersion(id)
  if (version === undefined) return /instant/.test(id) ? 'claude2' : 'claude47'
  if (version < 3) return 'claude2'
  return version < 4.7 ? 'claude3' : 'claude47'
}

/** The version that an id names: `claude-3-5-sonnet`, `claude-sonnet-4-20250514`, `claude-opus-4.6`, `claude-v2:1`. */
function claudeVersion(id: string): number | undefined {
  const tail = id.slice(id.indexOf('claude') + 'claude'.length)
  const match = /^[-.\sa-z]*?v?(\d)(?:[-.:](\d{1,2})(?!\d))?/.exec(tail)
  return match === null ? undefined : Number(`${match[1]}.${match[2] ?? 0}`)
}
