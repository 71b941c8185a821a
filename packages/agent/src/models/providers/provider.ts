import type { ProfileOverrides } from 'palimpsest'
import type { AgentConfig } from '../../config/agent-config.ts'
import type { AgentModel } from '../agent-model.ts'

/** A service that has models: how its key is found, and how a model of it is opened. */
export interface ModelProvider {
  /** The word before the colon. */
  readonly name: string
  /** Current models of it, the one to name first in front. */
  readonly models: readonly string[]
  /** Resolves when a model could be opened. @throws PalimpsestError that says what is missing, in one line. */
  check(setup: ProviderSetup): Promise<void>
  /** @throws PalimpsestError as `check` does. */
  open(id: string, setup: ProviderSetup): Promise<OpenedModel>
}

/** A model without its names. */
export type OpenedModel = Pick<AgentModel, 'language' | 'settings' | 'upstream' | 'fit'>

export type Environment = Readonly<Record<string, string | undefined>>

/** What providers are opened with. */
export interface ProviderSetup {
  readonly env: Environment
  readonly home: string
  /** Base URLs by the name of the provider. */
  readonly baseUrls: Readonly<Record<string, string>>
  readonly effort: AgentConfig['effort']
  readonly profiles: ProfileOverrides
  /** Milliseconds since the epoch: is a login still valid? */
  readonly now: () => number
  readonly fetch: typeof globalThis.fetch | undefined
}
