import type { ProfileOverrides } from 'palimpsest'
import type { AgentConfig } from '../config/agent-config.ts'
import { parseModelName } from '../config/model-name.ts'
import type { AgentModel, OpenModel } from './agent-model.ts'
import type { Environment, ProviderSetup } from './providers/provider.ts'
import { PROVIDERS } from './providers/providers.ts'

/** What models are opened with. */
export interface OpenerOptions {
  /** Holds keys and base URLs under their usual names. */
  readonly env: Environment
  /** The user's own folder, for login files. */
  readonly home: string
  /** Base URLs by provider; they beat those of the environment. */
  readonly baseUrls?: Readonly<Record<string, string>> | undefined
  readonly effort?: AgentConfig['effort']
  readonly profiles?: ProfileOverrides | undefined
  /** Default: the global one. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Further providers, by the word before the colon. */
  readonly others?: Readonly<Record<string, (id: string) => Promise<AgentModel>>> | undefined
  /** Milliseconds since the epoch. Default: the clock. */
  readonly now?: (() => number) | undefined
}

/**
 * Opens models by their names.
 *
 * @example
 * const openModel = modelOpener({ env: process.env, home: homedir() })
 * const model = await openModel('anthropic:claude-sonnet-5')
 */
export function modelOpener(options: OpenerOptions): OpenModel {
  const setup = providerSetup(options)
  const conceal = concealerOf(options.env)
  const others = options.others ?? {}
  const named = [
    ...PROVIDERS.map(({ name, models }) => ({ name, example: models[0] ?? '' })),
    ...Object.keys(others).map((name) => ({ name, example: 'demo' })),
  ]
  return async (name) => {
    const { provider, id } = parseModelName(name, named)
    const other = Object.hasOwn(others, provider) ? others[provider] : undefined
    if (other !== undefined) return other(id)
    const known = PROVIDERS.find((one) => one.name === provider)
    if (known === undefined) throw new RangeError(`no provider is called ${provider}`)
    return { name: `${provider}:${id}`, provider, id, conceal, ...(await known.open(id, setup)) }
  }
}

/** Without the keys that the environment holds, whatever shape they have. */
function concealerOf(env: Environment): (text: string) => string {
  const keys = Object.entries(env).flatMap(([name, value = '']) =>
    HOLDS_KEY.test(name) && value.trim().length >= SHORTEST_KEY ? value.trim() : [],
  )
  return (text) => keys.reduce((shown, key) => shown.replaceAll(key, '…'), text)
}

const HOLDS_KEY = /KEY|TOKEN|SECRET|PASSWORD/i
/** What is shorter might be any word. */
const SHORTEST_KEY = 8

/** The options with nothing left open. */
export function providerSetup(options: Omit<OpenerOptions, 'others'>): ProviderSetup {
  return {
    env: options.env,
    home: options.home,
    baseUrls: options.baseUrls ?? {},
    effort: options.effort,
    profiles: options.profiles ?? {},
    fetch: options.fetch,
    now: options.now ?? Date.now,
  }
}
