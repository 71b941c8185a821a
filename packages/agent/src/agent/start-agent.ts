import { memorySessions, type Session } from '@palimpsest/sessions'
import { compactionLimits, type Preset } from 'palimpsest'
import { presetOf, summarizerOf } from '../config/policy-of.ts'
import { repositoryRoot } from '../folders/repository.ts'
import type { AgentEventListener } from '../loop/agent-event.ts'
import type { AgentMiddleware } from '../loop/middleware.ts'
import { MiddlewareStack } from '../loop/stack.ts'
import type { TurnResult } from '../loop/turn-result.ts'
import { compactionEvents } from '../middleware/compaction-events.ts'
import { filesystemSlot } from '../middleware/filesystem.ts'
import { memorySlot } from '../middleware/memory.ts'
import { NewestRequest } from '../middleware/newest-request.ts'
import { promptCacheSlot } from '../middleware/prompt-cache.ts'
import { type RunSubAgent, subAgentSlot } from '../middleware/sub-agent.ts'
import { summarisationSlot } from '../middleware/summarisation.ts'
import type { AgentModel } from '../models/agent-model.ts'
import { PROVIDERS } from '../models/providers/providers.ts'
import { subAgentPrompt, systemPrompt } from '../prompt/system-prompt.ts'
import type { AgentTool, ToolCall } from '../tools/agent-tool.ts'
import { Permissions } from '../tools/permissions.ts'
import type { Agent } from './agent.ts'
import { agentSession, newSessionId, type SessionChoice, sessionChoice } from './agent-session.ts'
import type { AgentEquipment, AgentSetup } from './agent-setup.ts'
import { agentTools } from './agent-tools.ts'
import { LiveAgent } from './live-agent.ts'
import { memoryPlaces } from './memory-places.ts'
import { ModelInUse } from './model-in-use.ts'
import { UsedContext } from './used-context.ts'

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
  return assembled(setup, sessionChoice(setup))
}

/** What a sub-agent has of the agent that started it. */
interface Origin {
  readonly permissions: Permissions
}

async function assembled(equipment: AgentEquipment, choice: SessionChoice, origin?: Origin): Promise<LiveAgent> {
  const { config, sessions, stores, namespace, model, now = Date.now } = equipment
  const preset = presetOf(config)
  const profiles = config.modelProfiles ?? {}
  const summarizer = await openSummarizer(equipment)
  const used = new UsedContext()
  const newest = new NewestRequest()
  const emit: AgentEventListener = (event) => {
    used.hear(event)
    try {
      equipment.onEvent?.(event)
    } catch {
      // a listener's own fault is not the turn's
    }
  }
  const permissions = origin?.permissions ?? permissionsOf(equipment, emit)
  // what is made further down is there when either of these runs
  const mayCompact = () => isLargeEnough(preset, newest, inUse)
  const runTask: RunSubAgent = (prompt, call) =>
    runSubAgent(prompt, call, { equipment: { ...equipment, model: inUse.model }, parent: session, permissions, emit })
  const tools = await agentTools(equipment, { choice, newest, mayCompact })
  const outer = outerSlots(equipment, { tools, emit, ...(origin === undefined && { runTask }) })
  const system = await promptOf(equipment, origin === undefined ? systemPrompt : subAgentPrompt)
  const session = await agentSession(equipment, choice, { system, slots: outer })
  used.resume(session.snapshot.lastInputTokens)
  const written = compactionEvents({ session, emit, summarizer: () => inUse.summarizerName })
  const inUse: ModelInUse = new ModelInUse({
    model,
    summarizer,
    preset,
    profiles,
    stores,
    namespace,
    window: config.window,
    toolResults: config.toolResults ?? 'full',
    onEvent: (event) => {
      written.hear(event)
      equipment.onCompactorEvent?.(event)
    },
  })
  const summarisation = summarisationSlot({ session, namespace, newest, compactor: () => inUse.compactor })
  return new LiveAgent({
    session,
    sessions,
    system,
    inUse,
    permissions,
    preset,
    profiles,
    used,
    emit,
    now,
    stack: new MiddlewareStack(kept([...outer, summarisation], equipment)),
    maxSteps: config.maxSteps ?? Number.POSITIVE_INFINITY,
    newId: () => newSessionId(now()),
    settle: written.settle,
    resume: (id) => assembled({ ...equipment, model: inUse.model }, { kind: 'stored', id }),
  })
}

/** The model that writes summaries, opened now: a key that it lacks is missed here, and not in the middle of the work. */
async function openSummarizer({
  config,
  model,
  openModel,
}: AgentEquipment): Promise<AgentModel | 'extractive' | 'own'> {
  const name = summarizerOf(config, model)
  if (name === undefined || name === 'extractive') return name ?? 'own'
  // ids of models have colons too: `qwen3-coder:30b`
  const [word = ''] = name.split(':')
  const isNamed = word === model.provider || PROVIDERS.some((provider) => provider.name === word)
  return openModel(isNamed && name !== word ? name : `${model.provider}:${name}`)
}

function permissionsOf({ cwd, config, ask }: AgentEquipment, emit: AgentEventListener): Permissions {
  return new Permissions({
    allow: config.allow ?? [],
    root: cwd,
    ...(ask !== undefined && {
      ask: async (request, call) => {
        emit({ type: 'permission-asked', id: call.id, request })
        const answer = await ask(request, call)
        const isYes = answer === 'once' || answer === 'session'
        emit({ type: 'permission-answered', id: call.id, answer: isYes ? answer : 'denied' })
        return answer
      },
    }),
  })
}

/** One preset has a model ask for a compaction only where there is something to compact. */
function isLargeEnough({ name, ...preset }: Preset, newest: NewestRequest, { model, limits }: ModelInUse): boolean {
  if (name !== 'deepagents') return true
  const { trigger } = compactionLimits({ name, ...preset }, { model: model.id }, limits)
  return newest.tokens >= trigger / 2
}

interface OuterSlotSetup {
  readonly tools: readonly AgentTool[]
  readonly emit: AgentEventListener
  /** Absent: this is a sub-agent itself. */
  readonly runTask?: RunSubAgent
}

/** All slots but the one that compacts: that needs the session, in whose beginning stands what these add. */
function outerSlots(equipment: AgentEquipment, { tools, emit, runTask }: OuterSlotSetup): readonly AgentMiddleware[] {
  const { config, namespace, stores } = equipment
  const slots = [
    filesystemSlot({ tools, namespace, artifacts: stores.artifacts, offloads: config.toolResults !== 'compact' }),
    ...(runTask === undefined ? [] : [subAgentSlot(runTask)]),
    promptCacheSlot({ profiles: config.modelProfiles ?? {} }),
    memorySlot({
      ...memoryPlaces(equipment),
      // what is wrong with the files was told by the agent that started this one
      ...(runTask !== undefined && { onWarning: (message) => emit({ type: 'warning', message }) }),
    }),
  ]
  return kept(slots, equipment)
}

function kept(slots: readonly AgentMiddleware[], { without = [] }: AgentEquipment): readonly AgentMiddleware[] {
  return slots.filter(({ name }) => !without.includes(name))
}

async function promptOf({ cwd }: AgentEquipment, prompt: typeof systemPrompt): Promise<string> {
  return prompt({ cwd, platform: process.platform, repository: (await repositoryRoot(cwd)) !== undefined })
}

/** The agent that starts another one. */
interface Parent {
  readonly equipment: AgentEquipment
  readonly parent: Session
  readonly permissions: Permissions
  readonly emit: AgentEventListener
}

/**
 * Has an agent of its own do one task. Its session lives as long as the task, what it evicts as long as the parent's; what it
 * uses counts in the session that started it.
 */
async function runSubAgent(prompt: string, call: ToolCall, { equipment, parent, ...own }: Parent): Promise<TurnResult> {
  const { permissions, emit } = own
  const model = equipment.model.name
  const onEvent: AgentEventListener = (event) => {
    if (event.type === 'step-ended' && event.usage !== undefined) {
      parent.recordUsage({ purpose: 'sub-agent', usage: event.usage, model })
    }
    emit({ type: 'sub-agent', id: call.id, event })
  }
  const choice: SessionChoice = { kind: 'new', id: `${parent.id}.${call.id}`, title: undefined }
  const agent = await assembled({ ...equipment, sessions: memorySessions().open(), onEvent }, choice, { permissions })
  const result = await agent.send(prompt, { signal: call.signal })
  countSummaries(agent, parent)
  return result
}

/** The summaries of a sub-agent are told by no event. */
function countSummaries({ session: { snapshot }, model }: Agent, parent: Session): void {
  const { calls, ...usage } = snapshot.usage.summarize
  if (calls > 0) parent.recordUsage({ purpose: 'sub-agent', usage, model: model.name })
}
