import { randomUUID } from 'node:crypto'
import { type AgentModel, modelOpener } from '@palimpsest/agent'
import { answer, startWirelab, toolLoop, type WirelabOptions } from '@palimpsest/wirelab'
import type { ProfileOverrides } from 'palimpsest'
import { usageError } from '../error-report.ts'
import { answersIn } from '../lab-script.ts'
import { demoScript } from './demo-script.ts'
import { pacedFetch } from './paced-fetch.ts'

export interface WirelabModelOptions {
  readonly home: string
  /** Does a person watch? Then the demo comes at a pace at which one can read along. */
  readonly paced: boolean
  readonly profiles?: ProfileOverrides
}

/** Milliseconds between two pieces of a streamed answer, and before an answer. */
const PACE = { piece: 30, step: 800, summary: 3_000 }

/** The window of the demo is so small that a compaction is soon due. */
const DEMO = { window: 18_500, maxOutput: 1_500 }
/** The simulator's own. */
const USUAL = { window: 200_000, maxOutput: 16_000 }

/** What is known of simulated models: those that always are there, and this one. */
export function wirelabProfiles(model = ''): ProfileOverrides {
  const file = model.startsWith('wirelab:') ? { [idOf(model.slice('wirelab:'.length))]: USUAL } : {}
  return { ...file, [idOf('answer')]: USUAL, [idOf('tool-loop')]: USUAL, [idOf('demo')]: { ...DEMO, caching: true } }
}

/**
 * Opens `wirelab:NAME`: a simulator that runs in this process, until the model is closed. `demo`, `answer`, `tool-loop`, or a
 * file of replies or with a recorded session.
 * @throws PalimpsestError `invalid-input` for another name.
 */
export function wirelabModels(options: WirelabModelOptions): (name: string) => Promise<AgentModel> {
  return async (name) => {
    const lab = await startWirelab({ ...(await behaviourOf(name, options)), rules: { thinkingBinding: 'turn' } })
    try {
      const open = modelOpener({
        env: { ANTHROPIC_API_KEY: 'any' },
        home: options.home,
        baseUrls: { anthropic: lab.url },
        profiles: { ...wirelabProfiles(`wirelab:${name}`), ...options.profiles },
        ...(options.paced && name === 'demo' && { fetch: pacedFetch(PACE.piece) }),
      })
      const model = await open(`anthropic:${idOf(name)}`)
      return { ...model, name: `wirelab:${name}`, provider: 'wirelab', close: () => lab.close() }
    } catch (error) {
      await lab.close()
      throw error
    }
  }
}

/** What the provider is told, and by which profiles are found; a file goes by its name alone. */
function idOf(name: string): string {
  return `wirelab-${name.replace(/^.*[\\/]/, '')}`
}

async function behaviourOf(name: string, { paced }: WirelabModelOptions): Promise<WirelabOptions> {
  switch (name) {
    case 'demo': {
      const pace = paced ? PACE : { step: 0, summary: 0 }
      return { ...demoScript({ pace, mark: randomUUID().slice(0, 8) }), window: DEMO.window }
    }
    case 'answer':
      return { script: answer('All is done.') }
    case 'tool-loop':
      return { script: toolLoop(READING) }
    case '':
      throw usageError('wirelab: names no script.', 'wirelab:demo, wirelab:answer, wirelab:tool-loop, or a file.')
    default:
      return { script: await answersIn(name) }
  }
}

const READING = { steps: 20, tool: 'list_files', input: () => ({ path: '.' }), final: 'All is done.' }
