// What telemetry adds to one step of an agent: nothing where `@opentelemetry/api` is not installed, and how much with the API
// alone or with an SDK behind it. The same steps of one conversation, compacted again and again, through compactors that differ
// in their listener alone, in turns in one process. Time is the processor's; a ratio of 1.00 is a step without any telemetry.
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
import { anthropicMessages, createCompactor } from 'palimpsest'
import { openTelemetry } from 'palimpsest/otel'
import { generatedRun, median, requestAt } from './recorded-runs.mjs'

const STEPS = 300
const ROUNDS = 7
const WINDOW = 100_000
/** What a step may cost where there is no API: as much as without, but for what two runs of the same differ by. */
const GOAL = 1.05

export const COLUMNS = ['telemetry', 'steps', 'ms a step', '× without', 'of one round to the next', 'goal', 'reached']

export async function run({ steps = STEPS, rounds = ROUNDS } = {}) {
  const load = loadavg()[0]
  const folder = mkdtempSync(join(tmpdir(), 'telemetry-step-'))
  try {
    const contenders = await listeners(folder)
    const session = generatedRun({ calls: steps })
    await oneRound(session, contenders) // pays for compiling
    const costs = []
    for (let round = 0; round < rounds; round++) costs.push(await oneRound(session, contenders))
    console.log(`Load average: ${load.toFixed(1)} at the beginning, ${loadavg()[0].toFixed(1)} at the end.`)
    return { columns: COLUMNS, rows: rowsOf(contenders, costs, steps), load: [load, loadavg()[0]] }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Each with its name, its `onEvent` and whether the goal is for it. */
async function listeners(folder) {
  const absent = await openedAlone(folder)
  if (absent.active) throw new Error('@opentelemetry/api was found where it should be missing.')
  const sdk = { tracerProvider: new BasicTracerProvider(), meterProvider: new MeterProvider() }
  return [
    { name: 'none', onEvent: undefined, isGoal: false },
    { name: 'none, again', onEvent: undefined, isGoal: false },
    { name: 'API not installed', onEvent: absent.onEvent, isGoal: true },
    { name: 'API without SDK', onEvent: (await openTelemetry()).onEvent, isGoal: true },
    { name: 'SDK', onEvent: (await openTelemetry(sdk)).onEvent, isGoal: false },
  ]
}

/** Telemetry as it is where no package can be found: a copy of it alone, away from all of them. */
async function openedAlone(folder) {
  const index = fileURLToPath(import.meta.resolve('palimpsest/otel'))
  cpSync(join(index, '..'), folder, { recursive: true })
  const alone = await import(pathToFileURL(join(folder, 'index.js')))
  return alone.openTelemetry()
}

/** Milliseconds of each contender for all steps; which is first changes with every step. */
async function oneRound(session, contenders) {
  const compactors = contenders.map(({ onEvent }) =>
    createCompactor({ dialect: anthropicMessages, window: WINDOW, ...(onEvent !== undefined && { onEvent }) }),
  )
  const costs = contenders.map(() => 0)
  for (const [at, step] of session.steps.entries()) {
    for (let turn = 0; turn < contenders.length; turn++) {
      const which = (at + turn) % contenders.length
      costs[which] += await stepCost(compactors[which], requestAt(session, step))
    }
  }
  return costs
}

async function stepCost(compactor, request) {
  const cpu = process.cpuUsage()
  const prepared = await compactor.prepare(request)
  prepared.observe({ type: 'message', usage: { input_tokens: Math.round(prepared.size.tokens), output_tokens: 200 } })
  prepared.done()
  const { user, system } = process.cpuUsage(cpu)
  return (user + system) / 1000
}

function rowsOf(contenders, costs, steps) {
  return contenders.map(({ name, isGoal }, which) => {
    const ratios = costs.map((round) => round[which] / round[0])
    const ratio = median(ratios)
    const spread = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`
    const milliseconds = median(costs.map((round) => round[which])) / steps
    const goal = isGoal ? [GOAL, ratio <= GOAL ? 'yes' : 'no'] : ['-', '-']
    return [name, steps, Number(milliseconds.toFixed(3)), Number(ratio.toFixed(3)), spread, ...goal]
  })
}
