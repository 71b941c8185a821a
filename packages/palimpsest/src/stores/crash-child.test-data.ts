import { directoryStores } from './directory-stores.ts'
import { entry, toyRecord } from './store-examples.ts'

/** What the child says after each turn, when all of it was confirmed to it. */
export interface ConfirmedTurn {
  readonly turn: number
  /** Who wrote the record that counts. */
  readonly winner: string
  readonly artifact: string
}

export const session = { namespace: 'n', session: 's' }
export const scope = { namespace: 'n', upstream: 'u', model: 'm' }

export function turnText(turn: number): string {
  return `what was said in turn ${turn}, ${'at length, '.repeat(500)}`
}

/** Writes to the stores of a folder, as one of several processes, until somebody kills it. */
async function writeForEver(folder: string, name: string): Promise<void> {
  const { records, artifacts, history, limits } = directoryStores(folder)
  for (let turn = 0; ; turn++) {
    const artifact = await artifacts.put('n', turnText(turn))
    await history.append(session, [entry(turn, turnText(turn))])
    await limits.learn(scope, { window: 1_000_000 - turn, at: Date.now() })
    const { strategy } = await records.commit('root', { ...toyRecord(`k${turn}`, turnText(turn)), strategy: name })
    const confirmed: ConfirmedTurn = { turn, winner: strategy, artifact }
    process.stdout.write(`${JSON.stringify(confirmed)}\n`)
  }
}

/** Holds the turn of a root until somebody kills it. */
async function holdForEver(folder: string): Promise<void> {
  await directoryStores(folder).records.alone('root', () => {
    process.stdout.write('holding\n')
    return new Promise((resolve) => setTimeout(resolve, 2 ** 31 - 1))
  })
}

const [, , folder = '', name = ''] = process.argv
if (process.env.PALIMPSEST_CRASH_CHILD === 'write') await writeForEver(folder, name)
if (process.env.PALIMPSEST_CRASH_CHILD === 'hold') await holdForEver(folder)
