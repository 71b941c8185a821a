import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { memorySessions, type SessionStore } from '@palimpsest/sessions'
import { type Reply, type ReplyPart, startWirelab, type Wirelab, type WirelabOptions } from '@palimpsest/wirelab'
import { memoryStores, type Stores } from 'palimpsest'
import { afterEach } from 'vitest'
import type { AgentConfig } from '../config/agent-config.ts'
import type { AgentEvent } from '../loop/agent-event.ts'
import type { AgentModel, OpenModel } from '../models/agent-model.ts'
import { modelOpener } from '../models/open-model.ts'
import type { AskPermission } from '../tools/permissions.ts'
import type { Agent } from './agent.ts'
import type { AgentEquipment, WantedSession } from './agent-setup.ts'
import { startAgent } from './start-agent.ts'

/** What an agent is started with in a test. */
export interface BenchOptions extends WirelabOptions {
  readonly config?: AgentConfig
  readonly files?: Readonly<Record<string, string>>
  readonly sessions?: SessionStore
  readonly stores?: Stores
  readonly ask?: AskPermission
  readonly onEvent?: (event: AgentEvent, bench: Bench) => void
}

/** A simulator, a workspace, and agents that talk to the one and work in the other. */
export interface Bench {
  readonly lab: Wirelab
  readonly cwd: string
  readonly sessions: SessionStore
  readonly stores: Stores
  readonly events: AgentEvent[]
  readonly openModel: OpenModel
  /** A model whose window is this one. */
  model(window: number, id?: string): Promise<AgentModel>
  start(options?: StartOptions): Promise<Agent>
}

/** What of an agent's setup is another one than the bench's. */
export type StartOptions = Pick<Partial<AgentEquipment>, 'config' | 'without'> & WantedSession

/** Benches of a test file; each ends with its test. */
export function benches(): (options: BenchOptions) => Promise<Bench> {
  const ends: (() => Promise<void> | void)[] = []
  afterEach(async () => {
    for (const end of ends.splice(0)) await end()
  })
  return async ({ config = {}, files = {}, ask, onEvent, ...options }) => {
    const lab = await startWirelab({ window: 20_000, ...options })
    const home = mkdtempSync(join(tmpdir(), 'palimpsest-agent-'))
    ends.push(() => lab.close())
    ends.push(() => rmSync(home, { recursive: true, force: true }))
    const cwd = join(home, 'work')
    mkdirSync(cwd)
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(cwd, name)), { recursive: true })
      writeFileSync(join(cwd, name), text)
    }
    const openModel = modelOpener({ env: { ANTHROPIC_API_KEY: 'any' }, home, baseUrls: { anthropic: lab.url } })
    const events: AgentEvent[] = []
    const model = async (window: number, id = 'lab-model') => ({ ...(await openModel(`anthropic:${id}`)), window })
    const sessions = options.sessions ?? memorySessions().open()
    const stores = options.stores ?? memoryStores()
    const bench: Bench = {
      ...{ lab, cwd, sessions, stores, events, openModel, model },
      start: async ({ config: own, ...which } = {}) =>
        startAgent({
          ...{
            cwd,
            home,
            env: { PATH: process.env.PATH },
            sessions,
            stores,
            openModel,
            namespace: 'default',
            ...which,
          },
          model: await model(options.window ?? 20_000),
          config: { allow: ['all'], ...config, ...own },
          onEvent: (event) => {
            events.push(event)
            onEvent?.(event, bench)
          },
          ...(ask !== undefined && { ask }),
        }),
    }
    return bench
  }
}

export function says(text: string): Reply {
  return { parts: [{ kind: 'text', text }] }
}

/** A step that calls tools: each a name and its arguments. */
export function calls(...parts: readonly (readonly [name: string, input: object])[]): Reply {
  return { parts: parts.map(([name, input], at) => toolCall(name, input, at)) }
}

function toolCall(name: string, input: object, at: number): ReplyPart {
  return { kind: 'tool-call', id: `toolu_${name}_${at}_${JSON.stringify(input).length}`, name, input }
}

/** Events of one type. */
export function ofType<Type extends AgentEvent['type']>(events: readonly AgentEvent[], type: Type) {
  return events.filter((event): event is Extract<AgentEvent, { type: Type }> => event.type === type)
}
