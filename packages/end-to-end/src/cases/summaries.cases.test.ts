import type { SummaryBehaviour, WirelabOptions } from '@palimpsest/wirelab'
import { decodePreset, PRESETS, type Preset, type SummaryRejection } from 'palimpsest'
import { describe, expect, test } from 'vitest'
import { bedrock } from '../ways/ai-sdk.test-data.ts'
import { anthropic, anthropicClient, askAnthropic, messagesOf, tools } from '../ways/anthropic.test-data.ts'
import { expectFits, expectSound, type LabRun, runLoop, startRun } from '../ways/lab-run.test-data.ts'
import { call, deepFreeze, filler, marked, marker, markersIn, type Step } from '../ways/steps.test-data.ts'
import { watchedStores } from '../ways/watched-stores.test-data.ts'
import { WAYS } from '../ways/ways.test-data.ts'

const KEEN = PRESETS.keen as Preset
/** A trigger below the history, which fits all the same: what fails here is sent as it came. */
const EARLY_KEEN = decodePreset({ extends: 'keen', trigger: { tokens: 9_000 } })
const EARLY = decodePreset({ extends: 'palimpsest', trigger: { tokens: 9_000 } })

const turnsOf = (count: number): Step[] =>
  Array.from({ length: count }, (_, turn): Step[] => [
    { user: marked(turn, 60) },
    { say: marked(100 + turn, 600) },
  ]).flat()
/** About 12,000 tokens, with tool blocks. */
const HISTORY: readonly Step[] = deepFreeze([
  ...turnsOf(12),
  { user: 'Look at it.' },
  { calls: [call(1, marked(200, 60))], say: marked(201, 60) },
  { say: marked(202, 60) },
  { user: marked(203, 20) },
] satisfies Step[])

/** Tokens that the simulator counted for all calls of one purpose. */
function tokensOf(calls: LabRun['main']): { readonly input: number; readonly output: number } {
  return calls.reduce(
    (sum, { usage }) => ({ input: sum.input + (usage?.input ?? 0), output: sum.output + (usage?.output ?? 0) }),
    { input: 0, output: 0 },
  )
}

describe('TC-17 the summariser is not heard', () => {
  test.each(WAYS.map((way) => [way.name, way] as const))(
    'TC-17 (i) %s, streaming: nothing of a summary is shown, its call is seen, and its usage counts',
    async (_, way) => {
      const said = 'The handover says that the widget is blue and that port 8443 stays.'
      const summary = `${said} ${'Work was done on the parser and its tests. '.repeat(20)}`
      const script = ({ answered }: { readonly answered: number }) => ({
        parts:
          answered < 8
            ? [
                { kind: 'text' as const, text: `Step ${answered}.` },
                { kind: 'tool-call' as const, id: `toolu_${answered}`, name: 'read_file', input: { step: answered } },
              ]
            : [{ kind: 'text' as const, text: 'All is read.' }],
      })
      const summarizer: NonNullable<WirelabOptions['summarizer']> = () => ({ parts: [{ kind: 'text', text: summary }] })
      const run = await startRun({ window: 9_000, lab: { script, summarizer }, keeper: { preset: KEEN } })
      const client = way.connect(run.setup)
      const shown: string[] = []
      const watched: typeof client = {
        ask: async (steps, manner) => {
          const answer = await client.ask(steps, manner)
          shown.push(answer.shown)
          return answer
        },
      }
      await runLoop(watched, [{ user: 'Read.' }], { tool: (_input, step) => filler(1_000, step), manner: 'stream' })
      expect(shown).toEqual([...Array.from({ length: 8 }, (_value, step) => `Step ${step}.`), 'All is read.'])
      expect(run.summaries.length).toBeGreaterThan(0)
      expect(run.main.some(({ bodyText }) => bodyText.includes(said))).toBe(true)
      const observed = run.of('usage-observed').map(({ usage }) => usage)
      expect(observed.reduce((sum, { input }) => sum + input, 0)).toBe(tokensOf(run.main).input)
      const summarised = run.of('summarizer-called').map(({ usage }) => usage)
      expect(summarised.reduce((sum, { input }) => sum + input, 0)).toBe(tokensOf(run.summaries).input)
      expectSound(run)
    },
  )

  test('TC-17 (ii) a server that refuses tool blocks without a tool config is sent neither', async () => {
    const run = await startRun({ window: 60_000, keeper: { preset: EARLY_KEEN } })
    expect((await bedrock.connect(run.setup).ask(HISTORY, 'stream')).text).toBe('Done.')
    expect(run.summaries.map(({ outcome }) => outcome)).toEqual(['answered'])
    expect(run.summaries[0]?.bodyText).not.toMatch(/toolConfig|"toolUse"|"toolResult"/)
    expect(run.main[0]?.bodyText).toContain('compacted_context')
    expectSound(run)
  })

  test('TC-17 (iii) a call of a tool instead of a summary is refused, and the fallback writes', async () => {
    const run = await startRun({ window: 60_000, lab: { summarizer: 'tool-call' }, keeper: { preset: EARLY } })
    expect((await anthropic.connect(run.setup).ask(HISTORY, 'stream')).text).toBe('Done.')
    expect(run.of('summary-rejected').map(({ rejected }) => rejected.reason)).toEqual(['tool-call', 'tool-call'])
    expect(run.of('compaction-applied')).toHaveLength(1)
    expect(run.of('summarizer-called').map(({ by, usage }) => [by, usage.input])).toEqual([
      ['extractive', tokensOf(run.summaries).input],
    ])
    expectSound(run)
  })

  const thinking = { type: 'enabled' as const, budget_tokens: 1_024 }
  const edits = { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] }
  test.each([
    ['(iv) refuses thinking that is turned off', /"thinking":\{"type":"disabled"/],
    ['(v) refuses clear-thinking edits without thinking', /clear_thinking(?![\s\S]*"thinking":\{"type":"enabled")/],
  ])('TC-17 a server that %s is never asked so', async (_, refused) => {
    const seen: string[] = []
    const strict: typeof globalThis.fetch = async (input, init) => {
      const body = String(init?.body)
      seen.push(body)
      const error = { type: 'error', error: { type: 'invalid_request_error', message: 'thinking: not supported here' } }
      return refused.test(body) ? Response.json(error, { status: 400 }) : globalThis.fetch(input, init)
    }
    const run = await startRun({ window: 60_000, keeper: { preset: EARLY_KEEN, fetch: strict } })
    const body = { model: 'claude-opus-5', max_tokens: 3_000, tools, messages: messagesOf(HISTORY), thinking }
    await askAnthropic(anthropicClient(run.setup), { ...body, context_management: edits } as typeof body, 'stream')
    expect(run.summaries.map(({ outcome }) => outcome)).toEqual(['answered'])
    expect(run.main).toHaveLength(1)
    expect(run.main[0]?.bodyText).toContain('clear_thinking')
    expect(seen.filter((one) => refused.test(one))).toEqual([])
    expect(run.of('compaction-applied')).toHaveLength(1)
  })
})

/** The nine answers that are no summary, each with its reason. */
const ANSWERS: readonly (readonly [string, NonNullable<WirelabOptions['summarizer']>, SummaryRejection['reason']])[] = [
  ['nothing', 'empty', 'empty'],
  ['white space', 'whitespace', 'empty'],
  ['thinking only', 'reasoning-only', 'reasoning-only'],
  ['a refusal', 'refusal', 'refusal'],
  ['a refusal that the provider does not mark', says('I’m sorry, but I can’t help with that request.'), 'refusal'],
  ['a text that was cut', 'length', 'cut-by-length'],
  ['an opening tag that is never closed', says(`<summary>${filler(120, 9)}`), 'cut-by-length'],
  ['a tool call only', 'tool-call', 'tool-call'],
  ['that no events were given', 'nothing-said', 'nothing-said'],
  ['the assistant’s last reply', says(marked(202, 60)), 'repeats-input'],
  ['three words', 'three-words', 'too-short'],
]

function says(text: string): NonNullable<WirelabOptions['summarizer']> {
  return () => ({ parts: [{ kind: 'text', text }], finish: 'stop' })
}

describe('TC-30 what is no summary', () => {
  test.each(ANSWERS)(
    'TC-30 %s is refused with its reason, and the history goes out as it was',
    async (_, summarizer, reason) => {
      const stores = watchedStores()
      const run = await startRun({ window: 60_000, lab: { summarizer }, keeper: { preset: EARLY_KEEN, stores } })
      const client = anthropic.connect(run.setup)
      expect((await client.ask(HISTORY, 'generate')).text).toBe('Done.')
      expect(run.of('summary-rejected').map(({ rejected }) => rejected.reason)).toEqual([reason, reason])
      expect(run.summaries).toHaveLength(2)
      expect(run.of('compaction-failed').map(({ usage }) => usage)).toEqual([tokensOf(run.summaries)])
      expect(run.of('compaction-applied')).toEqual([])
      expect(stores.committed).toEqual([])
      expect(run.main[0]?.bodyText).toBe(run.setup.keeper.given[0])
      expectSound(run)
    },
  )

  test.each(ANSWERS)('TC-30 %s: then the deterministic summariser writes', async (_, summarizer, reason) => {
    const run = await startRun({
      window: 60_000,
      lab: { summarizer },
      keeper: { preset: EARLY, keep: { messages: 1 } },
    })
    expect((await anthropic.connect(run.setup).ask(HISTORY, 'generate')).text).toBe('Done.')
    expect(run.of('summary-rejected').map(({ rejected }) => rejected.reason)).toEqual([reason, reason])
    expect(run.summaries).toHaveLength(2)
    expect(run.of('compaction-applied').map(({ usage }) => usage)).toEqual([tokensOf(run.summaries)])
    expect(run.main).toHaveLength(1)
    expect(run.main[0]?.bodyText).toContain('compacted_context')
    expect(run.main[0]?.tokens).toBeLessThan(9_000)
    expectSound(run)
  })

  test('BB-12 an answer that is larger than what it replaces changes nothing, and says so', async () => {
    const stores = watchedStores()
    const summarizer = says(`The handover. ${filler(13_000, 3)}`)
    const run = await startRun({ window: 60_000, lab: { summarizer }, keeper: { preset: EARLY_KEEN, stores } })
    await anthropic.connect(run.setup).ask(HISTORY, 'generate')
    const reasons = run.of('summary-rejected').map(({ rejected }) => rejected.reason)
    expect(reasons).toEqual(['not-smaller', 'not-smaller'])
    expect(run.main[0]?.bodyText).toBe(run.setup.keeper.given[0])
    expect([stores.committed, stores.appended.flatMap(({ entries }) => entries)]).toEqual([[], []])
  })

  test.each<SummaryBehaviour>(['empty', 'reasoning-only', 'length', 'tool-call'])(
    'BB-12 %s: history and file are as they were, and the reason is reported',
    async (summarizer) => {
      const stores = watchedStores()
      const run = await startRun({ window: 60_000, lab: { summarizer }, keeper: { preset: EARLY_KEEN, stores } })
      await bedrock.connect(run.setup).ask(HISTORY, 'generate')
      expect(run.of('summary-rejected').every(({ rejected }) => rejected.detail.length > 0)).toBe(true)
      expect(run.of('compaction-failed').map(({ error }) => error.code)).toHaveLength(1)
      expect(markersIn(run.main[0]?.bodyText ?? '')).toEqual(markersIn(JSON.stringify(HISTORY)))
      expect([stores.committed, stores.appended.flatMap(({ entries }) => entries)]).toEqual([[], []])
    },
  )

  test.each([
    ['fails', () => ({ kind: 'overflow' as const, when: 'before-first-byte' as const })],
    ['says nothing', says('')],
    ['begins with what is no text', () => ({ parts: [{ kind: 'reasoning' as const, text: 'Hm.' }] })],
  ])('CF-14 a summariser that %s: a typed failure, and the model is called with what fits', async (_, summarizer) => {
    const lab = { summarizer: summarizer as NonNullable<WirelabOptions['summarizer']> }
    const run = await startRun({ window: 60_000, lab, keeper: { preset: EARLY_KEEN } })
    const before = JSON.stringify(HISTORY)
    expect((await anthropic.connect(run.setup).ask(HISTORY, 'generate')).text).toBe('Done.')
    expect(run.of('compaction-failed')).toMatchObject([{ error: { name: 'PalimpsestError' } }])
    expect(run.main.map(({ bodyText }) => bodyText)).toEqual(run.setup.keeper.given)
    expect(JSON.stringify(HISTORY)).toBe(before)
  })

  test('BB-13 a summariser that overflows is asked with less and less, and then not at all', async () => {
    const run = await startRun({ window: 60_000, lab: { summarizer: 'overflow' }, keeper: { preset: EARLY } })
    expect((await anthropic.connect(run.setup).ask(HISTORY, 'generate')).text).toBe('Done.')
    const sizes = run.summaries.map(({ tokens }) => tokens)
    expect(sizes).toEqual([...new Set(sizes)].sort((a, b) => b - a))
    expect(sizes.length).toBeGreaterThan(1)
    expect(sizes.length).toBeLessThanOrEqual(4)
    expect(run.of('summarizer-called').map(({ by }) => by)).toEqual(['extractive'])
    // what left the view is accounted for
    expect(run.of('compaction-applied')).toMatchObject([{ evicted: expect.any(Number) }])
    const left = markersIn(run.main[0]?.bodyText ?? '')
    expect(run.of('compaction-applied')[0]?.evicted).toBeGreaterThanOrEqual(20 - left.length)
    expectSound(run)
  })

  test('C8 a last chunk that holds the user’s last message alone does not fail the summary', async () => {
    const turn = (number: number): readonly Step[] => {
      const first = number * 5
      const steps: Step[] = [{ user: marked(first, 60) }]
      if (number % 3 === 1) {
        const calls = [call(2 * number, marked(first + 2, 200)), call(2 * number + 1, marked(first + 3, 200))]
        steps.push({ say: marked(first + 1, 60), calls })
      }
      return [...steps, { say: marked(first + 4, 180) }]
    }
    const steps = [...Array.from({ length: 24 }, (_, number) => turn(number)).flat(), { user: marked(199, 40) }]
    const run = await startRun({ window: 10_000, keeper: { preset: KEEN, reserve: 500 } })
    expect((await bedrock.connect(run.setup).ask(steps, 'generate')).text).toBe('Done.')
  })
})

describe('TC-27 no progress, no loop', () => {
  test('TC-27 a last message that fills the window is tried twice at most, until there is something large and new', async () => {
    const lab: WirelabOptions = {
      summarizer: ({ body }) => ({
        parts: [{ kind: 'text', text: JSON.stringify(body).slice(0, 40_000) }],
        finish: 'stop',
      }),
    }
    const run = await startRun({ window: 24_000, lab, keeper: { preset: KEEN, reserve: 500 } })
    const client = anthropic.connect(run.setup)
    const steps: Step[] = [{ user: 'Hello.' }, { say: 'Hello.' }, { user: marked(1, 9_700) }]
    for (let turn = 0; turn < 12; turn++) {
      const { text } = await client.ask(steps, 'generate')
      steps.push({ say: text }, { user: filler(20, turn) })
    }
    expect(run.main.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 12 }, () => 'answered'))
    expect(run.of('compaction-started').length).toBeGreaterThan(0)
    expect(run.summaries.length).toBeLessThanOrEqual(2)
    expect(run.of('compaction-applied')).toEqual([])
    for (const { error } of run.of('compaction-failed')) expect(['no-progress', 'cannot-fit']).toContain(error.code)
    for (const { bodyText } of run.main) expect(bodyText).toContain(marker(1))
    const tries = run.of('compaction-started').length
    steps.push({ say: 'Done.' }, { user: filler(1_500, 77) })
    await client.ask(steps, 'generate').catch(() => {})
    expect(run.of('compaction-started').length).toBeGreaterThan(tries)
    expectSound(run)
  })

  test('CF-13 where only a summary could leave nobody is asked for another', async () => {
    const run = await startRun({ window: 60_000, keeper: { preset: EARLY_KEEN } })
    const client = anthropic.connect(run.setup)
    const steps: Step[] = [...HISTORY]
    await client.ask(steps, 'generate')
    expect(run.of('compaction-applied')).toHaveLength(1)
    const asked = run.summaries.length
    // behind the summary there is the open step alone, and it is above the trigger
    steps.push({ calls: [call(50, filler(6_000, 50))] })
    for (let turn = 0; turn < 3; turn++) expect((await client.ask(steps, 'generate')).text).toBe('Done.')
    expect(run.main.at(-1)?.tokens).toBeGreaterThan(9_000)
    expect(run.summaries).toHaveLength(asked)
    expect(run.of('compaction-failed').map(({ error }) => error.code)).toEqual(['no-progress'])
    expectSound(run)
  })

  test('BB-15 after a compaction the next request is well below the trigger', async () => {
    const run = await startRun({ window: 60_000, keeper: { preset: EARLY } })
    const client = anthropic.connect(run.setup)
    await client.ask(HISTORY, 'generate')
    await client.ask([...HISTORY, { say: 'Done.' }, { user: 'Go on.' }], 'generate')
    expect(run.of('compaction-started')).toHaveLength(1)
    expect(run.main[1]?.tokens).toBeLessThan(0.75 * 9_000)
  })

  test('BB-15 where that cannot be, each user turn tries once at most and says why', async () => {
    const run = await startRun({
      window: 60_000,
      lab: { summarizer: 'empty' },
      keeper: { preset: EARLY_KEEN },
    })
    const client = anthropic.connect(run.setup)
    const steps: Step[] = [...HISTORY]
    for (let turn = 0; turn < 5; turn++) {
      await client.ask(steps, 'generate')
      steps.push({ say: 'Done.' }, { user: 'Go on.' })
    }
    expect(run.of('compaction-started')).toHaveLength(1)
    expect(run.of('compaction-failed')).toHaveLength(1)
    expect(run.main).toHaveLength(5)
    expectFits(run, 60_000)
  })
})
