import {
  type Agent,
  type AgentConfig,
  type AgentEventListener,
  type AskPermission,
  modelOpener,
  type OpenModel,
  type ResolvedConfig,
  resolveConfig,
  startAgent,
  type WantedSession,
} from '@palimpsest/agent'
import type { SessionStore } from '@palimpsest/sessions'
import { redacting } from 'palimpsest'
import { usageError } from '../error-report.ts'
import { DEFAULT_NAMESPACE, type OpenedStore, openStore } from '../session-store/opened-store.ts'
import { clipped, oneLine } from '../session-text/plain-text.ts'
import { seenAgent } from '../telemetry/seen-agent.ts'
import type { AgentFlags } from './agent-flags.ts'
import { Closing } from './closing.ts'
import { configPlaces, type Surroundings } from './config-places.ts'
import { withFoundModel } from './found-model.ts'
import { openingNotes } from './opening-notes.ts'
import { type SessionOfRun, sessionOfRun } from './session-of-run.ts'
import { wirelabProfiles } from './wirelab-profiles.ts'

/** Who hears of what an agent does, and who is asked. */
export interface AgentPorts {
  /** Without it everything that is not allowed is denied. */
  readonly ask?: AskPermission
  readonly onEvent: AgentEventListener
}

export interface OpenAgentOptions extends Surroundings {
  /** The user's own folder. */
  readonly home: string
  /** What the session will be called, where it is new. */
  readonly firstPrompt?: string
  /** Steps of a turn, where nobody says. */
  readonly maxSteps?: number
  /** One line for the person, when all is over. */
  say?(line: string): void
  /** Does a person watch? Then what is simulated takes its time. */
  readonly watched: boolean
}

/** An agent, and what a conversation with it may need beside it. */
export interface OpenedAgent {
  readonly agent: Agent
  readonly config: ResolvedConfig
  readonly openModel: OpenModel
  readonly sessions: SessionStore
  readonly namespace: string
  /** What the person should know before anything happens, one line each. */
  readonly notes: readonly string[]
  /** An agent on another stored session, with the same model. */
  resume(id: string): Promise<Agent>
  /** Lets go of the store and of simulators; a new session in which nothing happened is removed. */
  close(): Promise<void>
}

/**
 * Opens the agent that flags, environment and configuration file ask for.
 * @throws PalimpsestError that says what is wrong with these, or what cannot be opened.
 */
export async function openAgent(flags: AgentFlags, ports: AgentPorts, options: OpenAgentOptions): Promise<OpenedAgent> {
  const places = configPlaces(flags, options)
  const resolved = await withFoundModel(await resolveConfig(places), options)
  const closing = new Closing()
  try {
    return await opened({ flags, ports, options, cwd: places.cwd, resolved, closing })
  } catch (error) {
    // what went wrong first is what has to be told
    await closing.close().catch(() => undefined)
    throw error
  }
}

interface Opening {
  readonly flags: AgentFlags
  readonly ports: AgentPorts
  readonly options: OpenAgentOptions
  readonly cwd: string
  readonly resolved: ResolvedConfig
  readonly closing: Closing
}

async function opened({ flags, ports, options, cwd, resolved, closing }: Opening): Promise<OpenedAgent> {
  const { home, env, firstPrompt } = options
  const seen = await seenAgent({ onEvent: ports.onEvent, env, say: (line) => options.say?.(line) })
  closing.add(() => seen.stop())
  const config = withDefaults(resolved.config, options)
  const openModel = closedWith(closing, openerOf(config, options))
  const model = await openModel(config.model ?? noModel())
  const { sessions, database } = await storeOf(config, flags, options)
  closing.add(() => database.close())
  const chosen = await sessionOfRun(flags, { sessions, cwd })
  const namespace = flags.namespace ?? DEFAULT_NAMESPACE
  const stores = config.redact === true ? redacting(database.stores) : database.stores
  const setup = { cwd, home, env, config, openModel, sessions, stores, namespace, ...ports, ...seen.listeners }
  const agent = await startAgent({ ...setup, model, ...titled(chosen, firstPrompt) })
  if (!('resume' in chosen)) closing.add(() => removeUnused(agent.session.id, sessions))
  let newest = agent
  return {
    agent,
    config: resolved,
    openModel,
    sessions,
    namespace,
    notes: [...openingNotes(resolved, flags), ...seen.notes],
    async resume(id) {
      newest = await startAgent({ ...setup, model: newest.model, resume: id })
      return newest
    },
    close: () => closing.close(),
  }
}

function withDefaults(config: AgentConfig, { maxSteps }: OpenAgentOptions): AgentConfig {
  return {
    ...(maxSteps !== undefined && { maxSteps }),
    ...config,
    modelProfiles: { ...wirelabProfiles(config.model), ...config.modelProfiles },
  }
}

function openerOf(config: AgentConfig, { env, home, watched }: OpenAgentOptions): OpenModel {
  const { baseUrls, effort, modelProfiles: profiles } = config
  return modelOpener({
    env,
    home,
    ...(baseUrls !== undefined && { baseUrls }),
    ...(effort !== undefined && { effort }),
    ...(profiles !== undefined && { profiles }),
    others: {
      async wirelab(id) {
        // only who has no key needs a simulator
        const { openWirelab } = await import('./wirelab-model.ts')
        return openWirelab(id, { home, paced: watched, ...(profiles !== undefined && { profiles }) })
      },
    },
  })
}

/** Opens models that are closed in the end, whoever uses them last. */
function closedWith(closing: Closing, open: OpenModel): OpenModel {
  return async (name) => {
    const model = await open(name)
    closing.add(async () => model.close?.())
    return model
  }
}

function noModel(): never {
  throw usageError(
    'No model is named, and there is no key of any provider.',
    'Set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or give --model provider:model; --model wirelab:demo needs no key.',
  )
}

/** A session to go on with is only looked for in a store that there is. */
function storeOf(
  config: AgentConfig,
  { namespace, resume }: AgentFlags,
  { env }: OpenAgentOptions,
): Promise<OpenedStore> {
  const place = {
    ...(config.store !== undefined && { store: config.store }),
    ...(namespace !== undefined && { namespace }),
  }
  return openStore(place, { make: resume === undefined, env })
}

/** A new session is called by the first words of what was asked first. */
function titled(chosen: SessionOfRun, prompt: string | undefined): WantedSession {
  return prompt === undefined || 'resume' in chosen ? chosen : { ...chosen, title: clipped(oneLine(prompt), 60) }
}

/** A session in which nothing happened is nothing that one would go on with. */
async function removeUnused(id: string, sessions: SessionStore): Promise<void> {
  if ((await sessions.find(id))?.entries === 1) await sessions.remove(id)
}
