import { isAbsolute, resolve } from 'node:path'
import { DEFAULT_PRESET, parseProfileOverrides } from 'palimpsest'
import { type ZodType, z } from 'zod'
import { parseAllow } from '../tools/permission/allow-rule.ts'
import type { AgentConfig, MergedKey } from './agent-config.ts'
import { providerOfId } from './model-name.ts'
import { presetOf } from './policy-of.ts'

/** Where a value stands, for paths that are meant from there. */
export interface ValuePlace {
  readonly folder: string
  readonly home: string | undefined
}

/** What may stand under one key. */
export interface ConfigKey<Value> {
  readonly schema: ZodType<Value>
  /** What would work: the end of `it wants …`. */
  readonly wants: string
  /** The environment variable that holds it. */
  readonly variable?: string
  /** What the text of the variable means. Default: the text itself. */
  readonly ofText?: (text: string) => unknown
  readonly fallback?: Value
  /** What counts where it is not set. */
  readonly unset?: string
  /** The value as it counts: paths whole, names of fields in one spelling. @throws PalimpsestError for what cannot be. */
  readonly settle?: (value: Value, place: ValuePlace) => Value
}

type ConfigKeys = { readonly [Key in keyof Required<AgentConfig>]: ConfigKey<Required<AgentConfig>[Key]> }

const NAMED_MODEL = /^[\w-]+:[^\s\p{Cc}]+$/u
const words = z.string().regex(/^[^\s\p{Cc}](?:[^\p{Cc}]*[^\s\p{Cc}])?$/u)
const count = z.int().positive()

/** Every key of the configuration, in the order in which it is shown. */
export const CONFIG_KEYS: ConfigKeys = {
  model: {
    schema: z.string().refine((name) => NAMED_MODEL.test(name) || providerOfId(name) !== undefined),
    wants: 'provider:model, such as anthropic:claude-sonnet-5',
    variable: 'PALIMPSEST_MODEL',
    unset: 'must be named',
  },
  summarizerModel: {
    schema: z.string().regex(/^[^\s\p{Cc}]+$/u),
    wants: "provider:model, the id of a model of the run's own provider, extractive, or model (the run's own)",
    variable: 'PALIMPSEST_SUMMARIZER_MODEL',
    unset: "the run's own model",
  },
  effort: {
    schema: z.enum(['low', 'medium', 'high']),
    wants: 'low, medium or high',
    unset: 'as the provider has it',
  },
  policy: {
    schema: words,
    wants: 'the name of a policy, or the path of a JSON file with one',
    fallback: DEFAULT_PRESET.name,
    settle: policyOf,
  },
  window: { schema: count, wants: 'a whole number of tokens above 0', unset: "as the model's profile says" },
  contextTriggerFrac: {
    schema: z.number().gt(0).lte(1),
    wants: 'a number above 0, at most 1, such as 0.85',
    variable: 'PALIMPSEST_CONTEXT_TRIGGER_FRAC',
    ofText: numberOf,
    unset: 'as the policy says',
  },
  contextKeepFrac: {
    schema: z.number().gte(0).lt(1),
    wants: 'a number from 0, below 1, such as 0.1',
    variable: 'PALIMPSEST_CONTEXT_KEEP_FRAC',
    ofText: numberOf,
    unset: 'as the policy says',
  },
  toolArgMaxTokens: {
    schema: z.int().nonnegative(),
    wants: 'a whole number of tokens from 0, such as 500',
    variable: 'PALIMPSEST_TOOL_ARG_MAX_TOKENS',
    ofText: numberOf,
    unset: 'as the policy says',
  },
  modelProfiles: {
    schema: z.custom<Required<AgentConfig>['modelProfiles']>(isRecord),
    wants: 'profiles by model, such as {"my-model": {"max_input_tokens": 32000}}',
    variable: 'PALIMPSEST_MODEL_PROFILES',
    ofText: jsonOf,
    unset: 'what is known of each model',
    settle: (profiles) => parseProfileOverrides(JSON.stringify(profiles)),
  },
  baseUrls: {
    schema: z
      .custom<Readonly<Record<string, string>>>(isRecord)
      .pipe(z.record(z.string(), z.string().refine(isHttpUrl))),
    wants: 'a URL by provider, such as {"openai": "https://gateway.example/v1"}',
    unset: "the providers' own",
  },
  allow: {
    schema: z.array(words),
    wants: 'a list of write, command, command:WORDS or all',
    unset: 'nothing: it asks',
    settle: allowRules,
  },
  store: {
    schema: words,
    wants: 'the path of a file, or postgres://USER@HOST/DATABASE',
    variable: 'PALIMPSEST_STORE',
    unset: "a file in the user's data folder",
    settle: storeAt,
  },
  maxSteps: { schema: count, wants: 'a whole number above 0', unset: '200 in a headless run, else no bound' },
  commandSeconds: {
    schema: z.number().positive().lte(86_400),
    wants: 'seconds, above 0, at most 86400',
    fallback: 120,
  },
  skills: {
    schema: z.array(words),
    wants: 'a list of paths of folders',
    unset: 'none but the usual folders',
    settle: (paths, place) => paths.map((path) => pathAt(path, place)),
  },
  toolResults: { schema: z.enum(['full', 'compact']), wants: 'full or compact', fallback: 'full' },
  redact: { schema: z.boolean(), wants: 'true or false', fallback: false },
}

/** The names of all keys. */
export const CONFIG_KEY_NAMES = Object.keys(CONFIG_KEYS) as readonly (keyof AgentConfig)[]

/**
 * Do entries of this key come from several places?
 *
 * @example isMergedKey('baseUrls') // true
 */
export function isMergedKey(key: string): key is MergedKey {
  return key === 'modelProfiles' || key === 'baseUrls'
}

/** What a key is called on the command line: `--max-steps`. */
export function flagOf(key: keyof AgentConfig): string {
  return SHORT_FLAGS[key] ?? `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

/** Flags with other names than their keys. */
const SHORT_FLAGS: Readonly<Partial<Record<keyof AgentConfig, string>>> = {
  summarizerModel: '--summarizer',
  contextTriggerFrac: '--trigger-frac',
  contextKeepFrac: '--keep-frac',
  baseUrls: '--base-url',
}

function policyOf(policy: string, place: ValuePlace): string {
  const settled = policy.endsWith('.json') ? pathAt(policy, place) : policy
  presetOf({ policy: settled })
  return settled
}

function allowRules(rules: readonly string[]): readonly string[] {
  for (const rule of rules) parseAllow(rule)
  return rules
}

/** `sqlite:FILE` and paths; another scheme has no path. */
function storeAt(store: string, place: ValuePlace): string {
  const [, scheme, path = ''] = /^(sqlite:(?!\/\/))(.+)$/is.exec(store) ?? []
  if (scheme !== undefined) return `${scheme}${pathAt(path, place)}`
  return /^[a-z][a-z0-9+.-]+:/i.test(store) ? store : pathAt(store, place)
}

function pathAt(path: string, { folder, home }: ValuePlace): string {
  if (isAbsolute(path)) return path
  if (home !== undefined && /^~(?=[/\\]|$)/.test(path)) return resolve(home, `.${path.slice(1)}`)
  return resolve(folder, path)
}

/** What is no number stays a text, to be told as it stands. */
function numberOf(text: string): unknown {
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : text
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
