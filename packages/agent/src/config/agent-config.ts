import type { ProfileOverrides } from 'palimpsest'

/**
 * What a user may configure: in `palimpsest.config.ts` or `.json`, by environment variables, by flags; the later ones win. Keys
 * are in camelCase; only the fields of `modelProfiles` may be in snake_case too. Relative paths in a file start at its folder.
 */
export interface AgentConfig {
  /** `provider:model`. */
  readonly model?: string
  /**
   * Writes summaries: `provider:model`, the id of a model of the run's own provider, `extractive`, or `model`: the run's
   * own. Default `model`. Where the model's profile names one, that counts, unless this stands in a stronger place; so do the two fractions.
   */
  readonly summarizerModel?: string
  /** How hard the model thinks, where it can be told. Default: as the provider has it. */
  readonly effort?: 'low' | 'medium' | 'high'
  /** The policy of compactions: a preset by name, or the path of a JSON file with one. Default `palimpsest`. */
  readonly policy?: string
  /** The model's window in tokens, where the profile is wrong or missing. */
  readonly window?: number
  /**
   * Beats the policy's trigger: a share of the window, above 0 up to 1. Room for the output and the margin stay free all the
   * same. A model whose window nobody knows has no shares: the policy's numbers count.
   */
  readonly contextTriggerFrac?: number
  /** Beats the policy's keep window: a share of the window, from 0 below 1. `keen` keeps nothing by its form. */
  readonly contextKeepFrac?: number
  /** Beats the policy's bound of old tool arguments, in tokens; old results follow where the policy has no bound for them. */
  readonly toolArgMaxTokens?: number
  /** Profiles of models, as `PALIMPSEST_MODEL_PROFILES` has them. A stronger place replaces those that it names, whole. */
  readonly modelProfiles?: ProfileOverrides
  /** Base URLs by provider, for gateways and compatible servers. A stronger place replaces those that it names. */
  readonly baseUrls?: Readonly<Record<string, string>>
  /** What runs without being asked about: `write`, `command`, `command:npm test`, `all`. */
  readonly allow?: readonly string[]
  /** Where sessions are kept: a file, or `postgres://…`. Default: a file in the user's data folder. */
  readonly store?: string
  /** Steps of one turn. Default 200 in a headless run; no bound in the terminal. */
  readonly maxSteps?: number
  /** Seconds that a command may run. Default 120. */
  readonly commandSeconds?: number
  /** Further folders of skills. */
  readonly skills?: readonly string[]
  /** What is stored of the results of tools. Default `full`. */
  readonly toolResults?: 'full' | 'compact'
  /** Where evicted messages and artifacts go, what looks like a secret is masked. Default false. */
  readonly redact?: boolean
}

/**
 * The configuration as it stands, with its keys checked by the compiler: the default export of `palimpsest.config.ts`.
 *
 * @example export default defineConfig({ model: 'anthropic:claude-sonnet-5' })
 */
export function defineConfig(config: AgentConfig): AgentConfig {
  return config
}

/** Where a value comes from: `default`, `palimpsest.config.ts`, the name of a variable, or a flag. */
export interface ConfigSource {
  readonly kind: 'default' | 'file' | 'environment' | 'flag'
  /** The path of the file, the variable, the flag. */
  readonly name?: string
}

/** Keys whose entries come from several places. */
export type MergedKey = 'modelProfiles' | 'baseUrls'

/** The configuration that counts, and where each value comes from. */
export interface ResolvedConfig {
  readonly config: AgentConfig
  /** Of `modelProfiles` and `baseUrls`: the strongest place that has entries of them. */
  readonly sources: Readonly<Partial<Record<keyof AgentConfig, ConfigSource>>>
  /** Where each entry of `modelProfiles` and `baseUrls` comes from. */
  readonly entrySources: Readonly<Partial<Record<MergedKey, Readonly<Record<string, ConfigSource>>>>>
  /** The file of the project, or the one that was named. */
  readonly file?: string
  /** The file in the user's own folder. */
  readonly userFile?: string
}
