// What a session log costs: how many entries a second it takes, whether a turn of a long session costs more than one of a short
// one, and how long it takes to go on with a long one. Lengths are measured in turns of one after the other, so that other work
// on the machine meets all of them alike.
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { chainEntries, Session } from '@palimpsest/sessions'
import { anthropicMessages } from 'palimpsest'
import { agentTurn, ENTRIES_PER_TURN, entryGroups, MESSAGES_PER_TURN } from './agent-turns.mjs'
import { withDatabases } from './log-databases.mjs'
import { median } from './recorded-runs.mjs'

const LENGTHS = [1_000, 10_000, 100_000]
const TURNS = 1_000
const ROUNDS = 5
/** Entries a second. */
const GOAL_RATE = 10_000
const GOAL_RESUME_MS = 100
/** More than chance: a turn of a long session costs no more than this many times one of a short one. */
const GOAL_RATIO = 1.25
/** Turns behind the last compaction, and so in view. */
const TURNS_IN_VIEW = 49

export const COLUMNS = [
  'database',
  'what',
  'entries in the log',
  'ms',
  'quickest, ms',
  'CPU, ms',
  'entries/s',
  'quickest, entries/s',
  'statements',
  'kB written',
  'goal',
  'reached',
]

export async function run({ lengths = LENGTHS, turns = TURNS, rounds = ROUNDS, postgres, kinds } = {}) {
  const load = loadavg()[0]
  const rows = [diskRow(turns)]
  const measured = await withDatabases({ postgres, ...(kinds && { kinds }) }, async ({ name, create }) => [
    ...(await rateRows(name, create, { turns })),
    ...(await lengthRows(name, create, { lengths, turns, rounds })),
  ])
  rows.push(...measured)
  console.log(`Load average: ${load.toFixed(1)} at the beginning, ${loadavg()[0].toFixed(1)} at the end.`)
  return { columns: COLUMNS, rows, load: [load, loadavg()[0]] }
}

/** What the disk alone allows: the bytes of each turn put behind a file, and synced. */
function diskRow(turns) {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-bench-'))
  const file = openSync(join(folder, 'bytes'), 'w')
  try {
    const texts = prepared(turns).map((groups) => JSON.stringify(groups))
    const costs = texts.map((text) => {
      const start = performance.now()
      writeSync(file, text)
      fdatasyncSync(file)
      return performance.now() - start
    })
    const rounds = inRounds(costs).map((round) => round.reduce((sum, cost) => sum + cost, 0) / round.length)
    const [ms, least] = [median(rounds), Math.min(...rounds)]
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
    const rate = [ENTRIES_PER_TURN / ms, ENTRIES_PER_TURN / least].map((perMs) => Math.round(perMs * 1000))
    const kB = bytes / turns / 1000
    return ['a file', 'write and sync the bytes of a turn', '–', r(ms), r(least), '–', ...rate, 1, r(kB), '–', '–']
  } finally {
    closeSync(file)
    rmSync(folder, { recursive: true })
  }
}

/** Appending as fast as it goes, in new sessions of 50 turns. */
async function rateRows(name, create, { turns }) {
  const place = await create()
  const database = await place.open()
  try {
    const groups = prepared(TURNS_OF_RATE)
    const runs = Object.keys(RATES).map(() => [])
    for (let round = -WARM_ROUNDS; round * TURNS_OF_RATE < turns; round++) {
      for (const [nth, play] of Object.values(RATES).entries()) {
        const cost = await timed(place, () => play(database.sessions(), { id: `${nth} ${round}`, groups }))
        if (round >= 0) runs[nth].push(cost)
      }
    }
    return Object.keys(RATES).map((what, nth) => rateRow(name, what, runs[nth]))
  } finally {
    await database.close()
    await place.remove()
  }
}

const TURNS_OF_RATE = 50
/** Not measured: they pay for compiling. */
const WARM_ROUNDS = 3

const RATES = {
  'store.append, a turn at once': async (store, { id, groups }) => {
    const started = { type: 'session-started', dialect: anthropicMessages.name, toolResults: 'full' }
    const bodies = [[started], ...groups.map((parts) => parts.flat())]
    let after
    for (const turn of bodies) {
      const entries = chainEntries(turn, { after, at: 1_700_000_000_000 })
      await store.append(id, entries, { ...(after && { after }) })
      after = entries.at(-1)
    }
  },
  'Session, a commit per turn': async (store, { id, groups }) => {
    const session = await Session.create(store, id, { dialect: anthropicMessages })
    for (const parts of groups) await STYLES['a commit per turn'](session, parts)
  },
}

/** Ways to store a turn. */
const STYLES = {
  'a commit per turn': async (session, groups) => {
    session.add(...groups.flat())
    await session.commit()
  },
  'a commit per step': async (session, groups) => {
    for (const group of groups) {
      session.add(...group)
      await session.commit()
    }
  },
  'turn(), a commit per step': (session, [[, question], ...groups]) =>
    session.turn(async () => {
      session.add(question)
      await session.commit()
      for (const group of groups) {
        session.add(...group)
        await session.commit()
      }
    }),
}

function rateRow(name, what, runs) {
  const [ms, cpu] = ['ms', 'cpu'].map((key) => runs.map((one) => one[key] / TURNS_OF_RATE))
  const [usual, quickest] = [median(ms), Math.min(...ms)].map((one) => Math.round((ENTRIES_PER_TURN / one) * 1000))
  const statements = median(runs.map((one) => one.statements)) / TURNS_OF_RATE
  const judged = name === 'SQLite'
  return [
    name,
    what,
    '0',
    ...[median(ms), Math.min(...ms), median(cpu)].map(r),
    usual,
    quickest,
    r(statements),
    '–',
    judged ? `${GOAL_RATE} entries/s` : '–',
    judged ? (quickest >= GOAL_RATE ? 'yes' : 'no') : '–',
  ]
}

/** Sessions of several lengths in one database: going on with the longest, and a turn of each. */
async function lengthRows(name, create, { lengths, turns, rounds }) {
  const place = await create()
  const database = await place.open()
  try {
    const sessions = []
    for (const length of lengths) sessions.push(await filled(database.sessions(), length))
    const resumed = await resumeRows(name, place, { length: lengths.at(-1), rounds })
    const rows = []
    for (const style of Object.keys(STYLES)) rows.push(...(await turnRows(name, place, { style, sessions, turns })))
    return [...rows, ...resumed]
  } finally {
    await database.close()
    await place.remove()
  }
}

/**
 * A session of that length, its last compaction 49 turns ago, and its last checkpoint as long ago as it may be.
 */
async function filled(store, length) {
  const id = `of ${length}`
  const session = await Session.create(store, id, { dialect: anthropicMessages })
  const turns = Math.max(Math.round(length / ENTRIES_PER_TURN), TURNS_IN_VIEW + 1)
  for (let turn = 1; turn <= turns; turn++) {
    session.add(...entryGroups(agentTurn(turn), session.snapshot.length).flat())
    if (turn === turns - TURNS_IN_VIEW) session.applyCompaction(recordOf(session.snapshot.length))
    if (turn % 10 === 0 || turn >= turns - TURNS_IN_VIEW) await session.commit()
  }
  return { length, session, turns }
}

/** Everything before is a summary now. */
function recordOf(extent) {
  const content = agentTurn(1).calls[0].result.padEnd(4_000, ' what was done so far')
  return {
    key: `up to ${extent}`,
    anchor: 'a',
    extent,
    length: extent,
    plan: { drop: [{ from: 0, to: extent }], summaries: [{ insert_after: extent - 1, content }] },
    strategy: 'made up',
    reason: 'manual',
    at_turn: 1,
    kept_from: extent,
    tokens_before: 200_000,
    tokens_after: 2_000,
  }
}

async function turnRows(name, place, { style, sessions, turns }) {
  const costs = sessions.map(() => [])
  for (let turn = 1; turn <= Math.ceil(turns / 20); turn++) {
    for (const [nth, { session, turns: before }] of sessions.entries()) {
      const groups = entryGroups(agentTurn(before + turn), session.snapshot.length)
      costs[nth].push(await timed(place, () => STYLES[style](session, groups)))
    }
  }
  for (const [nth, { session }] of sessions.entries()) costs[nth].bytes = await writtenBy(place, { style, session })
  const shortest = middleOf(costs[0])
  return sessions.map(({ length }, nth) => turnRow(name, { style, length, cost: middleOf(costs[nth]), shortest }))
}

/** Bytes of the database's log for one turn, on average. */
async function writtenBy(place, { style, session }) {
  await place.settle()
  const before = await place.written()
  for (let turn = 1; turn <= TURNS_OF_BYTES; turn++) {
    await STYLES[style](session, entryGroups(agentTurn(turn), session.snapshot.length))
  }
  return ((await place.written()) - before) / TURNS_OF_BYTES
}

/** So few that SQLite does not begin its log anew. */
const TURNS_OF_BYTES = 6

function turnRow(name, { style, length, cost, shortest }) {
  const ratio = Math.min(cost.ms / shortest.ms, cost.cpu / shortest.cpu)
  return [
    name,
    `a turn, ${style}`,
    length,
    ...[cost.ms, cost.least, cost.cpu].map(r),
    '–',
    '–',
    cost.statements,
    r(cost.kB),
    cost === shortest ? '–' : `${GOAL_RATIO} × the shortest`,
    cost === shortest ? '–' : `${ratio <= GOAL_RATIO ? 'yes' : 'no'}, ${r(cost.ms / shortest.ms)} ×`,
  ]
}

function middleOf(costs) {
  const of = (key) => median(costs.map((cost) => cost[key]))
  const least = Math.min(...costs.map(({ ms }) => ms))
  return { ms: of('ms'), least, cpu: of('cpu'), statements: of('statements'), kB: (costs.bytes ?? 0) / 1000 }
}

/** The longest session, by a database that was just opened. */
async function resumeRows(name, place, { length, rounds }) {
  const rows = []
  for (const [what, seen, goal] of [
    ['resume and view, from the checkpoint', (store) => store, GOAL_RESUME_MS],
    ['resume and view, without a checkpoint', withoutCheckpoints, undefined],
  ]) {
    const costs = []
    for (let round = 0; round < rounds; round++) {
      const database = await place.open()
      costs.push(await timed(place, () => resume(seen(database.sessions()), `of ${length}`)))
      await database.close()
    }
    const { ms, least, cpu, statements } = middleOf(costs)
    const reached = goal === undefined ? '–' : Math.min(ms, cpu) < goal ? 'yes' : 'no'
    const told = goal === undefined ? '–' : `${goal} ms`
    rows.push([name, what, length, r(ms), r(least), r(cpu), '–', '–', statements, '–', told, reached])
  }
  return rows
}

async function resume(store, id) {
  const session = await Session.open(store, id)
  const view = await session.view()
  const expected = TURNS_IN_VIEW * MESSAGES_PER_TURN + 1
  if (view.length !== expected) throw new Error(`The view has ${view.length} messages, not ${expected}.`)
}

function withoutCheckpoints(store) {
  return {
    checkpoint: async () => undefined,
    read: (...asked) => store.read(...asked),
    messages: (...asked) => store.messages(...asked),
  }
}

/** Milliseconds, and what the database was asked meanwhile. */
async function timed(place, act) {
  const statements = place.statements()
  const cpuBefore = process.cpuUsage()
  const start = performance.now()
  await act()
  const ms = performance.now() - start
  const { user, system } = process.cpuUsage(cpuBefore)
  return {
    ms,
    cpu: (user + system) / 1000,
    statements: place.statements() - statements,
  }
}

function prepared(turns) {
  return Array.from({ length: turns }, (_, n) => entryGroups(agentTurn(n + 1), n * MESSAGES_PER_TURN))
}

function inRounds(values) {
  return Array.from({ length: Math.ceil(values.length / TURNS_OF_RATE) }, (_, n) =>
    values.slice(n * TURNS_OF_RATE, (n + 1) * TURNS_OF_RATE),
  )
}

function r(value) {
  return Math.round(value * 100) / 100
}
