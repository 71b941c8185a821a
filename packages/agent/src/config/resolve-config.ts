import { dirname, resolve } from 'node:path'
import { PalimpsestError, type ProfileOverrides } from 'palimpsest'
import type { AgentConfig, ConfigSource, MergedKey, ResolvedConfig } from './agent-config.ts'
import { configFileIn, projectConfigFile, readConfigFile } from './config-file.ts'
import { CONFIG_KEY_NAMES, CONFIG_KEYS, type ConfigKey, flagOf, isMergedKey } from './config-keys.ts'
import { type ConfigPlace, type PlaceValues, readPlace } from './config-values.ts'
import { userConfigFolder, userHome } from './user-folder.ts'

/** Where configuration is looked for. */
export interface ResolveOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly flags: AgentConfig
  /** Another file than the project's; false: no file at all. */
  readonly file?: string | false
}

/**
 * The configuration that counts: of the user's own file, the project's file, the environment and the flags the later ones win,
 * key by key. A file of code is run.
 *
 * @throws PalimpsestError that tells all that is wrong at once, each with its place, its key, and what would work.
 *
 * @example
 * const { config } = await resolveConfig({ cwd, env, flags: { maxSteps: 50 } })
 */
export async function resolveConfig(options: ResolveOptions): Promise<ResolvedConfig> {
  const faults: string[] = []
  const files = await readFiles(options, faults)
  const places = [...files.places, environmentPlace(options), flagPlace(options)].map(readPlace)
  refuse([...faults, ...places.flatMap((place) => place.faults)])
  return {
    ...merged(places),
    ...(files.file !== undefined && { file: files.file }),
    ...(files.userFile !== undefined && { userFile: files.userFile }),
  }
}

interface ConfigFiles {
  readonly places: readonly ConfigPlace[]
  readonly file?: string | undefined
  readonly userFile?: string | undefined
}

async function readFiles(options: ResolveOptions, faults: string[]): Promise<ConfigFiles> {
  const { cwd, env, file: named } = options
  if (named === false) return { places: [] }
  const own = userConfigFolder(env)
  const file = named === undefined ? await told(projectConfigFile(cwd), faults) : resolve(cwd, named)
  const userFile = own === undefined ? undefined : await told(configFileIn(own), faults)
  const places: ConfigPlace[] = []
  for (const path of new Set([userFile, file])) {
    if (path === undefined) continue
    const values = await told(
      readConfigFile(path).then((value) => ({ value })),
      faults,
    )
    if (values !== undefined) places.push(filePlace(path, values.value, env))
  }
  return { places, file, userFile: userFile === file ? undefined : userFile }
}

/** What the promise gives; what the world did against it joins the faults. */
async function told<T>(promise: Promise<T>, faults: string[]): Promise<T | undefined> {
  try {
    return await promise
  } catch (error) {
    if (!(error instanceof PalimpsestError)) throw error
    faults.push(error.hint === undefined ? error.message : `${error.message} ${error.hint}`)
    return undefined
  }
}

function filePlace(path: string, values: unknown, env: ResolveOptions['env']): ConfigPlace {
  return {
    name: path,
    values,
    folder: dirname(path),
    home: userHome(env),
    source: () => ({ kind: 'file', name: path }),
    label: (key) => `${path}: ${key}`,
  }
}

function environmentPlace({ cwd, env }: ResolveOptions): ConfigPlace {
  const variable = (key: string) => (CONFIG_KEYS as Readonly<Record<string, ConfigKey<unknown>>>)[key]?.variable ?? key
  const values = CONFIG_KEY_NAMES.map((key) => {
    const { ofText } = CONFIG_KEYS[key]
    const text = env[variable(key)]?.trim() ?? ''
    return [key, text === '' || variable(key) === key ? undefined : (ofText?.(text) ?? text)] as const
  })
  return {
    name: 'The environment',
    values: Object.fromEntries(values),
    folder: cwd,
    home: userHome(env),
    source: (key) => ({ kind: 'environment', name: variable(key) }),
    label: variable,
  }
}

function flagPlace({ cwd, env, flags }: ResolveOptions): ConfigPlace {
  return {
    name: 'The command line',
    values: flags,
    folder: cwd,
    home: userHome(env),
    source: (key) => ({ kind: 'flag', name: flagOf(key) }),
    label: (key) => flagOf(key as keyof AgentConfig),
  }
}

function refuse(faults: readonly string[]): void {
  const [first] = faults
  if (first === undefined) return
  const message = faults.length === 1 ? first : [`${faults.length} faults in the configuration:`, ...faults].join('\n')
  throw new PalimpsestError('invalid-input', message, {
    hint: '`palimpsest config` shows every key and where it may stand.',
  })
}

/** From the weakest place to the strongest. */
function merged(places: readonly PlaceValues[]): Omit<ResolvedConfig, 'file' | 'userFile'> {
  const config: Record<string, unknown> = {}
  const sources: Partial<Record<keyof AgentConfig, ConfigSource>> = {}
  for (const key of CONFIG_KEY_NAMES) {
    const { fallback } = CONFIG_KEYS[key]
    if (fallback === undefined) continue
    config[key] = fallback
    sources[key] = { kind: 'default' }
  }
  for (const { place, values } of places) {
    for (const [key, value] of Object.entries(values) as [keyof AgentConfig, unknown][]) {
      config[key] = isMergedKey(key) ? { ...(config[key] as object | undefined), ...(value as object) } : value
      sources[key] = place.source(key)
    }
  }
  const entrySources = { modelProfiles: sourcesIn('modelProfiles', places), baseUrls: sourcesIn('baseUrls', places) }
  const profiles = profilesThatCount(places)
  return { config: { ...config, ...(profiles !== undefined && { modelProfiles: profiles }) }, sources, entrySources }
}

function sourcesIn(key: MergedKey, places: readonly PlaceValues[]): Readonly<Record<string, ConfigSource>> {
  const named = places.flatMap(({ place, values }) =>
    Object.keys(values[key] ?? {}).map((entry) => [entry, place.source(key)] as const),
  )
  return Object.fromEntries(named)
}

/** Fields of a profile, and the keys that say the same of every model. */
const SAID_OF_ALL = {
  triggerFrac: 'contextTriggerFrac',
  keepFrac: 'contextKeepFrac',
  summarizerModel: 'summarizerModel',
} as const

/** The profiles of all places; what a stronger place says of every model beats a weaker one's profile of one model. */
function profilesThatCount(places: readonly PlaceValues[]): ProfileOverrides | undefined {
  if (places.every(({ values }) => values.modelProfiles === undefined)) return undefined
  return places.reduce<ProfileOverrides>((profiles, { values }) => {
    const beaten = Object.entries(SAID_OF_ALL).filter(([, key]) => values[key] !== undefined)
    const left = Object.entries(profiles).map(([model, fields]) => [
      model,
      without(
        fields,
        beaten.map(([field]) => field),
      ),
    ])
    return { ...Object.fromEntries(left), ...values.modelProfiles }
  }, {})
}

function without(fields: object, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))
}
