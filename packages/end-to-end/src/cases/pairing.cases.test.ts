import fc from 'fast-check'
import { decodePreset, PRESETS, type Preset } from 'palimpsest'
import { describe, expect, test } from 'vitest'
import { anthropic, anthropicClient, askAnthropic, tools } from '../ways/anthropic.test-data.ts'
import { expectFits, expectSound, type LabRun, runLoop, startRun } from '../ways/lab-run.test-data.ts'
import { openaiChat } from '../ways/openai-chat.test-data.ts'
import { call, filler, marked, marker, markersIn, type Step } from '../ways/steps.test-data.ts'
import { WAYS } from '../ways/ways.test-data.ts'

const KEEN = PRESETS.keen as Preset

/** Any history that ends with a user's message or an open step: users, answers, single and parallel calls. */
const arbitraryHistory: fc.Arbitrary<readonly Step[]> = fc
  .array(
    fc.oneof(
      fc.record({ kind: fc.constant('turn' as const), words: fc.integer({ min: 1, max: 400 }) }),
      fc.record({
        kind: fc.constant('calls' as const),
        words: fc.integer({ min: 1, max: 400 }),
        calls: fc.integer({ min: 1, max: 4 }),
      }),
    ),
    { minLength: 8, maxLength: 24 },
  )
  .map((turns) => [
    { user: 'Begin.' },
    ...turns.flatMap((turn, at): Step[] => {
      if (turn.kind === 'turn') return [{ say: filler(turn.words, at) }, { user: filler(turn.words, at + 100) }]
      const calls = Array.from({ length: turn.calls }, (_, number) =>
        call(10 * at + number, filler(turn.words, at + number)),
      )
      return [{ calls }]
    }),
  ])

describe('BB-1 pairs', () => {
  test.each(WAYS.map((way) => [way.name, way] as const))(
    'BB-1 %s: whatever is cut from whatever history, no call or result stands alone in any request',
    async (_, way) => {
      const property = fc.asyncProperty(
        arbitraryHistory,
        fc.constantFrom('hango', 'keen', 'palimpsest'),
        fc.integer({ min: 400, max: 4_000 }),
        async (steps, name, trigger) => {
          const preset = decodePreset({ extends: name, trigger: { tokens: trigger } })
          const run = await startRun({ window: 60_000, keeper: { preset, summarizer: 'extractive' } })
          const client = way.connect(run.setup)
          const manner = way.manners[0] ?? 'generate'
          await client.ask(steps, manner)
          await client.ask([...steps, { say: 'Done.' }, { user: 'Go on.' }], manner)
          expect(run.main.map(({ outcome, message }) => message ?? outcome)).toEqual(['answered', 'answered'])
          expectSound(run)
        },
      )
      await fc.assert(property, { numRuns: 10 })
    },
  )
})

describe('BB-2 parallel calls and thinking', () => {
  const script = ({ answered }: { readonly answered: number }) => {
    if (answered === 14) return { parts: [{ kind: 'text' as const, text: 'All is read.' }] }
    const calls = [0, 1, 2].map((number) => ({
      kind: 'tool-call' as const,
      id: `toolu_${answered}_${number}`,
      name: 'read_file',
      input: { number: 3 * answered + number },
    }))
    return { parts: [{ kind: 'reasoning' as const, text: `I think about ${marker(500 + answered)}.` }, ...calls] }
  }

  /** One turn of fourteen steps of three calls, with thinking before each; gives the thinking by its signature. */
  async function thinkInLoop(run: LabRun, model: string): Promise<ReadonlyMap<string, string>> {
    const client = anthropicClient(run.setup)
    const messages: Parameters<typeof askAnthropic>[1]['messages'] = [{ role: 'user', content: 'Read.' }]
    const given = new Map<string, string>()
    for (;;) {
      const thinking = { type: 'enabled' as const, budget_tokens: 1_024 }
      const { content, calls } = await askAnthropic(
        client,
        { model, max_tokens: 2_000, thinking, tools, messages },
        'stream',
      )
      for (const block of content) if (block.type === 'thinking') given.set(block.signature, block.thinking)
      if (calls.length === 0) return given
      const results = calls.map(({ id, input }) => ({
        type: 'tool_result' as const,
        tool_use_id: id,
        content: marked(Number(input.number), 150),
      }))
      messages.push({ role: 'assistant', content }, { role: 'user', content: results })
    }
  }

  test('BB-2 calls of one step are kept all or none, and thinking before a call as it was or not at all', async () => {
    const run = await startRun({ window: 9_000, lab: { script, rules: { thinkingBinding: 'none' } } })
    const given = await thinkInLoop(run, 'claude-opus-5')
    expect(run.of('compaction-applied').length).toBeGreaterThan(0)
    for (const { content } of run.main.flatMap(({ body }) => (body as { messages: { content: unknown }[] }).messages)) {
      const blocks = (Array.isArray(content) ? content : []) as {
        type: string
        thinking?: string
        signature?: string
      }[]
      expect([0, 3]).toContain(blocks.filter(({ type }) => /^tool_(?:use|result)$/.test(type)).length)
      for (const { type, thinking, signature } of blocks) {
        if (type === 'thinking') expect(given.get(signature ?? '')).toBe(thinking)
      }
      // dropped with its whole step: what is left begins as it did
      if (blocks.some(({ type }) => type === 'tool_use')) expect(blocks[0]?.type).toBe('thinking')
    }
    expectSound(run)
  })

  test('BB-2 a model that binds thinking to all before it gets none from before the compaction', async () => {
    const run = await startRun({ window: 9_000, lab: { script, rules: { thinkingBinding: 'prefix' } } })
    await thinkInLoop(run, 'claude-opus-5-5')
    expect(run.of('compaction-applied').length).toBeGreaterThan(0)
    expect(run.main.map(({ outcome, message }) => message ?? outcome)).toEqual(run.main.map(() => 'answered'))
    expectSound(run)
  })

  // the simulator wants all thinking of the open turn back, that of steps too that left with their calls
  test('BB-2 thinking of the open turn, as a server checks it', async () => {
    const run = await startRun({ window: 9_000, lab: { script, rules: { thinkingBinding: 'turn' } } })
    await thinkInLoop(run, 'claude-opus-5')
    expect(run.main.map(({ outcome, message }) => message ?? outcome)).toEqual(run.main.map(() => 'answered'))
  })
})

describe('the second compaction', () => {
  test('BB-3 reads what the first one kept', async () => {
    const run = await startRun({ window: 9_000, lab: { summarizer: 'normal' }, keeper: { keep: { messages: 6 } } })
    const client = openaiChat.connect(run.setup)
    const steps: Step[] = []
    const seen: number[][] = []
    for (let turn = 0; turn < 40 && run.of('compaction-applied').length < 2; turn++) {
      steps.push({ user: marked(turn, 150) })
      const before = run.summaries.length
      await client.ask(steps, 'generate')
      const read = run.summaries.slice(before).map(({ bodyText }) => bodyText)
      if (read.length > 0) seen.push([...markersIn(read.join(' '))])
      steps.push({ say: marked(400 + turn, 300) })
    }
    const [first = [], second = []] = seen
    const kept = markersIn(run.main.find(({ bodyText }) => bodyText.includes('<compacted_context>'))?.bodyText ?? '')
    const goneLater = kept.filter((number) => !(run.main.at(-1)?.bodyText ?? '').includes(marker(number)))
    expect(goneLater.length).toBeGreaterThan(2)
    // all that the first one kept and the second one took out was read for the second summary, and not for the first
    for (const number of goneLater) {
      expect(first).not.toContain(number)
      expect(second).toContain(number)
    }
    expectSound(run)
  })

  /** One turn of forty steps, each of which reads a file of its own, in a window that holds ten of them. */
  async function readManyFiles(name: string): Promise<LabRun> {
    const script = ({ answered }: { readonly answered: number }) => ({
      parts:
        answered === 40
          ? [{ kind: 'text' as const, text: 'All is read.' }]
          : [
              {
                kind: 'tool-call' as const,
                id: `toolu_${answered}`,
                name: 'read_file',
                input: { path: `src/part-${answered}.ts` },
              },
            ],
    })
    const preset = PRESETS[name] as Preset
    const run = await startRun({ window: 12_000, lab: { script }, keeper: { preset, summarizer: 'extractive' } })
    const tool = (_input: unknown, step: number) => `// src/part-${step}.ts\n${filler(500, step)}`
    await runLoop(anthropic.connect(run.setup), [{ user: 'Read every part.' }], { tool })
    return run
  }

  test.each(['keen', 'palimpsest'])('BB-4 %s: inside one turn it keeps the files of the first', async (name) => {
    const run = await readManyFiles(name)
    expect(run.of('compaction-applied').length).toBeGreaterThan(1)
    const last = run.main.at(-1)?.bodyText ?? ''
    for (const step of [0, 1, 2, 3]) expect(last).toContain(`src/part-${step}.ts`)
    expect(last).toContain('Read every part.')
    expectFits(run, 12_000)
    expectSound(run)
  })

  // each extractive summary quotes the whole checkpoint before it
  test('BB-4 the summary before is folded in, not wrapped up', async () => {
    const run = await readManyFiles('keen')
    for (const { bodyText } of run.main) expect(bodyText.split('<compacted_context>').length).toBeLessThanOrEqual(2)
  })

  test('BB-4 a model is shown the summary before its own, and what is new', async () => {
    const summary = `The handover: ${marker(700)} was found. ${'The parts were read in order. '.repeat(20)}`
    const script = ({ answered }: { readonly answered: number }) => ({
      parts:
        answered === 30
          ? [{ kind: 'text' as const, text: 'All is read.' }]
          : [{ kind: 'tool-call' as const, id: `toolu_${answered}`, name: 'read_file', input: { answered } }],
    })
    const summarizer = () => ({ parts: [{ kind: 'text' as const, text: summary }], finish: 'stop' as const })
    const run = await startRun({ window: 12_000, lab: { script, summarizer }, keeper: { preset: KEEN } })
    await runLoop(anthropic.connect(run.setup), [{ user: 'Read.' }], { tool: (_, step) => marked(step, 500) })
    const starts = run.of('compaction-applied')
    expect(starts.length).toBeGreaterThan(1)
    const later = run.summaries.filter(({ bodyText }) => bodyText.includes(marker(700)))
    expect(later.length).toBeGreaterThanOrEqual(starts.length - 1)
    expect(run.main.at(-1)?.bodyText).toContain(marker(700))
  })
})
