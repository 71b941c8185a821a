import { PalimpsestError } from '../errors.ts'
import type { ThinkingBinding } from '../messages/message.ts'
import type { TokenFamily } from './feature-weights.ts'
import { modelFamily } from './model-family.ts'

/** Dollars per million tokens. */
export interface ModelPrices {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
}

/** What is known about a model. */
export interface ModelProfile {
  /** False for a model that neither the table nor the user knows. */
  readonly known: boolean
  /** Tokens of input and output together; undefined when unknown. */
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
export type ProfileOverrides = Readonly<Record<string, Partial<Omit<ModelProfile, 'known' | 'family'>>>>

/**
 * The profile of a model: the user's own over the table's. An override applies to the id as it stands there, or to the id
 * without the provider before it.
 */
export function resolveProfile(model: string | undefined, overrides: ProfileOverrides = {}): ModelProfile {
  const id = (model ?? '').toLowerCase()
  const line = LINES.find(([pattern]) => pattern.test(id))?.[1]
  const bare = id.slice(id.lastIndexOf('/') + 1)
  const own = Object.entries(overrides).find(([name]) => [id, bare].includes(name.toLowerCase()))?.[1]
  return {
    known: line !== undefined || own?.window !== undefined,
    caching: false,
    thinkingBinding: bindingOf(id),
    strictAlternation: false,
    ...line,
    ...own,
    family: modelFamily(model),
  }
}

/** A limit that a provider stated: it can only lower the window. */
export function learnLimit(profile: ModelProfile, limit: number): ModelProfile {
  if (!(limit > 0) || (profile.window !== undefined && profile.window <= limit)) return profile
  return { ...profile, known: true, window: Math.floor(limit) }
}

type Line = Partial<Omit<ModelProfile, 'known' | 'family' | 'thinkingBinding'>>

/**
 * Windows and output limits of model lines, first match wins; the smallest window that a line is sold with, so that a
 * request fits before anything is known about the account. Providers' model pages, as of 2026.
 */
const LINES: readonly (readonly [RegExp, Line])[] = [
  [/claude.*\[1m\]|claude.*-1m\b/, { window: 1_000_000, maxOutput: 64_000, caching: true }],
  [/claude-(?:instant|v?2)|claude-2/, { window: 100_000, maxOutput: 4_096, caching: false }],
  [/claude.*3[-.][05]?-?.*(?:haiku|sonnet|opus)|claude-3/, { window: 200_000, maxOutput: 8_192, caching: true }],
  [/claude/, { window: 200_000, maxOutput: 64_000, caching: true }],
  [/gpt-5/, { window: 400_000, maxOutput: 128_000, caching: true }],
  [/gpt-4\.1/, { window: 1_047_576, maxOutput: 32_768, caching: true }],
  [/gpt-4o|gpt-4\.5|gpt-4-turbo/, { window: 128_000, maxOutput: 16_384, caching: true }],
  [/gpt-4-32k/, { window: 32_768, maxOutput: 4_096, caching: false }],
  [/gpt-4/, { window: 8_192, maxOutput: 4_096, caching: false }],
  [/gpt-3\.5|gpt-35/, { window: 16_385, maxOutput: 4_096, caching: false }],
  [/gpt-oss/, { window: 131_072, maxOutput: 131_072, caching: false }],
  [/\bo[134](?:-|$)/, { window: 200_000, maxOutput: 100_000, caching: true }],
  [/codex/, { window: 272_000, maxOutput: 128_000, caching: true }],
  [/gemini-1\.5-pro/, { window: 2_097_152, maxOutput: 8_192, caching: true }],
  [/gemini/, { window: 1_048_576, maxOutput: 65_536, caching: true }],
  [/gemma/, { window: 131_072, maxOutput: 8_192, caching: false }],
  [/qwen3-coder|qwen3-max/, { window: 262_144, maxOutput: 65_536, caching: false }],
  [/qwen/, { window: 131_072, maxOutput: 8_192, caching: false }],
  [/deepseek/, { window: 128_000, maxOutput: 8_192, caching: true }],
  [/llama-?3(?!\.)|llama3(?!\.)/, { window: 8_192, maxOutput: 2_048, caching: false }],
  [/llama/, { window: 131_072, maxOutput: 8_192, caching: false }],
  [/kimi|moonshot/, { window: 131_072, maxOutput: 16_384, caching: true }],
  [/glm/, { window: 131_072, maxOutput: 98_304, caching: true }],
  [/minimax/, { window: 200_000, maxOutput: 64_000, caching: true }],
  [/mistral|mixtral|devstral|codestral|magistral/, { window: 131_072, maxOutput: 8_192, caching: false }],
  [/grok/, { window: 131_072, maxOutput: 16_384, caching: true }],
  [/nova/, { window: 300_000, maxOutput: 10_240, caching: true }],
]

/** Preserved thinking starts with Fable 5.1, Opus 5.5 and Sonnet 5.5; older Claude models bind it to the open turn. */
function bindingOf(id: string): ThinkingBinding {
  if (!id.includes('claude') && !id.includes('fable')) return 'none'
  const match = /(fable|opus|sonnet|haiku)[-\s]?v?(\d+)(?:[-.](\d{1,2})(?!\d))?/.exec(id)
  if (match === null) return 'turn'
  const version = Number(match[2]) + Number(match[3] ?? 0) / 10
  return version >= (match[1] === 'fable' ? 5.1 : 5.5) ? 'prefix' : 'turn'
}

/**
 * Overrides from the JSON of `PALIMPSEST_MODEL_PROFILES`: `{"model": {"max_input_tokens": 32000, "triggerFrac": 0.7}}`, names in
 * snake_case or camelCase.
 * @throws PalimpsestError `invalid-input` that names the model and key that is wrong.
 */
export function parseProfileOverrides(json: string): ProfileOverrides {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (cause) {
    throw new PalimpsestError('invalid-input', `The model profiles are not JSON: ${(cause as Error).message}`, {
      hint: 'They are an object such as {"my-model": {"max_input_tokens": 32000}}.',
      cause,
    })
  }
  const models = Object.entries(object(value, 'the value'))
  return Object.fromEntries(models.map(([model, fields]) => [model, overrideOf(model, object(fields, model))]))
}

type Field = { readonly name: keyof ModelProfile; readonly holds: (value: unknown) => boolean; readonly text: string }

const COUNT = {
  holds: (value: unknown) => Number.isSafeInteger(value) && (value as number) > 0,
  text: 'a whole number above 0',
}
const SHARE = {
  holds: (value: unknown) => typeof value === 'number' && value > 0 && value <= 1,
  text: 'a number above 0, at most 1',
}
const FLAG = { holds: (value: unknown) => typeof value === 'boolean', text: 'true or false' }

const FIELDS: Readonly<Record<string, Field>> = {
  max_input_tokens: { name: 'window', ...COUNT },
  window: { name: 'window', ...COUNT },
  context_window: { name: 'window', ...COUNT },
  max_output_tokens: { name: 'maxOutput', ...COUNT },
  max_output: { name: 'maxOutput', ...COUNT },
  caching: { name: 'caching', ...FLAG },
  strict_alternation: { name: 'strictAlternation', ...FLAG },
  trigger_frac: { name: 'triggerFrac', ...SHARE },
  keep_frac: { name: 'keepFrac', ...SHARE },
  summarizer_model: {
    name: 'summarizerModel',
    holds: (value) => typeof value === 'string' && value !== '',
    text: 'a model id',
  },
  thinking_binding: {
    name: 'thinkingBinding',
    holds: (value) => value === 'none' || value === 'turn' || value === 'prefix',
    text: 'none, turn or prefix',
  },
  prices: {
    name: 'prices',
    holds: (value) =>
      value !== null && typeof value === 'object' && Object.values(value).every((one) => typeof one === 'number'),
    text: 'an object of numbers: input, output, cacheRead, cacheWrite',
  },
}

function overrideOf(model: string, fields: Record<string, unknown>): ProfileOverrides[string] {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => {
      const field = FIELDS[key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]
      if (field === undefined) wrong(`${model}.${key}`, `is not known; known are ${Object.keys(FIELDS).join(', ')}`)
      if (!field.holds(value)) wrong(`${model}.${key}`, `must be ${field.text}`)
      return [field.name, value]
    }),
  )
}

function object(value: unknown, what: string): Record<string, unknown> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) wrong(what, 'must be an object')
  return value as Record<string, unknown>
}

function wrong(where: string, what: string): never {
  throw new PalimpsestError('invalid-input', `Model profiles: ${where} ${what}.`, {
    hint: 'The shape is {"my-model": {"max_input_tokens": 32000, "trigger_frac": 0.8}}.',
  })
}
