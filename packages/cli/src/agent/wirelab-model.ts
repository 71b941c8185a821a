import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type AgentModel, modelOpener } from '@palimpsest/agent'
import { answer, startWirelab, toolLoop, type WirelabOptions } from '@palimpsest/wirelab'
import type { ProfileOverrides } from 'palimpsest'
import { usageError } from '../error-report.ts'
import { answersIn } from '../lab-script.ts'
import { demoScript } from './demo-script.ts'
import { pacedFetch } from './paced-fetch.ts'
import { DEMO_LIMITS, wirelabId, wirelabProfiles } from './wirelab-profiles.ts'

export interface WirelabModelOptions {
  readonly home: string
  /** Does a person watch? Then the demo comes at a pace at which one can read along. */
  readonly paced: boolean
  readonly profiles?: ProfileOverrides
}

/** Milliseconds between two pieces of a streamed answer, and before an answer. */
const PACE = { piece: 30, step: 800, summary: 3_000 }

/**
 * Opens `wirelab:NAME`: a simulator that runs in this process, until the model is closed. `demo`, `answer`, `tool-loop`, or a
 * file of replies or with a recorded session.
 * @throws PalimpsestError `invalid-input` for another name.
 */
export async function openWirelab(name: string, options: WirelabModelOptions): Promise<AgentModel> {
  const lab = await startWirelab({ ...(await behaviourOf(name, options)), rules: { thinkingBinding: 'turn' } })
  try {
    const open = modelOpener({
      env: { ANTHROPIC_API_KEY: 'any' },
      home: options.home,
      baseUrls: { anthropic: lab.url },
      profiles: { ...wirelabProfiles(`wirelab:${name}`), ...options.profiles },
      ...(options.paced && name === 'demo' && { fetch: pacedFetch(PACE.piece) }),
    })
    const model = await open(`anthropic:${wirelabId(name)}`)
    return { ...model, name: `wirelab:${name}`, provider: 'wirelab', close: () => lab.close() }
  } catch (error) {
    await lab.close()
    throw error
  }
}

async function behaviourOf(name: string, { paced }: WirelabModelOptions): Promise<WirelabOptions> {
  switch (name) {
    case 'demo': {
      const pace = paced ? PACE : { step: 0, summary: 0 }
      return { ...demoScript({ pace, mark: randomUUID().slice(0, 8) }), window: DEMO_LIMITS.window }
    }
    case 'answer':
      return { script: answer('All is done.') }
    case 'tool-loop':
      return { script: toolLoop(READING) }
    case '':
      throw usageError('wirelab: names no script.', SCRIPTS)
    default:
      if (!existsSync(name)) throw usageError(`wirelab:${name}: there is no such script, and no such file.`, SCRIPTS)
      return { script: await answersIn(name) }
  }
}

const SCRIPTS = 'wirelab:demo, wirelab:answer, wirelab:tool-loop, or a file.'
const READING = { steps: 20, tool: 'list_files', input: () => ({ path: '.' }), final: 'All is done.' }
