import type { TokenFamily } from './feature-weights.ts'

/**
 * The tokenizer family of a model id, in any of the ways people write it: with a provider or region before it, a date, a
 * version or a tag behind it. A Claude that is not known counts as the newest; any other unknown model is `generic`.
 *
 * @example modelFamily('us.anthropic.claude-3-5-sonnet-20241022-v2:0') // 'claude3'
 */
export function modelFamily(model: string | undefined): TokenFamily {
  for (const name of modelNames(model)) {
    const family = familyOf(name)
    if (family !== undefined) return family
  }
  return 'generic'
}

/**
 * The names an id may be known by, surest first, in lower case: what stands behind the last slash or behind the name of a
 * provider and a colon (of a fine-tuned model its base), then the whole id.
 */
export function modelNames(model: string | undefined): readonly string[] {
  const id = (model ?? '').trim().toLowerCase()
  if (id === '') return []
  const base = baseName(id)
  return base === id ? [id] : [base, id]
}

function baseName(id: string): string {
  if (id.startsWith('ft:')) return id.split(':')[1] ?? ''
  // a tag may stand behind a colon too (`mistral:latest`): then the whole id is what is found
  const [, behind] = /^[a-z]+(?:-[a-z]+)*:(.*)$/s.exec(id) ?? []
  const name = behind || id
  return name.slice(name.lastIndexOf('/') + 1)
}

/** The version that the id of a Claude names, e.g. 4.6; undefined when it names none. */
export function claudeVersion(name: string): number | undefined {
  // A number of more than two digits is a date: claude-sonnet-4-20250514 is version 4.
  const match = /(?:claude|^(?:opus|sonnet|haiku|fable))[-.\sa-z]*?v?(\d{1,2})(?!\d)(?:[-.:](\d{1,2})(?!\d))?/.exec(
    name,
  )
  if (match === null) return undefined
  return Number(match[1]) + Number(match[2] ?? 0) / 10
}

function familyOf(name: string): TokenFamily | undefined {
  if (isClaude(name)) return claudeFamily(name)
  return FAMILIES.find(([pattern]) => pattern.test(name))?.[1]
}

/** Is this the name of an Anthropic model? Some clients leave `claude` out of it. */
export function isClaude(name: string): boolean {
  return /claude|^(?:opus|sonnet|haiku|fable)\b/.test(name)
}

/** Claude 4.7 brought a tokenizer that makes about a third more tokens of the same text. */
function claudeFamily(name: string): TokenFamily {
  const version = claudeVersion(name)
  if (version === undefined) return /instant/.test(name) ? 'claude2' : 'claude47'
  if (version < 3) return 'claude2'
  return version < 4.65 ? 'claude3' : 'claude47'
}

/** First match wins: a distilled model has the tokenizer of what it was distilled into. */
const FAMILIES: readonly (readonly [RegExp, TokenFamily])[] = [
  [/gpt-?oss/, 'o200k'],
  [/gpt-?4o|gpt-?4[.-](?:1|5)(?!\d)|gpt-?[5-9]|(?:^|[^a-z0-9])o[1-9](?![a-z0-9])|codex|computer-use/, 'o200k'],
  [/gpt-?4|gpt-?3\.?5|text-embedding-(?:3|ada)/, 'cl100k'],
  [/gemini-?(?:[2-9]|\d\d|pro|flash|exp|live|robotics)|gemma-?3|learnlm/, 'gemma3'],
  [/llama[-_ ]?v?3|distill-llama/, 'llama3'],
  [/qwen-?(?:1|2)?(?![\d.]*audio)|qwq|qvq/, 'qwen3'],
  [/deepseek[-_/]?(?:chat|reasoner|r\d|v(?:[3-9]|\d\d)|prover-v2|$)/, 'deepseek_v3'],
]
