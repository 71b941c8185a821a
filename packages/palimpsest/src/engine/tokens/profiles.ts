import type { ThinkingBinding } from '../messages/message.ts'
import type { TokenFamily } from './feature-weights.ts'
import { claudeVersion, isClaude, modelFamily, modelNames } from './model-family.ts'
import { type ModelPrices, modelLine } from './model-lines.ts'

/** What is known about a model. */
export interface ModelProfile {
  /** False for a model whose window neither the table nor the user knows: a preset has numbers of its own for that. */
  readonly known: boolean
  /** Tokens that the model takes at once; where the provider limits the input by itself, that limit. Undefined: unknown. */
  readonly window?: number
  readonly maxOutput?: number
  readonly prices?: ModelPrices
  /** Does its provider cache prompts? */
  readonly caching: boolean
  readonly family: TokenFamily
  readonly thinkingBinding: ThinkingBinding
  readonly strictAlternation: boolean
  readonly triggerFrac?: number
  readonly keepFrac?: number
  readonly summarizerModel?: string
}

/** Profiles of the user's own, by model id: each field beats the table's. */
export type ProfileOverrides = Readonly<Record<string, Partial<Omit<ModelProfile, 'known'>>>>

/**
 * The profile of a model: the user's own over the table's, field by field. An override applies to the id as it stands there,
 * to the id without the provider before it, and to both with a date behind them.
 *
 * @example
 * resolveProfile('claude-sonnet-4-5').window // 200000
 */
export function resolveProfile(model: string | undefined, overrides: ProfileOverrides = {}): ModelProfile {
  const names = modelNames(model)
  const line = firstDefined(names, modelLine)
  const own = ownProfile(names, overrides)
  return {
    known: line !== undefined || own?.window !== undefined,
    caching: false,
    thinkingBinding: firstDefined(names, bindingOf) ?? 'none',
    strictAlternation: false,
    family: modelFamily(model),
    ...line,
    ...own,
  }
}

function ownProfile(names: readonly string[], overrides: ProfileOverrides): ProfileOverrides[string] | undefined {
  const own = new Map(Object.entries(overrides).map(([name, fields]) => [name.trim().toLowerCase(), fields]))
  // The whole id is the more specific one.
  const exact = [...names].reverse()
  return firstDefined([...exact, ...exact.map(withoutDate)], (name) => own.get(name))
}

/** `claude-sonnet-4-5-20250929`, `gpt-4o-2024-08-06` and `claude-opus-4-1@20250805` without their dates. */
function withoutDate(name: string): string {
  return name.replace(/[-@](?:20\d{6}|20\d\d-\d\d-\d\d)$/, '')
}

function firstDefined<T>(names: readonly string[], find: (name: string) => T | undefined): T | undefined {
  for (const name of names) {
    const found = find(name)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Fable 5.1, Opus 5.5 and Sonnet 5.5 were the first whose thinking is bound to all that stands before it; older Claude models
 * bind it to the open turn. Of a Claude without a version the older kind is assumed: if that is wrong the provider says so,
 * and the answer to that refusal is known.
 */
function bindingOf(name: string): ThinkingBinding | undefined {
  if (!isClaude(name)) return undefined
  const version = claudeVersion(name) ?? 0
  if (name.includes('haiku')) return version > 5.55 ? 'prefix' : 'turn'
  return version > (name.includes('fable') ? 5.05 : 5.45) ? 'prefix' : 'turn'
}
