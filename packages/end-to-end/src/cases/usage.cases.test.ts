import type Anthropic from '@anthropic-ai/sdk'
import { anthropicMessages, createCompactor, decodePreset, PRESETS, type Preset } from 'palimpsest'
import { describe, expect, test } from 'vitest'
import { anthropic, anthropicClient, messagesOf } from '../ways/anthropic.test-data.ts'
import { expectSound, type LabRun, runLoop, runOn, startRun } from '../ways/lab-run.test-data.ts'
import { openaiChat } from '../ways/openai-chat.test-data.ts'
import { call, filler, marked, type Step } from '../ways/steps.test-data.ts'

const DOCUMENT = 'The document: '
/** The simulator's tokens: the document has so many, everything else three. */
const counted = (document: number) => (text: string) => (text.includes(DOCUMENT) ? document : text.length > 0 ? 3 : 0)
const at = (tokens: number, name = 'palimpsest'): Preset => decodePreset({ extends: name, trigger: { tokens } })

/** A conversation whose first message is the document, with a few long answers that can leave. */
const READING: readonly Step[] = [
  { user: `${DOCUMENT}${filler(19_000)}` },
  { say: filler(300, 2) },
  { user: 'Which port is named?' },
]
const MORE: readonly Step[] = [{ say: 'Done.' }, { user: 'And which file?' }]

/** Tokens of each compaction before it began. */
function sizesOf(run: LabRun): readonly number[] {
  return run.of('compaction-started').map(({ tokensBefore }) => tokensBefore)
}

describe('TC-20 the size is that of the last call, whole and once', () => {
  // a tenth of the numbers of the case; the estimate is a third below what the provider counts
  const document = { lab: { window: 100_000, counter: counted(30_500) }, keeper: { window: 35_000, reserve: 500 } }

  test('TC-20 Anthropic: what the cache served counts', async () => {
    const run = await startRun(document)
    const messages = messagesOf(READING)
    const text = `${DOCUMENT}${filler(11_500)}`
    messages[0] = { role: 'user', content: [{ type: 'text', text, cache_control: { type: 'ephemeral' } }] }
    const body = { model: 'claude-opus-5', max_tokens: 500 }
    // somebody else has warmed the cache
    const plain = { url: run.lab.url, keeper: { ...run.setup.keeper, fetch: globalThis.fetch } }
    await anthropicClient(plain).messages.create({ ...body, messages })
    const client = anthropicClient(run.setup)
    const { usage } = await client.messages.create({ ...body, messages })
    expect(usage).toMatchObject({ cache_read_input_tokens: 30_500, cache_creation_input_tokens: 0 })
    expect(usage.input_tokens).toBeLessThan(10)
    expect(sizesOf(run)).toEqual([])
    await client.messages.create({ ...body, messages: [...messages, ...messagesOf(MORE)] })
    const [size, ...others] = sizesOf(run)
    expect(size).toBeGreaterThanOrEqual(30_500 + usage.input_tokens)
    expect(size).toBeLessThan(30_600)
    expect(others).toEqual([])
    expectSound(run)
  })

  test('TC-20 OpenAI: what was cached is part of the prompt, and is not added', async () => {
    const run = await startRun(document)
    const client = openaiChat.connect(run.setup)
    const plain = { url: run.lab.url, keeper: { ...run.setup.keeper, fetch: globalThis.fetch } }
    await openaiChat.connect(plain).ask(READING, 'generate')
    await client.ask(READING, 'generate')
    const usage = run.main[1]?.usage
    expect(usage?.cacheRead).toBeGreaterThan(30_400)
    expect(sizesOf(run)).toEqual([])
    await client.ask([...READING, ...MORE], 'generate')
    const [size, ...others] = sizesOf(run)
    expect(size).toBeGreaterThanOrEqual(usage?.input ?? 0)
    expect(size).toBeLessThan((usage?.input ?? 0) + 100)
    expect(others).toEqual([])
  })

  test('TC-20 twelve calls of a loop are not one: the last one’s size counts', async () => {
    const counter = (text: string) => (text.includes(DOCUMENT) ? 130_000 : text.includes('result of') ? 2_800 : 8)
    const script = ({ answered }: { readonly answered: number }) =>
      answered < 12
        ? { parts: [{ kind: 'tool-call' as const, id: `toolu_${answered}`, name: 'read_file', input: {} }] }
        : { parts: [{ kind: 'text' as const, text: 'Done.' }] }
    const run = await startRun({
      lab: { window: 1_000_000, counter, script },
      keeper: { window: 300_000, preset: at(180_000) },
    })
    const system = [{ type: 'text' as const, text: `${DOCUMENT}rules`, cache_control: { type: 'ephemeral' as const } }]
    const client = anthropicClient(run.setup)
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Read all.' }]
    let cached = 0
    for (let step = 0; step <= 12; step++) {
      const { content, usage } = await client.messages.create({
        model: 'claude-opus-5',
        max_tokens: 500,
        system,
        messages,
        tools: [READ],
      })
      cached += usage.cache_read_input_tokens ?? 0
      const [block] = content
      if (block?.type !== 'tool_use') break
      const result = { type: 'tool_result' as const, tool_use_id: block.id, content: `result of ${step}` }
      messages.push({ role: 'assistant', content }, { role: 'user', content: [result] })
    }
    expect(run.main).toHaveLength(13)
    expect(cached).toBeGreaterThan(1_500_000)
    expect(run.main.at(-1)?.usage?.input).toBeGreaterThan(160_000)
    expect(run.main.at(-1)?.usage?.input).toBeLessThan(180_000)
    expect(sizesOf(run)).toEqual([])
  })
})

const READ = { name: 'read_file', input_schema: { type: 'object' as const } }

describe('TC-21 usage that says nothing', () => {
  const useless = [
    ['missing', undefined],
    ['all zero', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }],
    ['at odds with itself', { prompt_tokens: 5_000, total_tokens: 0 }],
    ['no number', { prompt_tokens: null, completion_tokens: 'NaN', total_tokens: null }],
  ] as const

  /** A server whose answers have this usage. */
  function withUsage(usage: unknown): typeof globalThis.fetch {
    return async (input, init) => {
      const response = await globalThis.fetch(input, init)
      return Response.json({ ...((await response.json()) as object), usage })
    }
  }

  /** Turns of about 1,000 tokens each. */
  const turns = (count: number): readonly Step[] => [
    ...Array.from({ length: count }, (_, turn): Step[] => [
      { user: filler(100, turn) },
      { say: marked(turn, 850) },
    ]).flat(),
    { user: 'Go on.' },
  ]

  test.each(useless)('TC-21 %s: the estimate decides, near the window and far from it', async (_, usage) => {
    const run = await startRun({ window: 32_000, keeper: { fetch: withUsage(usage), summarizer: 'extractive' } })
    const client = openaiChat.connect(run.setup)
    await client.ask(turns(20), 'generate')
    expect(sizesOf(run)).toEqual([])
    await client.ask(turns(30), 'generate')
    const [size] = sizesOf(run)
    const counted = (run.main[0]?.tokens ?? 0) * (30 / 20)
    expect((size ?? 0) / counted).toBeGreaterThan(0.9)
    expect((size ?? 0) / counted).toBeLessThan(1.2)
    const small = await startRun({ window: 32_000, keeper: { fetch: withUsage(usage) } })
    for (const count of [1, 2, 3]) await openaiChat.connect(small.setup).ask(turns(count), 'generate')
    expect(sizesOf(small)).toEqual([])
  })

  test('TC-21 such a size is marked as an estimate, until usage comes', async () => {
    const compactor = createCompactor({ dialect: anthropicMessages, window: 32_000 })
    const request = { model: 'claude-opus-5', max_tokens: 500, messages: messagesOf(turns(5)) as never }
    const prepared = await compactor.prepare(request)
    expect(prepared.size.basis).toBe('estimated')
    expect(prepared.size.tokens).toBeLessThan(32_000)
    prepared.observe({ type: 'message', content: [], usage: { input_tokens: 0, output_tokens: 0 } })
    expect((await compactor.prepare(request)).size.basis).toBe('estimated')
    prepared.observe({ type: 'message', content: [], usage: { input_tokens: 6_500, output_tokens: 10 } })
    expect((await compactor.prepare(request)).size).toMatchObject({ tokens: 6_500, basis: 'measured' })
  })
})

describe('TC-22 usage from before a compaction', () => {
  const counter = (text: string) => text.length / 4
  const history: readonly Step[] = [
    ...Array.from({ length: 12 }, (_, turn): Step[] => [
      { user: marked(turn, 40) },
      { say: marked(100 + turn, 1_000) },
    ]).flat(),
    { user: 'do it' },
  ]
  const after: readonly Step[] = [
    { say: 'done' },
    { user: '<system-reminder>a note of the client</system-reminder>' },
    { user: 'hi' },
  ]

  test('TC-22 does not cause another', async () => {
    const run = await startRun({ lab: { window: 100_000, counter }, keeper: { window: 100_000, preset: at(16_000) } })
    const client = anthropic.connect(run.setup)
    // the last usage before the compaction is above the trigger
    await client.ask(history.slice(0, -3), 'generate')
    await client.ask(history, 'generate')
    expect(run.of('compaction-applied').length).toBeGreaterThan(0)
    const compactions = sizesOf(run).length
    for (const more of [after.slice(0, 1), after])
      await client.ask([...history, ...more, { user: 'go on' }], 'generate')
    expect(sizesOf(run)).toHaveLength(compactions)
    expectSound(run)
  })

  test('TC-22 stays in force after a failed one, and the trigger stays armed', async () => {
    const run = await startRun({
      lab: { window: 100_000, counter, summarizer: 'empty' },
      keeper: { window: 100_000, preset: at(16_000, 'keen') },
    })
    const client = anthropic.connect(run.setup)
    await client.ask([...history.slice(0, 12), { user: 'go on' }], 'generate')
    expect(sizesOf(run)).toEqual([])
    await client.ask(history, 'generate')
    expect(run.of('compaction-failed')).toHaveLength(1)
    const usage = run.main[1]?.usage?.input ?? 0
    expect(usage).toBeGreaterThan(16_000)
    await client.ask([...history, ...after], 'generate')
    expect(sizesOf(run)).toHaveLength(1)
    const grown = [...history, ...after, { say: filler(1_500, 7) }, { user: 'hi again' }]
    await client.ask(grown, 'generate')
    expect(sizesOf(run)).toHaveLength(2)
    expect(sizesOf(run)[1]).toBeGreaterThan(usage)
  })
})

describe('CF-4 the provider says more than the estimate', () => {
  const small: readonly Step[] = [{ user: 'Hello there.' }, { say: 'Hello.' }, { user: 'And now?' }]
  const more: readonly Step[] = [...small, { say: 'Done.' }, { user: 'Go on.' }]
  const keeper = { window: 100_000, preset: at(10_000), summarizer: 'extractive' } as const

  test('CF-4 its usage of 10,001 fires a trigger of 10,000', async () => {
    const run = await startRun({ lab: { counter: counted(9_980) }, keeper })
    const client = anthropic.connect({ ...run.setup, system: DOCUMENT })
    await client.ask(small, 'generate')
    await client.ask(more, 'generate')
    expect(run.main[0]?.usage?.input).toBeGreaterThan(9_980)
    const trusted = await client.ask([...more, { say: 'Done.' }, { user: 'And again.' }], 'generate')
    expect(trusted.text).toBe('Done.')
    expect(sizesOf(run)[0]).toBeGreaterThanOrEqual(10_000)
  })

  test('CF-4 the usage of another provider does not', async () => {
    const run = await startRun({ lab: { counter: counted(9_980) }, keeper })
    const other = runOn(run.lab, keeper)
    await anthropic.connect({ ...run.setup, system: DOCUMENT }).ask(small, 'generate')
    const client = anthropic.connect({ ...run.setup, system: 'Short.', model: 'gpt-4.1' })
    for (const steps of [small, more, more]) await client.ask(steps, 'generate')
    expect(sizesOf(run)).toEqual([])
    expect(other.events).toEqual([])
  })
})

describe('BB-5 stale and empty usage', () => {
  test('BB-5 resuming a session that is over the threshold compacts it before anything else', async () => {
    const history: Step[] = Array.from({ length: 30 }, (_, turn): Step[] => [
      { user: marked(turn, 40) },
      { calls: [call(turn, marked(100 + turn, 800))] },
      { say: 'Read.' },
    ]).flat()
    const run = await startRun({ window: 24_000 })
    const steps = [...history, { user: 'Where were we?' }]
    await runLoop(anthropic.connect(run.setup), steps, { tool: () => '' })
    expect(run.of('compaction-applied')).toHaveLength(1)
    expect(run.main).toHaveLength(1)
    expect(run.main[0]?.outcome).toBe('answered')
    // the usage of the larger view is stale now: no second compaction
    await anthropic.connect(run.setup).ask([...steps, { user: 'Go on.' }], 'generate')
    expect(run.of('compaction-started')).toHaveLength(1)
    expectSound(run)
  })

  test('BB-5 usage of zero changes nothing', async () => {
    const run = await startRun({
      lab: { counter: () => 0 },
      keeper: { window: 24_000, preset: PRESETS.palimpsest as Preset },
    })
    const history: Step[] = Array.from({ length: 8 }, (_, turn): Step[] => [
      { user: marked(turn, 40) },
      { say: marked(100 + turn, 1_500) },
    ]).flat()
    const client = anthropic.connect(run.setup)
    for (let turns = 1; turns <= 8; turns++)
      await client.ask([...history.slice(0, 2 * turns), { user: 'Go on.' }], 'generate')
    expect(run.main.map(({ usage }) => usage?.input)).toEqual(Array.from({ length: 8 }, () => 0))
    expect(run.of('compaction-applied')).toHaveLength(1)
    expect(sizesOf(run)[0]).toBeGreaterThan(15_000)
  })
})
