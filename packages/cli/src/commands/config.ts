import {
  type AgentConfig,
  CONFIG_KEYS,
  type ConfigSource,
  isMergedKey,
  type ResolvedConfig,
  type ResolveOptions,
  resolveConfig,
  shown,
  withoutSecrets,
} from '@palimpsest/agent'
import { withFoundModel } from '../agent/found-model.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { oneLine } from '../session-text/plain-text.ts'
import type { Terminal } from '../terminal.ts'
import { columns } from '../text-columns.ts'

export interface ConfigCommandOptions extends ResolveOptions {
  readonly json?: boolean
  /** The user's own folder: with it, a model is looked for where none is named. */
  readonly home?: string
}

/** Prints the configuration that counts: each key, its value, and where that comes from; nothing that opens a door. */
export async function configCommand(options: ConfigCommandOptions, terminal: Terminal): Promise<ExitCode> {
  const { env, home } = options
  const named = await resolveConfig(options)
  const resolved = home === undefined ? named : await withFoundModel(named, { env, home })
  if (options.json) terminal.data(`${JSON.stringify(configJson(resolved), undefined, 2)}\n`)
  else terminal.data(`${columns([TITLES, ...configRows(resolved)], SIDES)}\n`)
  return exitCode.fine
}

const TITLES = ['key', 'value', 'from']
const SIDES = ['left', 'left', 'left'] as const
const KEYS = Object.keys(CONFIG_KEYS) as readonly (keyof AgentConfig)[]

function configRows(resolved: ResolvedConfig): readonly (readonly string[])[] {
  return KEYS.flatMap((key) => {
    const value = resolved.config[key]
    if (value === undefined) return [[key, '-', `default: ${CONFIG_KEYS[key].unset ?? 'not set'}`]]
    return entriesOf(key, resolved) ?? [[key, valueText(value), sourceText(resolved.sources[key])]]
  })
}

/** One row for each entry of a key whose entries come from several places. */
function entriesOf(key: keyof AgentConfig, resolved: ResolvedConfig): readonly (readonly string[])[] | undefined {
  if (!isMergedKey(key)) return undefined
  const entries = Object.entries(resolved.config[key] ?? {})
  if (entries.length === 0) return undefined
  const sources = resolved.entrySources[key] ?? {}
  return entries.map(([name, value]) => [oneLine(`${key}.${name}`), valueText(value), sourceText(sources[name])])
}

function valueText(value: unknown): string {
  return oneLine(typeof value === 'string' ? withoutSecrets(value) : shown(value))
}

function sourceText(source: ConfigSource | undefined): string {
  return oneLine(source?.name ?? source?.kind ?? 'default')
}

function configJson(resolved: ResolvedConfig): unknown {
  const keys = KEYS.map((key) => {
    const source = resolved.sources[key] ?? { kind: 'default' }
    const entries = isMergedKey(key) ? resolved.entrySources[key] : undefined
    return [key, { value: masked(resolved.config[key]) ?? null, source, ...(entries && { entries }) }] as const
  })
  return { file: resolved.file ?? null, user_file: resolved.userFile ?? null, config: Object.fromEntries(keys) }
}

/** The same value with no secret in any of its texts. */
function masked(value: unknown): unknown {
  if (typeof value === 'string') return withoutSecrets(value)
  if (Array.isArray(value)) return value.map(masked)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, masked(inner)]))
}
