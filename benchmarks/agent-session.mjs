// A session of ten hours: the agent's real loop reads files, turn after turn, against the simulator in the same process. What a
// step costs at the end beside what it cost at the start (milliseconds of CPU; the JSON has those of the clock, too), what is held
// in memory beside what was said, how often the conversation was compacted, and how much of what was sent came from the provider's
// cache. Times hold the simulator's own work, too: it is the same for every step, since requests are no larger than the window.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { modelOpener, startAgent } from '@palimpsest/agent'
import { memorySessions } from '@palimpsest/sessions'
import { openDatabase } from '@palimpsest/sessions/database'
import { startWirelab, toolLoop } from '@palimpsest/wirelab'
import { memoryStores } from 'palimpsest'
import { words } from './agent-turns.mjs'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc')

const MODEL = 'anthropic:claude-sonnet-4-5'
/** Of the session's own time, a step: 5,000 of them take ten hours. */
const MILLISECONDS = 7_200
/** Characters of a file, which is the result of one call. */
const RESULT = 2_000
/** Files of the workspace: they are read again and again. */
const FILES = 200
const NAMESPACE = 'bench'

export const COLUMNS = [
  'sessions in',
  'steps',
  'CPU ms a step, first',
  'CPU ms a step, last',
  'last ÷ first',
  'heap MB, early',
  'heap MB, end',
  'transcript MB, early',
  'transcript MB, end',
  'heap ÷ transcript, growth',
  'compactions',
  'read from cache %',
]

/** `window` is the model's, in tokens; `early`: after so many steps the heap is measured first; `edge`: steps at both ends. */
export async function run({
  steps = 5_000,
  stepsPerTurn = 50,
  early = 1_000,
  edge = 500,
  window = 64_000,
  kinds = ['sqlite'],
} = {}) {
  const played = []
  for (const kind of kinds) played.push(await play(kind, { steps, stepsPerTurn, early, edge, window }))
  return { columns: COLUMNS, rows: played.map(rowOf), played }
}

export async function play(kind, { steps, stepsPerTurn, early, edge, window }) {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-bench-'))
  const clock = { now: Date.UTC(2026, 0, 1) }
  const tally = { kind, edge, times: [], compactions: 0, failures: [], input: 0, read: 0, refused: 0, heaps: [] }
  let lap
  const lab = await startWirelab({ window, now: () => clock.now, script: readingTurns(stepsPerTurn) })
  const store = await storeOf(kind, folder)
  try {
    const setup = setupOf(folder, lab.url, window)
    const model = await setup.openModel(MODEL)
    const agent = await startAgent({ ...setup, ...store, model, now: () => clock.now, onEvent: hear })
    while (tally.times.length < steps) {
      lap = lapFrom()
      const { outcome, error } = await agent.send(`Read on, and tell what part ${tally.times.length} is for.`)
      if (outcome !== 'answered') throw error ?? new Error(`The turn was ${outcome}.`)
      if (tally.times.length === early || tally.times.length >= steps) tally.heaps.push(await held(agent))
    }
    return tally
  } finally {
    await store.close()
    await lab.close()
    rmSync(folder, { recursive: true })
  }

  function hear(event) {
    const endsStep = event.type === 'turn-ended' || (event.type === 'step-started' && event.step > 1)
    if (endsStep) {
      tally.times.push(lap())
      lap = lapFrom()
    }
    if (event.type === 'compaction-applied') tally.compactions++
    if (event.type === 'compaction-failed') tally.failures.push(event.error.message)
    if (event.type !== 'step-ended') return
    clock.now += MILLISECONDS
    // the simulator keeps every body that it has seen: a long session has gigabytes of them
    for (const call of lab.calls.splice(0)) add(tally, call)
  }
}

/** Milliseconds since then, when it is asked. */
function lapFrom() {
  const [wall, cpu] = [performance.now(), process.cpuUsage()]
  return () => {
    const { user, system } = process.cpuUsage(cpu)
    return { wall: performance.now() - wall, cpu: (user + system) / 1000 }
  }
}

/** So many steps a turn: all read a file but the last one, which answers. */
function readingTurns(stepsPerTurn) {
  let read = 0
  return toolLoop({
    steps: stepsPerTurn - 1,
    tool: 'read_file',
    input: () => ({ path: `part-${read++ % FILES}.ts` }),
    text: (step) => `Now I look at the next part, which is number ${step} of this turn.`,
    final: 'That is what it is for.',
  })
}

function setupOf(folder, url, window) {
  const [cwd, home] = [join(folder, 'workspace'), join(folder, 'home')]
  for (const one of [cwd, home]) mkdirSync(one)
  for (let file = 0; file < FILES; file++) writeFileSync(join(cwd, `part-${file}.ts`), linesOf(file))
  const openModel = modelOpener({ env: { ANTHROPIC_API_KEY: 'any' }, home, baseUrls: { anthropic: url } })
  return { cwd, home, env: {}, config: { window }, openModel, namespace: NAMESPACE }
}

function linesOf(file) {
  return words(file, RESULT).replace(/(.{60}\S*) /g, '$1\n')
}

async function storeOf(kind, folder) {
  if (kind === 'memory')
    return { sessions: memorySessions().open(NAMESPACE), stores: memoryStores(), close: async () => {} }
  const database = await openDatabase(join(folder, 'sessions.db'))
  return { sessions: database.sessions(NAMESPACE), stores: database.stores, close: () => database.close() }
}

function add(tally, { purpose, status, usage }) {
  if (status !== 200) tally.refused++
  if (purpose !== 'main' || usage === undefined) return
  tally.input += usage.input
  tally.read += usage.cacheRead
}

/** Bytes that are in use, garbage not counted, and those of all that was said. */
async function held({ session }) {
  const transcript = Buffer.byteLength(JSON.stringify(await session.transcript()))
  collectGarbage()
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return { heap: heapUsed + external, transcript }
}

function rowOf({ kind, times, edge, heaps, compactions, input, read }) {
  const cpu = times.map((one) => one.cpu)
  const [first, last] = [mean(cpu.slice(0, edge)), mean(cpu.slice(-edge))]
  const [one, other] = [heaps[0], heaps.at(-1)]
  const growth = (other.heap - one.heap) / Math.max(1, other.transcript - one.transcript)
  const megabytes = (bytes) => (bytes / 1e6).toFixed(1)
  return [
    kind,
    times.length,
    first.toFixed(1),
    last.toFixed(1),
    (last / first).toFixed(2),
    megabytes(one.heap),
    megabytes(other.heap),
    megabytes(one.transcript),
    megabytes(other.transcript),
    growth.toFixed(2),
    compactions,
    Math.round((100 * read) / Math.max(1, input)),
  ]
}

function mean(list) {
  return list.reduce((sum, one) => sum + one, 0) / Math.max(1, list.length)
}
