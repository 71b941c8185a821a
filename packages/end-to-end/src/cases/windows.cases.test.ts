import { anthropicMessages, createCompactor, decodePreset, PRESETS, type Preset } from 'palimpsest'
import { describe, expect, test } from 'vitest'
import { anthropic, anthropicClient, askAnthropic, messagesOf, tools } from '../ways/anthropic.test-data.ts'
import { gemini } from '../ways/gemini.test-data.ts'
import type { LabRun } from '../ways/lab-run.test-data.ts'
import { expectFits, expectSound, runLoop, runOn, startRun } from '../ways/lab-run.test-data.ts'
import { openaiChat } from '../ways/openai-chat.test-data.ts'
import { call, filler, marked, type Step } from '../ways/steps.test-data.ts'

/** A loop that calls the tool so often. */
const loopOf =
  (steps: number) =>
  ({ answered }: { readonly answered: number }) => {
    const step = answered % (steps + 1)
    return step === steps
      ? { parts: [{ kind: 'text' as const, text: 'All is read.' }] }
      : { parts: [{ kind: 'tool-call' as const, id: `toolu_${answered}`, name: 'read_file', input: { step } }] }
  }

/** Turns of about 1,000 tokens. */
const turnsOf = (count: number): readonly Step[] =>
  Array.from({ length: count }, (_, turn): Step[] => [{ user: filler(100, turn) }, { say: marked(turn, 850) }]).flat()

const sizesOf = ({ main }: LabRun) => main.map(({ tokens }) => tokens)

describe('TC-23 inside one turn', () => {
  test('TC-23 no request of the whole run is above window − output, and the turn goes on by itself', async () => {
    const [window, output] = [32_000, 2_000]
    const run = await startRun({ window, lab: { script: loopOf(41) } })
    const client = anthropic.connect({ ...run.setup, maxOutput: output })
    const before: Step[] = [...turnsOf(14), { user: 'Read all files. Never touch the vault.' }]
    // first a result that is larger than what is left, then forty small ones
    const tool = (_: unknown, step: number) => filler(step === 0 ? 18_000 : 800, step)
    const answer = await runLoop(client, before, { tool })
    expect(answer.text).toBe('All is read.')
    expect(Math.max(...sizesOf(run))).toBeLessThanOrEqual(window - output)
    expect(run.main.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 42 }, () => 'answered'))
    expect(run.of('compaction-applied').length).toBeGreaterThan(1)
    for (const { bodyText } of run.main)
      expect(bodyText.split('Read all files. Never touch the vault.')).toHaveLength(2)
    expectSound(run)
  })

  test('BB-7 a loop that crosses the limit keeps the newest result and the prompt, word for word', async () => {
    const run = await startRun({ window: 16_000, lab: { script: loopOf(30) } })
    const steps: Step[] = [{ user: 'Read all files, starting with src/main.ts.' }]
    await runLoop(anthropic.connect(run.setup), steps, { tool: (_, step) => marked(step, 700) })
    expect(run.of('compaction-applied').length).toBeGreaterThan(0)
    for (const [at, { bodyText }] of run.main.entries()) {
      expect(bodyText.split('Read all files, starting with src/main.ts.')).toHaveLength(2)
      if (at > 0) expect(bodyText).toContain(marked(at - 1, 700))
    }
    expectFits(run, 16_000)
    expectSound(run)
  })
})

describe('TC-24 every window with every reserve', () => {
  const WINDOWS = [4_000, 8_000, 16_000, 32_000, 131_072, 1_000_000]
  const grid = WINDOWS.flatMap((window) =>
    ['unset' as const, ...new Set([0, 4_000, 32_000, window])].map((output) => [window, output] as const),
  )

  test.each(grid)('TC-24 window %i, output %s: all of it is answered, and not every step compacts', expectUsable)

  test('TC-24 an input of 99,073 in 131,072 that asks for 32,000 goes out', async () => {
    const run = await startRun({ window: 131_072, lab: { sumsOutput: true } })
    const steps: Step[] = [...turnsOf(96), { user: filler(400) }]
    await openaiChat.connect({ ...run.setup, maxOutput: 32_000 }).ask(steps, 'generate')
    const [first] = run.main
    expect(first?.outcome).toBe('answered')
    const asked = Number(JSON.parse(first?.bodyText ?? '{}').max_completion_tokens)
    expect((first?.tokens ?? 0) + asked).toBeLessThanOrEqual(131_072)
    expect(run.main).toHaveLength(1)
  })
})

const STEPS = 16

async function expectUsable(window: number, output: number | 'unset'): Promise<void> {
  const run = await startRun({ window, lab: { script: loopOf(STEPS), sumsOutput: true } })
  // an output of 0 is no request: there it is the reserve
  const own = output === 0 ? runOn(run.lab, { window, reserve: 0 }) : run
  const maxOutput = output === 'unset' || output === 0 ? 'unset' : output
  const client = openaiChat.connect({ ...own.setup, maxOutput })
  const size = Math.min(window / 12, 2_000)
  const answer = await runLoop(client, [{ user: 'Read.' }], { tool: (_, step) => filler(size, step) })
  expect(answer.text).toBe('All is read.')
  expect(run.main.map(({ outcome, message }) => message ?? outcome)).toEqual(run.main.map(() => 'answered'))
  for (const { tokens, body } of run.main) {
    const asked = (body as { max_completion_tokens?: number }).max_completion_tokens
    expect(tokens + (asked ?? 0)).toBeLessThanOrEqual(window)
    expect(asked ?? 1).toBeGreaterThan(0)
  }
  expect(own.of('compaction-started').length).toBeLessThan(STEPS / 2)
  for (const { body } of run.summaries) expect(outputOf(body)).toBeLessThanOrEqual(32_768)
  expectSound(run)
}

/** Output tokens that a chat request asks for, in either of its fields. */
function outputOf(body: unknown): number {
  const { max_completion_tokens: current, max_tokens: older } = body as Readonly<Record<string, unknown>>
  return Number(current ?? older)
}

describe('TC-25 which window counts', () => {
  test('TC-25 the user’s setting beats a catalogue that says a million', async () => {
    const run = await startRun({ lab: { window: 1_000_000, script: loopOf(30) }, keeper: { window: 32_000 } })
    const client = gemini.connect({ ...run.setup, model: 'gemini-2.5-pro' })
    await runLoop(client, [{ user: 'Read.' }], { tool: (_, step) => filler(1_500, step) })
    expect(run.of('compaction-applied').length).toBeGreaterThan(0)
    expect(Math.max(...sizesOf(run))).toBeLessThan(32_000)
    expectSound(run)
  })

  test('TC-25 an unknown model gets the documented default, and is told of once', async () => {
    const run = await startRun({ lab: { window: 1_000_000 }, keeper: { summarizer: 'extractive' } })
    const client = openaiChat.connect({ ...run.setup, model: 'nobody-knows-25' })
    await client.ask([...turnsOf(20), { user: 'Go.' }], 'generate')
    await client.ask([...turnsOf(30), { user: 'Go.' }], 'generate')
    expect(run.of('unknown-model')).toHaveLength(1)
    expect(run.of('compaction-started')).toEqual([])
    // the default trigger: 170,000 tokens
    await client.ask([...turnsOf(175), { user: 'Go.' }], 'generate')
    expect(run.of('compaction-started').map(({ tokensBefore }) => tokensBefore >= 170_000)).toEqual([true])
  })

  test('TC-25 the limit of an error is learned for the session, the summariser included', async () => {
    const run = await startRun({ lab: { window: 8_192, script: loopOf(25) }, keeper: { window: 200_000 } })
    const client = openaiChat.connect(run.setup)
    const answer = await runLoop(client, [{ user: 'Read.' }], { tool: (_, step) => filler(900, step) })
    expect(answer.text).toBe('All is read.')
    expect(run.lab.calls.filter(({ outcome }) => outcome === 'refused').map(({ purpose }) => purpose)).toEqual(['main'])
    expect(run.summaries.length).toBeGreaterThan(0)
    expectFits(run, 8_192)
  })
})

describe('TC-29 another model goes on', () => {
  const profiles = { 'claude-opus-5': { window: 80_000 }, 'claude-haiku-4-5': { window: 16_000 } }
  const history: readonly Step[] = [...turnsOf(30), { user: 'Go on.' }]

  test('TC-29 the first request to the smaller model fits, and so does all that the summariser is sent', async () => {
    const run = await startRun({ lab: { window: 80_000 }, keeper: { profiles } })
    await anthropic.connect(run.setup).ask(history, 'generate')
    expect(run.of('compaction-started')).toEqual([])
    const small = await startRun({ lab: { window: 16_000 } })
    const switched = { ...run.setup, url: small.lab.url, model: 'claude-haiku-4-5' }
    const answer = await anthropic
      .connect(switched)
      .ask([...history, { say: 'Done.' }, { user: 'And now?' }], 'generate')
    expect(answer.text).toBe('Done.')
    expect(small.main.map(({ outcome }) => outcome)).toEqual(['answered'])
    expect(small.lab.calls.length).toBeGreaterThan(1)
    expectFits(small, 16_000)
    expectSound(small)
  })

  test('TC-29 a summariser with a smaller window than the run’s model is asked in parts that fit', async () => {
    const keeper = {
      window: 30_000,
      profiles: { 'gpt-4o-mini': { window: 8_000 } },
      summarizer: { model: 'gpt-4o-mini' },
    }
    const run = await startRun({ lab: { window: 80_000 }, keeper })
    await openaiChat.connect(run.setup).ask(history, 'generate')
    expect(run.of('compaction-applied')).toHaveLength(1)
    expect(run.summaries.length).toBeGreaterThan(2)
    for (const { body, tokens } of run.summaries) {
      expect(body).toMatchObject({ model: 'gpt-4o-mini' })
      expect(tokens + outputOf(body)).toBeLessThanOrEqual(8_000)
    }
  })

  test('TC-29 signed thinking of another model is no hindrance', async () => {
    const script = ({ answered }: { readonly answered: number }) => ({
      parts: [{ kind: 'reasoning' as const, text: `I think of ${answered}.` }, ...loopOf(6)({ answered }).parts],
    })
    const run = await startRun({ lab: { window: 80_000, script }, keeper: { profiles } })
    const client = anthropicClient(run.setup)
    const messages: Parameters<typeof askAnthropic>[1]['messages'] = [{ role: 'user', content: 'Read.' }]
    const ask = (model: string) =>
      askAnthropic(
        client,
        { model, max_tokens: 3_000, thinking: { type: 'enabled', budget_tokens: 1_024 }, tools, messages },
        'generate',
      )
    for (let step = 0; step < 14; step++) {
      // the model changes in the middle of a turn, and the smaller one has to compact at once
      const { content, calls } = await ask(step < 11 ? 'claude-opus-5' : 'claude-haiku-4-5')
      messages.push({ role: 'assistant', content })
      const results = calls.map(({ id }) => ({
        type: 'tool_result' as const,
        tool_use_id: id,
        content: filler(1_500, step),
      }))
      messages.push({ role: 'user', content: results.length > 0 ? results : 'Go on.' })
    }
    expect(run.of('compaction-applied').length).toBeGreaterThan(0)
    expect(run.main.map(({ outcome, message }) => message ?? outcome)).toEqual(run.main.map(() => 'answered'))
    expectSound(run)
  })

  test('TC-29 where that fails the other model is as it was, and so is the conversation', async () => {
    const preset = decodePreset({ extends: 'keen' })
    const run = await startRun({ lab: { window: 80_000, summarizer: 'empty' }, keeper: { profiles, preset } })
    const before = JSON.stringify(history)
    const client = anthropic.connect(run.setup)
    await client.ask(history, 'generate')
    const switched = anthropic.connect({ ...run.setup, model: 'claude-haiku-4-5' }).ask(history, 'generate')
    await expect(switched).rejects.toMatchObject({ status: 400 })
    expect(run.main).toHaveLength(1)
    expect((await client.ask(history, 'generate')).text).toBe('Done.')
    expect(run.main[1]?.bodyText).toBe(run.main[0]?.bodyText)
    expect(JSON.stringify(history)).toBe(before)
  })

  test.each(['hango', 'keen', 'palimpsest'])(
    'BB-20 %s: compacted before the smaller model’s first request',
    async (name) => {
      const run = await startRun({ lab: { window: 80_000 }, keeper: { profiles, preset: PRESETS[name] as Preset } })
      await anthropic.connect(run.setup).ask(history, 'generate')
      await anthropic.connect({ ...run.setup, model: 'claude-haiku-4-5' }).ask(history, 'generate')
      const small = run.lab.calls.slice(1)
      expect(small.at(-1)).toMatchObject({ purpose: 'main', outcome: 'answered' })
      expect(small.slice(0, -1).map(({ purpose }) => purpose)).toEqual(small.slice(0, -1).map(() => 'summary'))
      for (const { tokens } of small) expect(tokens).toBeLessThan(16_000)
    },
  )
})

describe('BB-6 the boundary', () => {
  const history: readonly Step[] = [...turnsOf(8), { calls: [call(1, filler(300))] }, { user: 'Go on.' }]
  const withTrigger = (tokens: number) => decodePreset({ extends: 'palimpsest', trigger: { tokens } })

  test('BB-6 one below does not fire, exactly there does', async () => {
    const measured = await startRun({ window: 100_000 })
    await anthropic.connect(measured.setup).ask(history, 'generate')
    const size = measured.of('usage-observed')[0]?.usage && measured.of('usage-observed')[0]?.predicted
    expect(size).toBeGreaterThan(8_000)
    for (const [trigger, fires] of [
      [(size ?? 0) + 1, 0],
      [size ?? 0, 1],
    ] as const) {
      const run = await startRun({ window: 100_000, keeper: { preset: withTrigger(trigger) } })
      await anthropic.connect(run.setup).ask(history, 'generate')
      expect(run.of('compaction-started')).toHaveLength(fires)
    }
  })

  test('BB-6 a trigger above the window is lowered to what fits', async () => {
    const run = await startRun({
      window: 12_000,
      lab: { script: loopOf(12) },
      keeper: { preset: withTrigger(500_000) },
    })
    await runLoop(anthropic.connect(run.setup), [{ user: 'Read.' }], { tool: (_, step) => filler(1_200, step) })
    expect(run.of('compaction-applied').length).toBeGreaterThan(0)
    expectFits(run, 12_000)
    expectSound(run)
  })

  test('BB-6 a model whose window nobody knows: nothing by itself below the default, by hand at once', async () => {
    const compactor = createCompactor({ dialect: anthropicMessages })
    const body = { model: 'nobody-knows-6', max_tokens: 500, messages: messagesOf(history) as never }
    const automatic = await compactor.prepare(body)
    expect(automatic.changed).toBe(false)
    const manual = await compactor.compactNow(body, 'manual')
    expect(manual).toMatchObject({ compacted: true })
    expect(manual.size.tokens).toBeLessThan(automatic.size.tokens * 0.6)
  })
})
