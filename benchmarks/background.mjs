// How long the step waits that reaches the trigger: where a summary was prepared while the agent worked, and where it must
// be written then. The summariser takes as long as a quick model would; the agent's steps leave it that time. Judged by the
// processor's time where that is less than the clock's: other work on the machine must not count.
import { loadavg } from 'node:os'
import { anthropicMessages, createCompactor, extractiveSummarizerOf } from 'palimpsest'
import { generatedRun, median, requestAt } from './recorded-runs.mjs'

const WINDOWS = [50_000, 200_000, 1_000_000]
const ROUNDS = 5
/** Share of the trigger from which on a summary is prepared. */
const FROM = 0.8
const SUMMARY_MS = 300
const GOAL_MS = 5
/** Roughly, of the text that is made up here; and what a step of it has. */
const TOKENS_PER_STEP = 1_800

export const COLUMNS = [
  'session',
  'window',
  'messages',
  'summary calls',
  'steps before, ms',
  'the step, summary ready, ms',
  'longest of them',
  'busy in it, ms',
  'the step, nothing prepared, ms',
  'goal ms',
  'reached',
]

export async function run({ windows = WINDOWS, rounds = ROUNDS } = {}) {
  const load = loadavg()[0]
  const rows = []
  for (const talk of [false, true]) {
    await crossTrigger(windows[0], talk, { from: FROM }) // pays for compiling
    for (const window of windows) rows.push(await rowOf(window, talk, rounds))
  }
  console.log(`Load average: ${load.toFixed(1)} at the beginning, ${loadavg()[0].toFixed(1)} at the end.`)
  return { columns: COLUMNS, rows, summaryMs: SUMMARY_MS, load: [load, loadavg()[0]] }
}

async function rowOf(window, talk, rounds) {
  const [ready, unprepared] = [[], []]
  for (let round = 0; round < rounds; round++) {
    ready.push(await crossTrigger(window, talk, { from: FROM }))
    unprepared.push(await crossTrigger(window, talk, undefined))
  }
  const waits = ready.map(({ wait }) => wait)
  const wait = median(waits)
  const times = [
    median(ready.map(({ before }) => before)),
    wait,
    Math.max(...waits),
    median(ready.map(({ wait, cpu }) => Math.min(wait, cpu))),
    median(unprepared.map((one) => one.wait)),
  ]
  const name = talk ? 'the agent writes texts' : 'a tool loop'
  return [
    name,
    window,
    ready[0].messages,
    ready[0].calls,
    ...times.map(rounded),
    GOAL_MS,
    times[3] <= GOAL_MS ? 'yes' : 'no',
  ]
}

/** Steps of an agent up to the first compaction: how long that step waited, and how long the twenty before it did. */
async function crossTrigger(window, talk, background) {
  const session = generatedRun({ calls: Math.ceil(window / TOKENS_PER_STEP), talk })
  const summarizer = slowSummarizer()
  const compactor = createCompactor({
    dialect: anthropicMessages,
    window,
    summarizer: summarizer.write,
    ...(background !== undefined && { background }),
  })
  const waits = []
  for (const step of session.steps) {
    const request = requestAt(session, step)
    const cpu = process.cpuUsage()
    const start = performance.now()
    const { compacted } = await compactor.prepare(request)
    const wait = performance.now() - start
    const { user, system } = process.cpuUsage(cpu)
    if (compacted)
      return {
        wait,
        cpu: (user + system) / 1000,
        calls: summarizer.calls(),
        before: median(waits.slice(-20)),
        messages: request.messages.length,
      }
    waits.push(wait)
    await summarizer.idle()
  }
  throw new Error('The trigger was not reached.')
}

/** A summariser that takes its time, and tells when it has nothing to do. */
function slowSummarizer() {
  const extractive = extractiveSummarizerOf()
  const open = new Set()
  let calls = 0
  return {
    calls: () => calls,
    write: (...input) => {
      calls++
      const summary = new Promise((resolve) => setTimeout(resolve, SUMMARY_MS)).then(() => extractive(...input))
      open.add(summary)
      return summary.finally(() => open.delete(summary))
    },
    /** What follows from the summary is done in the same turns of the event loop. */
    async idle() {
      for (let turn = 0; turn < 20; turn++) {
        await Promise.all(open)
        await new Promise(setImmediate)
      }
    },
  }
}

function rounded(value) {
  return Math.round(value * 100) / 100
}
