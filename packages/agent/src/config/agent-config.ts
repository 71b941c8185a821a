import type { ProfileOverrides } from 'palimpsest'

/** What a user may configure: in `palimpsest.config.ts` or `.json`, by environment variables, by flags; the later ones win. */
export interface AgentConfig {
  /** `provider:model`. */
  readonly model?: string
  /** Writes summaries: `provider:model`, the id of a model of the run's own provider, or `extractive`. Default: the run's own model. */
  readonly summarizerModel?: string
  /** How hard the model thinks, where it can be told. Default: as the provider has it. */
  readonly effort?: 'low' | 'medium' | 'high'
  /** The policy of compactions: a preset by name. Default `palimpsest`. */
  readonly policy?: string
  /** The model's window in tokens, where the profile is wrong or missing. */
  readonly window?: number
  /** Beats the policy's trigger: a share of the window, above 0 up to 1. */
  readonly contextTriggerFrac?: number
  /** Beats the policy's keep window: a share of the window, from 0 below 1. */
  readonly contextKeepFrac?: number
  /** Beats the policy's bound of old tool arguments, in tokens. */
  readonly toolArgMaxTokens?: number
  /** Profiles of models, as `PALIMPSEST_MODEL_PROFILES` has them. */
  readonly modelProfiles?: ProfileOverrides
  /** Base URLs by provider, for gateways and compatible servers. */
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

/** Where a value comes from: `default`, `palimpsest.config.ts`, the name of a variable, or a flag. */
export interface ConfigSource {
  readonly kind: 'default' | 'file' | 'environment' | 'flag'
  /** The path of the file, the variable, the flag. */
  readonly name?: string
}

/** The configuration that counts, and where each value comes from. */
export interface ResolvedConfig {
  readonly config: AgentConfig
  readonly sources: Readonly<Partial<Record<keyof AgentConfig, ConfigSource>>>
  /** The file that was read. */
  readonly file?: string
}
