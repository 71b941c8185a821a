import { isSummaryCall, type WirelabOptions } from '@palimpsest/wirelab'
import {
  type CompactorEvent,
  ContextOverflowError,
  decodePreset,
  dialectByName,
  PRESETS,
  type Preset,
} from 'palimpsest'
import { describe, expect, test } from 'vitest'
import { expectSound, type LabRun, startRun } from './lab-run.test-data.ts'
import { call, marked, marker, markersIn, type Step } from './steps.test-data.ts'
import type { KeeperOptions, Manner, Way } from './way.test-data.ts'
import { WAYS } from './ways.test-data.ts'

/** Policies of the matrix, and how often each answers an overflow before it gives up. */
const POLICIES = [
  { name: 'hango', retries: 2 },
  { name: 'keen', retries: 1 },
  { name: 'palimpsest', retries: 2 },
] as const
type Policy = (typeof POLICIES)[number]

/** Every way in that answers in this manner, under every policy, in every case. */
export function describeMatrix(manner: Manner): void {
  describe.each(WAYS.filter(({ manners }) => manners.includes(manner)))(`$name, ${manner}`, (way) => {
    describe.each(POLICIES)('$name', (policy) => {
      test('threshold: compacted before it is sent', () => threshold(way, manner, policy))
      test('overflow once: compacted and answered', () => overflow(way, manner, policy, 1))
      test('overflow twice: oldest turns dropped, or the end', () => overflow(way, manner, policy, 2))
      test('overflow three times: the end', () => overflow(way, manner, policy, 3))
      test('cancelled proactive: sent as it came, once', () => cancelledProactive(way, manner, policy))
      test('cancelled forced: the end', () => cancelledForced(way, manner, policy))
    })
  })
}

/** About 12,000 tokens. Every message has a marker of its own. */
const HISTORY: readonly Step[] = [
  ...Array.from({ length: 25 }, (_, turn) => turnOf(turn)).flat(),
  { user: marked(199, 40) },
]
const LAST = 199
const SMALL_WINDOW = 10_000
const LARGE_WINDOW = 100_000
/** What refusals state, one after the other: each below what it refuses. */
const STATED_WINDOWS = [8_000, 1_000, 500] as const
/** A trigger below the history, which fits all the same. */
const EARLY_TRIGGER = 8_000

function turnOf(turn: number): readonly Step[] {
  const first = turn * 5
  const task: Step = { user: marked(first, 60) }
  const reply: Step = { say: marked(first + 4, 180) }
  if (turn % 3 !== 1) return [task, reply]
  const calls = [call(2 * turn, marked(first + 2, 200)), call(2 * turn + 1, marked(first + 3, 200))]
  return [task, { say: marked(first + 1, 60), calls }, reply]
}

async function threshold(way: Way, manner: Manner, { name }: Policy): Promise<void> {
  const run = await startRun({ window: SMALL_WINDOW, keeper: optionsOf(presetOf(name)) })
  const client = way.connect(run.setup)
  expect((await client.ask(HISTORY, manner)).text).toBe('Done.')
  expect(run.main).toHaveLength(1)
  expect(run.summaries.length).toBeGreaterThan(0)
  expect(reasonsOf(run)).toEqual(['threshold'])
  expectRebuilt(run, way, { at: 0, name })
  // the same again: the same bytes, and nobody is asked for a summary
  await client.ask(HISTORY, manner)
  expect(run.main[1]?.bodyText).toBe(run.main[0]?.bodyText)
  expect(reasonsOf(run)).toEqual(['threshold'])
  expectSound(run)
}

async function overflow(way: Way, manner: Manner, { name, retries }: Policy, times: 1 | 2 | 3): Promise<void> {
  const run = await startRun({ window: LARGE_WINDOW, keeper: optionsOf(presetOf(name)) })
  const when = manner === 'stream' ? 'before-content' : 'before-first-byte'
  for (const window of STATED_WINDOWS.slice(0, times)) run.lab.inject({ kind: 'overflow', when, window, only: 'main' })
  const client = way.connect(run.setup)
  const asked = client.ask(HISTORY, manner)
  if (times > retries) expectOverflowEnd(run, await failureOf(asked))
  else expect((await asked).text).toBe('Done.')
  expect(run.main.map(({ outcome }) => outcome)).toEqual(outcomesOf(times, retries))
  expect(run.of('overflow-detected')).toHaveLength(Math.min(times, retries + 1))
  expect(markersIn(run.main[0]?.bodyText ?? '')).toEqual(markersIn(JSON.stringify(HISTORY)))
  for (let at = 1; at < run.main.length; at++) {
    expectRebuilt(run, way, { at, name })
    expect(run.main[at]?.tokens).toBeLessThan(run.main[at - 1]?.tokens ?? 0)
  }
  expectSound(run)
}

function outcomesOf(times: number, retries: number): readonly string[] {
  const refused = Math.min(times, retries + 1)
  return [...Array.from({ length: refused }, () => 'faulted'), ...(times > retries ? [] : ['answered'])]
}

async function cancelledProactive(way: Way, manner: Manner, { name }: Policy): Promise<void> {
  const early = decodePreset({ extends: name, trigger: { tokens: EARLY_TRIGGER } })
  const run = await startRunThatIsCancelled(LARGE_WINDOW, optionsOf(early))
  const client = way.connect(run.setup)
  expect((await client.ask(HISTORY, manner)).text).toBe('Done.')
  expect(run.of('compaction-cancelled')).toHaveLength(1)
  expect(reasonsOf(run)).toEqual([])
  expectAsItCame(run)
  // no new attempt until the history grows
  expect((await client.ask(HISTORY, manner)).text).toBe('Done.')
  expect(run.of('compaction-started')).toHaveLength(1)
  expect(run.main).toHaveLength(2)
  expectSound(run)
}

async function cancelledForced(way: Way, manner: Manner, { name }: Policy): Promise<void> {
  const run = await startRunThatIsCancelled(LARGE_WINDOW, optionsOf(presetOf(name)))
  run.lab.inject({ kind: 'overflow', when: 'before-first-byte', window: STATED_WINDOWS[0], only: 'main' })
  const failure = await failureOf(way.connect(run.setup).ask(HISTORY, manner))
  expectOverflowEnd(run, failure)
  expect(run.of('compaction-cancelled')).toMatchObject([{ reason: 'overflow' }])
  expect(reasonsOf(run)).toEqual([])
  expect(run.main.map(({ outcome }) => outcome)).toEqual(['faulted'])
  expectAsItCame(run)
  expectSound(run)
}

function presetOf(name: Policy['name']): Preset {
  return PRESETS[name] as Preset
}

function optionsOf(preset: Preset): KeeperOptions {
  // for formats without an output cap too: then all of them have the same room
  return { preset, reserve: 500 }
}

/** The compaction is cancelled while the summariser is at work. */
function startRunThatIsCancelled(window: number, keeper: KeeperOptions): Promise<LabRun> {
  let cancel: () => void = () => {}
  const lab: WirelabOptions = {
    isSummaryCall: (body) => {
      const isOne = isSummaryCall(body)
      if (isOne) cancel()
      return isOne
    },
    summarizer: 'stalls',
  }
  const onEvent = (event: CompactorEvent) => {
    if (event.type === 'compaction-started') cancel = () => event.cancel()
  }
  return startRun({ window, lab, keeper: { ...keeper, onEvent } })
}

function reasonsOf(run: LabRun): readonly string[] {
  return run.of('compaction-applied').map(({ reason }) => reason)
}

async function failureOf(asked: Promise<unknown>): Promise<unknown> {
  return asked.then(
    (answer) => expect.unreachable(`It was answered: ${JSON.stringify(answer)}`),
    (error: unknown) => error,
  )
}

/** The provider's own error by `fetch`, ours by the middleware; both say what to do. */
function expectOverflowEnd({ setup }: LabRun, failure: unknown): void {
  expect(failure).toBeInstanceOf(Error)
  if (failure instanceof ContextOverflowError) {
    expect(failure.hint).toMatch(/\w/)
    return
  }
  expect((failure as Error).message).toMatch(/too long|exceeds|context|maximum/i)
  expect(setup.keeper.explained.at(-1)).toMatch(/refused .*too large/)
}

function expectAsItCame({ main }: LabRun): void {
  const [first] = main
  expect(markersIn(first?.bodyText ?? '')).toEqual(markersIn(JSON.stringify(HISTORY)))
  expect(first?.bodyText).not.toContain(CHECKPOINT)
}

const CHECKPOINT = '<compacted_context>'

/**
 * The request that came in at this place holds the checkpoint, the user's last message, and of all else only what comes
 * without a gap before it: nothing of what the plan dropped. Under `keen` there is nothing else.
 */
function expectRebuilt(
  run: LabRun,
  way: Way,
  { at, name }: { readonly at: number; readonly name: Policy['name'] },
): void {
  const text = run.main[at]?.bodyText ?? ''
  expect(text.split(CHECKPOINT)).toHaveLength(2)
  const all = markersIn(JSON.stringify(HISTORY))
  const left = markersIn(text)
  expect(left.length).toBeLessThan(all.length)
  expect(left).toEqual(all.slice(-left.length))
  expect(text.split(marker(LAST))).toHaveLength(4)
  if (name === 'keen') expect(left).toEqual([LAST])
  const discarded = discardedMarkers(run, way)
  expect(discarded.length).toBeGreaterThan(0)
  for (const number of discarded) expect(text).not.toContain(marker(number))
}

/** Markers of what the first plan dropped: read off the request as the SDK made it. */
function discardedMarkers(run: LabRun, way: Way): readonly number[] {
  const [given] = run.setup.keeper.given
  const [applied] = run.of('compaction-applied')
  // a middleware stands before there is a request: of its plan it is only known that the oldest message is in it
  if (given === undefined) return applied?.plan.drop?.[0]?.from === 0 ? [0] : []
  const { items } = dialectByName(way.dialect).open(JSON.parse(given))
  const dropped = (applied?.plan.drop ?? []).flatMap(({ from, to }) => items.slice(from, to))
  const kept = items.filter((item) => !dropped.includes(item))
  const ofKept = new Set(markersIn(JSON.stringify(kept)))
  return markersIn(JSON.stringify(dropped)).filter((number) => number !== LAST && !ofKept.has(number))
}
