import { constants, copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { historyEntries } from 'palimpsest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyChain } from '../log/entry-chain.ts'
import { foldEntries } from '../log/fold-session.ts'
import type { SessionEntry } from '../log/session-entry.ts'
import type { ChildJob, ChildLine, KillPoint } from './crash-child.test-data.ts'
import { bundleChild, type ChildOptions, runChild } from './crash-children.test-data.ts'
import { type ReusedDatabase, reusedDatabase } from './crash-databases.test-data.ts'
import { type Reference, referenceRun } from './crash-reference.test-data.ts'
import { bytesOf, CrashAgent, NAMESPACE, SESSION, TURNS } from './crash-session.test-data.ts'
import type { StatementMoment } from './crash-statements.test-data.ts'
import { openDatabase, type SessionDatabase } from './open-database.ts'
import { postgresDatabases, sqliteFiles, type TestDatabases, testDatabases } from './test-databases.test-data.ts'

/**
 * So many children are killed for each kind of database, two at a time: at all moments of all commits, and at others. What a death
 * would leave is looked at besides, before and after every statement.
 */
const POINTS = 204
const AT_A_TIME = 2
const LEAST_OTHERS = 20
/** After every so many points the session goes on to its end. */
const GOES_ON = 8

let folder: string
let program: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palimpsest-crash-'))
  program = await bundleChild(join(import.meta.dirname, 'crash-child.test-data.ts'), folder)
})
afterAll(() => rm(folder, { recursive: true }))

for (const databases of await testDatabases()) {
  const { name, skip } = databases
  describe.skipIf(skip)(skip ?? name, () => {
    it('BB-18 killed at any moment of any statement, a session is as it was or as it became', async () => {
      const reference = await referenceRun()
      const places = await Promise.all(Array.from({ length: AT_A_TIME }, () => reusedDatabase(databases)))
      try {
        const points = await killPoints(places[0]?.url ?? '', { moments: MOMENTS[name], wanted: POINTS })
        const seen = { points: 0, old: 0, new: 0, interrupted: 0 }
        const left = [...points]
        const ended = await Promise.allSettled(places.map((place) => killAll(place, { left, reference, seen })))
        for (const end of ended) if (end.status === 'rejected') throw end.reason
        console.info(`BB-18 ${name}: ${JSON.stringify(seen)}`)
        expect(points.length).toBeGreaterThanOrEqual(POINTS)
        expect(seen.points).toBe(points.length)
        expect(Math.min(seen.old, seen.new, seen.interrupted)).toBeGreaterThan(10)
      } finally {
        for (const { remove } of places) await remove()
      }
    }, 600_000)
  })
}

const MOMENTS: Readonly<Record<TestDatabases['name'], readonly StatementMoment[]>> = {
  SQLite: ['before', 'after'],
  PostgreSQL: ['before', 'sent', 'after'],
}

/** All moments of all statements that confirm something, and of any others as many as are wanted. */
async function killPoints(
  url: string,
  { moments, wanted }: { readonly moments: readonly StatementMoment[]; readonly wanted: number },
): Promise<readonly KillPoint[]> {
  const { statements } = await wholeRun({ url })
  const all = statements.flatMap((sql, at) => moments.map((when) => ({ sql, point: { at, when } })))
  const commits = all.filter(({ sql }) => sql === 'commit').map(({ point }) => point)
  const others = all.filter(({ sql }) => sql !== 'commit').map(({ point }) => point)
  const rest = Math.max(wanted - commits.length, LEAST_OTHERS)
  const [chosen = []] = fc.sample(fc.shuffledSubarray(others, { minLength: rest, maxLength: rest }), 1)
  return [...commits, ...chosen]
}

/** What a child says that lives. */
async function wholeRun(job: ChildJob, options?: ChildOptions<ChildLine>) {
  const { lines, signal } = await runChild<ChildJob, ChildLine>(program, job, options)
  const end = lines.at(-1)
  if (signal !== null || end === undefined || !('statements' in end)) throw new Error('The child did not end well.')
  return { lines, statements: end.statements }
}

it('BB-18 the files of SQLite are at every moment those of a session as it was or as it became', async () => {
  const reference = await referenceRun()
  const place = await reusedDatabase(sqliteFiles)
  const copies = await mkdtemp(join(folder, 'copies-'))
  const seen = { points: 0, old: 0, new: 0, interrupted: 0 }
  try {
    await place.reset()
    const { lines, statements } = await wholeRun({ url: place.url, copies })
    expect(lines.filter((line) => 'left' in line)).toHaveLength(MOMENTS.SQLite.length * statements.length)
    for (const [number, { copy, confirmed }] of leftBehind(lines).entries()) {
      const database = await openDatabase(await openCopy(copy, copies))
      const crashed = { reference, left: [], seen, confirmed, goesOn: number % GOES_ON === 0 }
      await expectWhole(database, crashed).finally(() => database.close())
    }
  } finally {
    await place.remove()
  }
  console.info(`BB-18 SQLite, states of its files: ${JSON.stringify(seen)}`)
  expect(Math.min(seen.old, seen.new, seen.interrupted)).toBeGreaterThan(10)
}, 600_000)

const postgres = await postgresDatabases()
describe.skipIf(postgres.skip)(postgres.skip ?? postgres.name, () => {
  it('BB-18 shows others before and after every statement a session as it was or as it became: what a death would leave', async () => {
    const reference = await referenceRun()
    const place = await reusedDatabase(postgres)
    const database = await openDatabase(place.url)
    const seen = { points: 0, old: 0, new: 0, interrupted: 0 }
    let confirmed = 0
    try {
      const onLine = async (line: ChildLine, answer: () => void) => {
        if ('confirmed' in line) confirmed = line.confirmed
        if (!('pause' in line)) return
        await expectOldOrNew(database, { reference, seen, confirmed })
        await expectStores(database, reference)
        answer()
      }
      const { statements } = await wholeRun({ url: place.url, pauses: true }, { onLine, start: new Promise(() => {}) })
      console.info(`BB-18 PostgreSQL, moments: ${JSON.stringify(seen)}`)
      expect(seen.points).toBe(2 * statements.length)
      expect(Math.min(seen.old, seen.new)).toBeGreaterThan(10)
    } finally {
      await database.close()
      await place.remove()
    }
  }, 600_000)
})

interface LeftBehind {
  readonly copy: string
  readonly confirmed: number
}

/** What a death could leave, with what the process had been told by then: each pair once. */
function leftBehind(lines: readonly ChildLine[]): readonly LeftBehind[] {
  const found = new Map<string, LeftBehind>()
  let confirmed = 0
  for (const line of lines) {
    if ('confirmed' in line) confirmed = line.confirmed
    if ('left' in line) found.set(`${line.left} ${confirmed}`, { copy: line.left, confirmed })
  }
  return [...found.values()]
}

/** A database of its own: it is written to, and the copy may be wanted again. */
async function openCopy(copy: string, copies: string): Promise<string> {
  const path = join(await mkdtemp(join(copies, 'opened-')), 'sessions.db')
  for (const suffix of ['', '-wal']) {
    await copyFile(`${copy}${suffix}`, `${path}${suffix}`, constants.COPYFILE_EXCL).catch(unlessMissing)
  }
  return path
}

function unlessMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

interface Work {
  readonly reference: Reference
  /** Points that nobody has taken yet. */
  readonly left: KillPoint[]
  readonly seen: { points: number; old: number; new: number; interrupted: number }
}

async function killAll(place: ReusedDatabase, work: Work): Promise<void> {
  for (let point = work.left.shift(); point !== undefined; point = work.left.shift()) {
    const goesOn = work.left.length % GOES_ON === 0
    await killOnce(place, point, { ...work, goesOn }).catch((cause: unknown) => {
      work.left.length = 0
      throw new Error(`Killed ${point?.when} statement ${point?.at}: ${String(cause)}`, { cause })
    })
  }
}

async function killOnce(place: ReusedDatabase, point: KillPoint, work: Work & { goesOn: boolean }): Promise<void> {
  const { url } = place
  await place.reset()
  const { lines, signal } = await runChild<ChildJob, ChildLine>(program, { url, point })
  expect(signal).toBe('SIGKILL')
  await place.untilLeft()
  const confirmed = lines.reduce((last, line) => ('confirmed' in line ? line.confirmed : last), 0)
  const database = await openDatabase(url)
  await expectWhole(database, { ...work, confirmed }).finally(() => database.close())
}

interface Crashed extends Work {
  /** The last entry that the process was told to be stored. */
  readonly confirmed: number
  readonly goesOn: boolean
}

async function expectWhole(database: SessionDatabase, crashed: Crashed): Promise<void> {
  const { reference, seen, goesOn } = crashed
  const sessions = database.sessions(NAMESPACE)
  const { log, step } = await expectOldOrNew(database, crashed)
  await expectStores(database, reference)
  if (step === 0) return
  const agent = await CrashAgent.open({ sessions, stores: database.stores })
  seen.interrupted += agent.session.snapshot.running.length > 0 ? 1 : 0
  await agent.session.settle()
  await agent.session.commit()
  expectSettled(log, await sessions.read(SESSION))
  expect(bytesOf(await agent.nextRequest())).toBe(await reference.nextRequest(step))
  if (!goesOn) return
  await agent.run()
  await agent.session.commit()
  expectAllTurns(await sessions.read(SESSION))
}

/** Everything up to a commit, and nothing beyond: the last one that was confirmed, or the next. */
async function expectOldOrNew(
  database: SessionDatabase,
  { reference, seen, confirmed }: Omit<Crashed, 'left' | 'goesOn'>,
): Promise<{ readonly log: readonly SessionEntry[]; readonly step: number }> {
  const sessions = database.sessions(NAMESPACE)
  const log = await sessions.read(SESSION)
  expect(log).toEqual(reference.log.slice(0, log.length))
  const step = reference.steps.findIndex(({ entries }) => entries === log.length)
  const old = reference.steps.findIndex(({ entries }) => entries === confirmed)
  expect([old, old + 1]).toContain(step)
  expect(await sessions.find(SESSION)).toEqual(reference.steps[step]?.summary)
  seen.points += 1
  seen[step === old ? 'old' : 'new'] += 1
  return { log, step }
}

/** What compactions stored is what they stored in the reference, as far as it came. */
async function expectStores({ stores }: SessionDatabase, { root, records, history }: Reference): Promise<void> {
  const stored = await stores.records.list(root)
  expect(stored).toEqual(records.slice(0, stored.length))
  for (const { artifact_key: key } of stored.flatMap(({ plan }) => plan.offloads ?? [])) {
    expect(await stores.artifacts.get(NAMESPACE, key ?? '')).toContain('compute(')
  }
  const evicted = historyEntries((await stores.history.read({ namespace: NAMESPACE, session: SESSION })) ?? '')
  expect(evicted).toEqual(history.slice(0, evicted.length))
}

function expectSettled(before: readonly SessionEntry[], after: readonly SessionEntry[]): void {
  expect(after.slice(0, before.length)).toEqual(before)
  expect(verifyChain(after)).toBeUndefined()
  expect(foldEntries(after).snapshot).toMatchObject({ turnOpen: false, running: [] })
  const settled = after.slice(before.length).flatMap((entry) => (entry.type === 'action-completed' ? [entry] : []))
  const { running } = foldEntries(before).snapshot
  expect(settled.map(({ action, status }) => [action, status])).toEqual(
    running.map(({ action }) => [action, 'interrupted']),
  )
}

function expectAllTurns(log: readonly SessionEntry[]): void {
  expect(verifyChain(log)).toBeUndefined()
  const { messages, snapshot } = foldEntries(log)
  const texts = messages.map(({ item }) => JSON.stringify(item))
  const tasks = texts.flatMap((text) => /"Task (\d+): see/.exec(text)?.[1] ?? [])
  expect(tasks).toEqual(Array.from({ length: TURNS }, (_, turn) => `${turn + 1}`))
  expect(new Set(texts).size).toBe(texts.length)
  expect(snapshot).toMatchObject({ turn: TURNS, turnOpen: false, running: [] })
}
