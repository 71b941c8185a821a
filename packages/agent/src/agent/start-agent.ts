import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { memorySessions, Session, type SessionStore, type SessionSummary } from '@palimpsest/sessions'
import {
  aiSdk,
  compactionLimits,
  PalimpsestError,
  type Preset,
  type Stores,
  type Usage,
  virtualFiles,
} from 'palimpsest'
import type { AgentConfig } from '../config/agent-config.ts'
import { presetOf, summarizerOf } from '../config/policy-of.ts'
import { userConfigFolder } from '../config/user-folder.ts'
import { repositoryRoot } from '../folders/repository.ts'
import type { AgentEventListener } from '../loop/agent-event.ts'
import { requestFrame, turnRequest } from '../loop/turn-request.ts'
import { skillFolders } from '../memory/skills.ts'
import { compactionEvents } from '../middleware/compaction-events.ts'
import { filesystemSlot } from '../middleware/filesystem.ts'
import { memorySlot } from '../middleware/memory.ts'
import type { AgentMiddleware, SlotName } from '../middleware/middleware.ts'
import { NewestRequest } from '../middleware/newest-request.ts'
import { promptCacheSlot } from '../middleware/prompt-cache.ts'
import { MiddlewareStack } from '../middleware/stack.ts'
import { subAgentSlot } from '../middleware/sub-agent.ts'
import { summarisationSlot } from '../middleware/summarisation.ts'
import type { AgentModel, OpenModel } from '../models/agent-model.ts'
import { PROVIDERS } from '../models/providers/providers.ts'
import { subAgentPrompt, systemPrompt } from '../prompt/system-prompt.ts'
import type { AgentTool, ToolCall } from '../tools/agent-tool.ts'
import { historyTools } from '../tools/history-tools.ts'
import { type AskPermission, Permissions } from '../tools/permissions.ts'
import { todoTool } from '../tools/todo-tool.ts'
import { workspaceTools } from '../tools/workspace-tools.ts'
import type { Agent } from './agent.ts'
import { LiveAgent } from './live-agent.ts'
import { ModelInUse } from './model-in-use.ts'
import { UsedContext } from './used-context.ts'

/** What an agent is started with. */
export interface AgentSetup {
  /** The workspace: its tools do not leave it. */
  readonly cwd: string
  readonly home: string
  /** Variables of the user; commands get them without keys. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly config: AgentConfig
  readonly model: AgentModel
  readonly openModel: OpenModel
  readonly sessions: SessionStore
  /** Where compactions, histories and artifacts are kept. */
  readonly stores: Stores
  /** Whose conversations these are. */
  readonly namespace: string
  /** Asks the person before something is written or run. Absent: nobody can be asked, and only what is allowed happens. */
  readonly ask?: AskPermission
  readonly onEvent?: AgentEventListener
  /** The stored session to go on with. Default: a new one. */
  readonly resume?: string
  /** The id of a new session. Default: one of its own. */
  readonly session?: string
  /** The title of a new session. */
  readonly title?: string
  /** Slots to leave out. Without `summarisation` nothing is compacted, whatever the window. */
  readonly without?: readonly SlotName[]
  /** Milliseconds since the epoch. Default `Date.now`. */
  readonly now?: () => number
}

/**
 * Starts an agent on a new session, or on a stored one.
 * @throws PalimpsestError `not-found` for a session that is not there, `invalid-input` for one of another wire format or for a
 * configuration that cannot work, and what opening the summariser's model throws.
 *
 * @example
 * const agent = await startAgent({ cwd, home, env, config, model: await openModel('anthropic:claude-sonnet-5'), openModel,
 *   sessions, stores, namespace: 'default' })
 * const { texts } = await agent.send('Why does the build fail?')
 */
export function startAgent(setup: AgentSetup): Promise<Agent> {
  return assemble(setup)
}

/** What a sub-agent has of the agent that started it. */
interface Origin {
  readonly id: string
  readonly permissions: Permissions
}

async function assemble(setup: AgentSetup, origin?: Origin): Promise<LiveAgent> {
  const { config, sessions, stores, namespace, model, now = Date.now } = setup
  const newId = () => newSessionId(now())
  const id = origin?.id ?? setup.resume ?? setup.session ?? newId()
  const preset = presetOf(config)
  const profiles = config.modelProfiles ?? {}
  const summarizer = await openSummarizer(setup)
  const used = new UsedContext()
  const newest = new NewestRequest()
  const emit: AgentEventListener = (event) => {
    used.hear(event)
    setup.onEvent?.(event)
  }
  const permissions = origin?.permissions ?? permissionsOf(setup, emit)
  // what is made further down is there when any of this runs
  const subAgents = subAgentSlot({
    start: (call) => subAgentOf({ ...setup, model: inUse.model }, { call, parent: session, permissions, emit }),
    onEnd: (child) => countSummaries(child, session),
  })
  const tools = await toolsOf(setup, { id, newest, mayCompact: () => isLargeEnough(preset, newest, inUse) })
  const outer: readonly AgentMiddleware[] = [
    filesystemSlot({ tools, namespace, artifacts: stores.artifacts, offloads: config.toolResults !== 'compact' }),
    ...(origin === undefined ? [subAgents] : []),
    promptCacheSlot({ profiles }),
    memorySlot({
      ...placesOf(setup),
      // what is wrong with the files was told by the agent that started this one
      ...(origin === undefined && { onWarning: (message) => emit({ type: 'warning', message }) }),
    }),
  ]
  const repository = (await repositoryRoot(setup.cwd)) !== undefined
  const prompt = origin === undefined ? systemPrompt : subAgentPrompt
  const system = prompt({ cwd: setup.cwd, platform: process.platform, repository })
  const session = await sessionOf(setup, { id, system, outer })
  used.resume(session.snapshot.lastInputTokens)
  const inUse: ModelInUse = new ModelInUse({
    ...{ model, summarizer, preset, profiles, stores, namespace, window: config.window },
    toolResults: config.toolResults ?? 'full',
    onEvent: compactionEvents({ session, emit, summarizer: () => inUse.summarizerName }),
  })
  const summarisation = summarisationSlot({ session, namespace, newest, compactor: () => inUse.compactor })
  return new LiveAgent({
    ...{ session, sessions, system, inUse, permissions, preset, profiles, used, emit, now, newId },
    stack: new MiddlewareStack(kept([...outer, summarisation], setup)),
    maxSteps: config.maxSteps ?? Number.POSITIVE_INFINITY,
    resume: (stored) => assemble({ ...setup, model: inUse.model, resume: stored }),
  })
}

/** The model that writes summaries, opened now: a key that it lacks is missed here, and not in the middle of the work. */
async function openSummarizer({ config, model, openModel }: AgentSetup): Promise<AgentModel | 'extractive' | 'own'> {
  const name = summarizerOf(config, model)
  if (name === undefined || name === 'extractive') return name ?? 'own'
  // ids of models have colons too: `qwen3-coder:30b`
  const [word = ''] = name.split(':')
  const isNamed = word === model.provider || PROVIDERS.some((provider) => provider.name === word)
  return openModel(isNamed && name !== word ? name : `${model.provider}:${name}`)
}

/** Where instructions and skills are looked for. */
function placesOf({ cwd, home, env, config: { skills = [] } }: AgentSetup) {
  return { cwd, home, skills, configFolder: userConfigFolder(env) ?? join(home, '.config', 'palimpsest') }
}

function permissionsOf({ cwd, config, ask }: AgentSetup, emit: AgentEventListener): Permissions {
  return new Permissions({
    allow: config.allow ?? [],
    root: cwd,
    ...(ask !== undefined && {
      ask: async (request, call) => {
        emit({ type: 'permission-asked', id: call.id, request })
        const answer = await ask(request, call)
        emit({ type: 'permission-answered', id: call.id, answer: typeof answer === 'string' ? answer : 'denied' })
        return answer
      },
    }),
  })
}

interface ToolsSetup {
  readonly id: string
  readonly newest: NewestRequest
  readonly mayCompact: () => boolean
}

async function toolsOf(setup: AgentSetup, { id, newest, mayCompact }: ToolsSetup): Promise<readonly AgentTool[]> {
  const { cwd, config, env, stores, namespace, sessions } = setup
  const { own } = newest
  // what a fork's origin evicted lies under the name of that
  const origins = setup.resume === undefined ? [] : await originsOf(setup.resume, sessions)
  const history = virtualFiles(stores, { namespace, session: id, sessions: origins, own })
  const readable = await skillFolders(placesOf(setup))
  const { commandSeconds } = config
  return [
    ...workspaceTools({ root: cwd, readable, history, env, ...(commandSeconds !== undefined && { commandSeconds }) }),
    todoTool(),
    ...historyTools({ stores, namespace, session: id, own: () => own, mayCompact }),
  ]
}

/** Forks of forks: no more of them than anybody makes. */
const MOST_ORIGINS = 20

async function originsOf(id: string, sessions: SessionStore): Promise<readonly string[]> {
  const origins: string[] = []
  for (let at: string | undefined = id; at !== undefined && origins.length < MOST_ORIGINS; ) {
    const summary: SessionSummary | undefined = await sessions.find(at)
    at = summary?.forked?.from
    if (at !== undefined) origins.push(at)
  }
  return origins
}

function kept(slots: readonly AgentMiddleware[], { without = [] }: AgentSetup): readonly AgentMiddleware[] {
  return slots.filter(({ name }) => !without.includes(name))
}

interface NewSessionParts {
  readonly id: string
  readonly system: string
  readonly outer: readonly AgentMiddleware[]
}

async function sessionOf(setup: AgentSetup, { id, system, outer }: NewSessionParts): Promise<Session> {
  const { sessions, config, cwd, model, title, now = Date.now } = setup
  if (setup.resume !== undefined) return opened(sessions, setup.resume, now)
  const contributed = await new MiddlewareStack(kept(outer, setup)).contributions(new AbortController().signal)
  const { prompt, tools } = turnRequest(requestFrame(system, contributed), [], { settings: {} })
  return Session.create(sessions, id, {
    ...{ dialect: aiSdk, model: model.name, cwd, now, toolResults: config.toolResults ?? 'full' },
    frame: JSON.parse(JSON.stringify({ prompt, tools })),
    ...(title !== undefined && { title }),
  })
}

async function opened(sessions: SessionStore, id: string, now: () => number): Promise<Session> {
  const summary = await sessions.find(id)
  if (summary !== undefined && summary.dialect !== aiSdk.name) {
    throw new PalimpsestError('invalid-input', `Session ${id} was recorded by another client, as ${summary.dialect}.`, {
      hint: 'It can be shown, searched and exported (palimpsest sessions), but not gone on with here.',
    })
  }
  return Session.open(sessions, id, { now })
}

/** One preset has a model ask for a compaction only where there is something to compact. */
function isLargeEnough({ name, ...preset }: Preset, newest: NewestRequest, { model, limits }: ModelInUse): boolean {
  if (name !== 'deepagents') return true
  const { trigger } = compactionLimits({ name, ...preset }, { model: model.id }, limits)
  return newest.tokens >= trigger / 2
}

interface SubAgentOrigin {
  readonly call: ToolCall
  readonly parent: Session
  readonly permissions: Permissions
  readonly emit: AgentEventListener
}

/**
 * An agent for one task: its session lives as long as the task, what it evicts as long as the parent's. What it uses counts in
 * the session that started it.
 */
function subAgentOf(setup: AgentSetup, { call, parent, permissions, emit }: SubAgentOrigin): Promise<LiveAgent> {
  const { resume: _, session: __, title: ___, ask: ____, ...shared } = setup
  const onEvent: AgentEventListener = (event) => {
    if (event.type === 'step-ended' && event.usage !== undefined) countStep(event.usage)
    emit({ type: 'sub-agent', id: call.id, event })
  }
  const countStep = (usage: Usage) => parent.recordUsage({ purpose: 'sub-agent', usage, model: setup.model.name })
  const id = `${parent.id}.${call.id}`
  return assemble({ ...shared, sessions: memorySessions().open(), onEvent }, { id, permissions })
}

/** The summaries of a sub-agent are told by no event. */
function countSummaries({ session: { snapshot }, model }: Agent, parent: Session): void {
  const { calls, ...usage } = snapshot.usage.summarize
  if (calls > 0) parent.recordUsage({ purpose: 'sub-agent', usage, model: model.name })
}

/** Sorts by day, and is short enough to be typed. */
function newSessionId(now: number): string {
  const day = new Date(now).toISOString().slice(0, 10).replaceAll('-', '')
  return `${day}-${randomBytes(4).toString('hex')}`
}
