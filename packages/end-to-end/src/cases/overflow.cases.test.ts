import { generateText, type ModelMessage, RetryError, wrapLanguageModel } from 'ai'
import { anthropicMessages, ContextOverflowError, createCompactor, PRESETS, type Preset } from 'palimpsest'
import { palimpsest } from 'palimpsest/ai-sdk'
import { describe, expect, test } from 'vitest'
import { modelAt } from '../ai-sdk.test-data.ts'
import { modelMessagesOf } from '../ways/ai-sdk.test-data.ts'
import { anthropic, messagesOf } from '../ways/anthropic.test-data.ts'
import { expectSound, runOn, startRun } from '../ways/lab-run.test-data.ts'
import { openaiChat } from '../ways/openai-chat.test-data.ts'
import { openaiResponses } from '../ways/openai-responses.test-data.ts'
import { deepFreeze, marked, marker, markersIn, type Step } from '../ways/steps.test-data.ts'
import { watchedStores } from '../ways/watched-stores.test-data.ts'
import { WAYS } from '../ways/ways.test-data.ts'

const TASK = `${marker(9)} Now write the report, and keep port 8443.`
/** Ten messages, the last of them the user's task; about 12,000 tokens, one marker each. */
const TEN: readonly Step[] = deepFreeze<Step[]>([
  ...Array.from({ length: 3 }, (_, turn): Step[] => [
    { user: marked(2 * turn, 200) },
    { say: marked(2 * turn + 1, 2_200) },
  ]).flat(),
  { user: marked(6, 200) },
  { say: marked(7, 200) },
  { user: marked(8, 20) },
  { user: TASK },
])
const PRESET_NAMES = ['hango', 'keen', 'palimpsest'] as const
const presetOf = (name: (typeof PRESET_NAMES)[number]) => PRESETS[name] as Preset

describe('overflow and recovery', () => {
  test('CF-10 one overflow is two model calls and one summary, and what came of it is stored', async () => {
    const stores = watchedStores()
    const summarizer = { model: 'claude-haiku-4-5' }
    const run = await startRun({ window: 200_000, keeper: { stores, summarizer } })
    run.lab.inject({ kind: 'overflow', when: 'before-first-byte', window: 6_000 })
    expect((await anthropic.connect(run.setup).ask(TEN, 'generate')).text).toBe('Done.')
    expect(run.main).toHaveLength(2)
    expect(run.summaries).toHaveLength(1)
    expect(run.of('compaction-applied')).toHaveLength(1)
    expect(stores.committed.map(({ key }) => key)).toEqual(run.of('compaction-applied').map((one) => one.recordId))
    // another process with the same store goes on from there: no refusal, no summary, the same bytes
    const other = runOn(run.lab, { window: 200_000, stores })
    expect((await anthropic.connect(other.setup).ask(TEN, 'generate')).text).toBe('Done.')
    expect(run.main[2]?.bodyText).toBe(run.main[1]?.bodyText)
    expect(run.summaries).toHaveLength(1)
    expectSound(run)
  })

  test('CF-11 two overflows: bounded calls, every original archived once, the task verbatim in the end', async () => {
    const stores = watchedStores()
    const keeper = { stores, reader: { tool: 'read_history' }, summarizer: { model: 'claude-haiku-4-5' } }
    const run = await startRun({ window: 200_000, keeper })
    for (const window of [6_000, 700])
      run.lab.inject({ kind: 'overflow', when: 'before-first-byte', window, only: 'main' })
    expect((await anthropic.connect(run.setup).ask(TEN, 'generate')).text).toBe('Done.')
    expect(run.main.map(({ outcome }) => outcome)).toEqual(['faulted', 'faulted', 'answered'])
    expect(run.summaries.length).toBeLessThanOrEqual(2)
    const last = run.main[2]?.bodyText ?? ''
    expect(last.split(TASK)).toHaveLength(2)
    const [session] = new Set(stores.appended.map((one) => JSON.stringify(one.session)))
    const archive = (await stores.history.read(JSON.parse(session ?? ''))) ?? ''
    const gone = markersIn(JSON.stringify(TEN)).filter((number) => !last.includes(marker(number)))
    expect(gone.length).toBeGreaterThan(6)
    for (const number of gone) expect(archive.split(`${marker(number)} `)).toHaveLength(3)
    const positions = [...archive.matchAll(/^<!-- palimpsest:entry (\d+) /gm)].map((match) => Number(match[1]))
    expect(new Set(positions).size).toBe(positions.length)
    expect([...positions].sort((a, b) => a - b)).toEqual(positions)
    expectSound(run)
  })

  test.each(PRESET_NAMES)('BB-8 %s: so many refusals are the end, and no request follows', async (name) => {
    const run = await startRun({ window: 200_000, keeper: { preset: presetOf(name) } })
    const allowed = name === 'keen' ? 2 : 3
    for (const window of [6_000, 700, 350, 200]) {
      run.lab.inject({ kind: 'overflow', when: 'before-first-byte', window, only: 'main' })
    }
    const failure = await anthropic
      .connect(run.setup)
      .ask(TEN, 'generate')
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({ status: 400, message: expect.stringContaining('prompt is too long') })
    expect(run.main.map(({ outcome }) => outcome)).toEqual(Array.from({ length: allowed }, () => 'faulted'))
    // each retry is smaller, and none is of a size that was refused
    const sizes = run.main.map(({ tokens }) => tokens)
    expect(sizes).toEqual([...new Set(sizes)].sort((a, b) => b - a))
    // the terminal message; the exit code of the headless agent is the agent's
    expect(run.setup.keeper.explained).toEqual([
      expect.stringMatching(new RegExp(`${allowed} times.*Start a new session`)),
    ])
  })

  test.each(WAYS.map((way) => [way.name, way] as const))('BB-9 %s: a rate limit is never compacted', async (_, way) => {
    for (const body of [true, false]) {
      const run = await startRun({ window: 200_000 })
      run.lab.inject({ kind: 'rate-limit', body })
      const failed = await way
        .connect(run.setup)
        .ask(TEN, 'stream')
        .catch((error: unknown) => error)
      expect(failed).toBeInstanceOf(Error)
      expect(run.main).toHaveLength(1)
      expect(run.events.filter(({ type }) => /^compaction|^overflow/.test(type))).toEqual([])
    }
  })

  test.each([anthropic, openaiChat])(
    'BB-9 $name retries a rate limit by itself, with the same request',
    async (way) => {
      const run = await startRun({ window: 200_000 })
      run.lab.inject({ kind: 'rate-limit', body: true })
      const client = way.connect({ ...run.setup, maxRetries: 2 })
      expect((await client.ask(TEN, 'generate')).text).toBe('Done.')
      expect(run.main.map(({ outcome }) => outcome)).toEqual(['faulted', 'answered'])
      expect(run.main[1]?.bodyText).toBe(run.main[0]?.bodyText)
      expect(run.of('compaction-started')).toEqual([])
    },
  )

  test('BB-9 a request larger than the bucket of a minute can never pass: that one is an overflow', async () => {
    const run = await startRun({ window: 200_000 })
    const wording = 'openai-rate-bucket'
    run.lab.inject({ kind: 'overflow', when: 'before-first-byte', window: 6_000, wording })
    expect((await openaiChat.connect(run.setup).ask(TEN, 'generate')).text).toBe('Done.')
    expect(run.main[0]?.status).toBe(429)
    expect(run.main[1]?.tokens).toBeLessThan(6_000)
  })

  test.each([{ kind: '413' }, { kind: '413-html' }] as const)(
    'BB-10 $kind, near the window, is an overflow',
    async (fault) => {
      const run = await startRun({ window: 200_000, keeper: { window: 20_000 } })
      run.lab.inject(fault)
      expect((await anthropic.connect(run.setup).ask(TEN, 'generate')).text).toBe('Done.')
      expect(run.main.map(({ outcome }) => outcome)).toEqual(['faulted', 'answered'])
      expect(run.main[1]?.tokens).toBeLessThan(run.main[0]?.tokens ?? 0)
    },
  )

  test('BB-10 an overflow that a retry wrapper hides is one', async () => {
    const run = await startRun({ window: 200_000 })
    run.lab.inject({ kind: 'overflow', when: 'before-first-byte', window: 6_000 })
    const model = modelAt('anthropic', run.lab.url)
    const messages: ModelMessage[] = modelMessagesOf(TEN)
    const cause = await generateText({ model, messages, maxRetries: 0 }).catch((error: unknown) => error)
    const wrapped = new RetryError({
      message: 'Failed after 3 attempts.',
      reason: 'maxRetriesExceeded',
      errors: [cause, cause],
    })
    const compactor = createCompactor({ dialect: anthropicMessages })
    const request = { model: 'claude-opus-5', max_tokens: 500, messages: messagesOf(TEN) as never }
    const prepared = await compactor.prepare(request)
    const next = await prepared.recover(new Error('The step failed.', { cause: wrapped }))
    expect(next?.size.tokens).toBeLessThan(prepared.size.tokens)
  })

  test('BB-10 an overflow inside of a stream, before any content, is not seen', async () => {
    const run = await startRun({ window: 200_000 })
    run.lab.inject({ kind: 'overflow', when: 'before-content', window: 6_000 })
    const { text, shown } = await openaiResponses.connect(run.setup).ask(TEN, 'stream')
    expect([text, shown]).toEqual(['Done.', 'Done.'])
    expect(run.main.map(({ status, outcome }) => [status, outcome])).toEqual([
      [200, 'faulted'],
      [200, 'answered'],
    ])
  })

  test.each([
    ['z-ai', 'finish-reason'],
    ['z-ai-silent', 'silent-above'],
  ])('BB-10 status 200 and %s: an answer that reports more than the window is an overflow', async (wording, how) => {
    // it counts twice as much as we think
    const counter = (text: string) => text.length / 2
    const run = await startRun({ window: 17_000, lab: { wording, counter }, keeper: { summarizer: 'extractive' } })
    expect((await openaiChat.connect(run.setup).ask(TEN, 'generate')).text).toBe('Done.')
    expect(run.main.map(({ reason }) => reason)).toEqual([`overflow: ${how}`, undefined])
    expect(run.main.map(({ status }) => status)).toEqual([200, 200])
  })

  test.each(['generate', 'stream'] as const)(
    'BB-11 %s: input that fits without its output cap is sent with a lower one, and nothing is compacted',
    async (manner) => {
      const run = await startRun({ lab: { window: 28_000, sumsOutput: true }, keeper: { window: 200_000 } })
      const client = anthropic.connect({ ...run.setup, maxOutput: 20_000 })
      expect((await client.ask(TEN, manner)).text).toBe('Done.')
      expect(run.main.map(({ outcome }) => outcome)).toEqual(['refused', 'answered'])
      const [refused, answered] = run.main.map(({ body }) => body as { max_tokens: number; messages: unknown })
      expect(answered?.messages).toEqual(refused?.messages)
      expect(answered?.max_tokens).toBeGreaterThanOrEqual(4_096)
      expect((answered?.max_tokens ?? 0) + (run.main[1]?.tokens ?? 0)).toBeLessThanOrEqual(28_000)
      expect(run.of('compaction-started')).toEqual([])
      // the limit was read from the message: the next request is right at once
      await client.ask([...TEN, { say: 'Done.' }, { user: 'Go on.' }], manner)
      expect(run.main.map(({ outcome }) => outcome)).toEqual(['refused', 'answered', 'answered'])
    },
  )

  test.each(WAYS.map((way) => [way.name, way] as const))(
    'BB-21 %s: a request that cannot be made to fit is never sent',
    async (_, way) => {
      const run = await startRun({ window: 8_000, lab: { summarizer: 'empty' }, keeper: { preset: presetOf('keen') } })
      const manner = way.manners[0] ?? 'generate'
      const failure = await way
        .connect(run.setup)
        .ask([...TEN, ...TEN.slice(0, 9), ...TEN.slice(9)], manner)
        .catch((e) => e)
      expect(failure).toBeInstanceOf(Error)
      if (way.dialect === 'ai-sdk') expect(failure).toBeInstanceOf(ContextOverflowError)
      expect(run.main).toEqual([])
      expect(run.of('compaction-failed')).toHaveLength(1)
      expectSound(run)
    },
  )

  test('BB-21 nor is it resent by an SDK that retries', async () => {
    const run = await startRun({ window: 8_000, lab: { summarizer: 'empty' } })
    const middleware = palimpsest({ window: 8_000, preset: presetOf('keen') })
    const model = wrapLanguageModel({ model: modelAt('anthropic', run.lab.url), middleware })
    const failure = await generateText({ model, messages: modelMessagesOf(TEN), maxRetries: 2 }).catch(
      (e: unknown) => e,
    )
    expect(failure).toBeInstanceOf(ContextOverflowError)
    expect(run.main).toEqual([])
  })
})
