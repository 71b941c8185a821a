import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { deepFreeze } from '../deep-freeze.test-data.ts'
import type { Dialect } from './dialect.ts'
import { ANSWER_LAWS } from './dialect-laws.answers.test-data.ts'
import { ITEM_LAWS } from './dialect-laws.items.test-data.ts'
import { REQUEST_LAWS } from './dialect-laws.requests.test-data.ts'
import { diceOf, type Law, type LawOptions, type LawRun } from './dialect-laws.runs.test-data.ts'
import { VIEW_LAWS } from './dialect-laws.views.test-data.ts'

const LAWS: readonly Law[] = [...REQUEST_LAWS, ...ITEM_LAWS, ...VIEW_LAWS]

const RUNS = Number(process.env.PALIMPSEST_RUNS ?? 1000)

/**
 * The laws of the dialect interface, run by every dialect. Each generated request is opened and read once for all laws:
 * making and reading it is what costs. A failure names its run and seed; `PALIMPSEST_SEED` plays the same runs again.
 */
export function dialectLaws(
  dialect: { readonly name: string },
  requests: fc.Arbitrary<unknown>,
  options: LawOptions,
): void {
  const plots = fc.record({ request: requests, luck: fc.nat() })
  const seed = Number(process.env.PALIMPSEST_SEED ?? Date.now() % 1_000_000)
  const broken = new Map<Law, Error>()
  /** How often a law had something to say: one that never does proves nothing. */
  const said = new Map<Law, number>()

  const playAll = () => {
    fc.sample(plots, { numRuns: RUNS, seed }).forEach((plot, index) => {
      const run = play(dialect as Dialect<unknown, object>, plot.request, plot.luck, options)
      for (const law of LAWS) {
        if (broken.has(law) || (law.isDear && index % 2 === 1)) continue
        try {
          if (law.holds({ ...run, dice: diceOf(plot.luck) }) !== 'nothing to say')
            said.set(law, (said.get(law) ?? 0) + 1)
        } catch (cause) {
          const where = `${dialect.name}, run ${index} with PALIMPSEST_SEED=${seed}`
          broken.set(law, new Error(`${where}: ${(cause as Error).message}`, { cause }))
        }
      }
    })
  }

  describe(`laws of ${dialect.name}, ${RUNS} requests, seed ${seed}`, () => {
    beforeAll(playAll, 600_000)

    for (const law of LAWS) {
      it(law.name, () => {
        const error = broken.get(law)
        if (error !== undefined) throw error
        const reason = options.silent?.[law.name]
        if (reason === undefined) expect(said.get(law) ?? 0).toBeGreaterThan(0)
        else expect(said.get(law), `is said to be silent: ${reason}`).toBeUndefined()
      })
    }

    for (const law of ANSWER_LAWS) {
      it(law.name, () => law.holds(dialect as Dialect<unknown, object>, options))
    }
  })
}

function play(dialect: Dialect<unknown, object>, request: unknown, luck: number, options: LawOptions): LawRun {
  const conversation = dialect.open(deepFreeze(request))
  const { items } = conversation
  const views = items.map((item) => dialect.view(item))
  const isStrict = dialect.check(conversation, { strictAlternation: true }).length === 0
  return { dialect, request, conversation, items, views, isStrict, dice: diceOf(luck), options }
}
