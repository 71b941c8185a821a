import { generateText, stepCountIs, tool, wrapLanguageModel } from 'ai'
import { decodePreset, type Preset } from 'palimpsest'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { modelAt } from '../ai-sdk.test-data.ts'
import { bedrock } from '../ways/ai-sdk.test-data.ts'
import { anthropic, anthropicClient } from '../ways/anthropic.test-data.ts'
import { expectSound, runLoop, startRun } from '../ways/lab-run.test-data.ts'
import { openaiChat, openaiClient } from '../ways/openai-chat.test-data.ts'
import { call, filler, marked, marker, markersIn, type Step } from '../ways/steps.test-data.ts'
import { WAYS } from '../ways/ways.test-data.ts'

const early = (name: string): Preset => decodePreset({ extends: name, trigger: { tokens: 6_000 } })
const POLICIES = ['hango', 'keen', 'palimpsest'] as const

/** The head ends with a user, a call and its result; the tail begins with the user who waits. */
const PENDING: readonly Step[] = [
  ...Array.from({ length: 8 }, (_, turn): Step[] => [
    { user: marked(turn, 60) },
    { say: marked(100 + turn, 600) },
  ]).flat(),
  { user: 'Now do Y.' },
  { calls: [call(1, marked(200, 100))] },
  { user: 'also do Z' },
]
const ANSWERED: readonly Step[] = [...PENDING.slice(0, -1), { say: 'Y is done.' }, { user: 'also do Z' }]

interface ChatMessage {
  readonly role: string
  readonly content?: unknown
}

function messagesIn(body: unknown): readonly ChatMessage[] {
  return (body as { readonly messages: readonly ChatMessage[] }).messages
}

describe('TC-33 the summary and the message that waits', () => {
  test.each(POLICIES)('TC-33 %s, first party', async (name) => {
    const run = await startRun({ window: 60_000, keeper: { preset: early(name) } })
    await openaiChat.connect(run.setup).ask(PENDING, 'generate')
    expectPending(run.main[0]?.body, name)
    expectSound(run)
  })

  test.each(POLICIES)('TC-33 %s, a template that alternates strictly', async (name) => {
    const rules = { strictAlternation: true }
    const run = await startRun({
      window: 60_000,
      lab: { rules },
      keeper: { preset: early(name), strictAlternation: true },
    })
    await openaiChat.connect(run.setup).ask(
      ANSWERED.filter((step) => !('calls' in step)),
      'generate',
    )
    const messages = expectPending(run.main[0]?.body, name)
    const roles = messages.filter(({ role }) => role !== 'system').map(({ role }) => role)
    for (const [at, role] of roles.entries()) expect(role).not.toBe(roles[at + 1])
    expectSound(run)
  })

  test.each(POLICIES)('TC-33 %s, strict with the tool flow exempt', async (name) => {
    const rules = { strictAlternation: true }
    const run = await startRun({
      window: 60_000,
      lab: { rules },
      keeper: { preset: early(name), strictAlternation: true },
    })
    await openaiChat.connect(run.setup).ask(ANSWERED, 'generate')
    expectPending(run.main[0]?.body, name)
    expectSound(run)
  })

  test.each(POLICIES)('TC-33 %s, Converse, which always alternates', async (name) => {
    const run = await startRun({ window: 60_000, keeper: { preset: early(name) } })
    await bedrock.connect(run.setup).ask(ANSWERED, 'generate')
    const messages = messagesIn(run.main[0]?.body)
    for (const [at, { role }] of messages.entries()) expect(role).toBe(at % 2 === 0 ? 'user' : 'assistant')
    expect(JSON.stringify(messages).split('also do Z')).toHaveLength(2)
    expect(JSON.stringify(messages.at(-1))).toContain('also do Z')
    expectSound(run)
  })

  function expectPending(body: unknown, name: string): readonly ChatMessage[] {
    const messages = messagesIn(body)
    const text = JSON.stringify(messages)
    expect(text.split('also do Z')).toHaveLength(2)
    const last = messages.at(-1)
    expect(last?.role).toBe('user')
    expect(JSON.stringify(last)).toContain('also do Z')
    const summaries = messages.filter((message) => JSON.stringify(message).includes('<compacted_context>'))
    expect(summaries.map(({ role }) => role)).toEqual(['user'])
    // a prompt follows, so nothing says that the agent should just go on
    expect(text).not.toMatch(/please continue|continue from where/i)
    if (name === 'keen') expect(messages.filter(({ role }) => role !== 'system')).toHaveLength(1)
    return messages
  }
})

describe('BB-22 what must never be lost', () => {
  const RULE = 'Never push to the main branch, and answer in French.'
  const AGENTS = 'Rules of the house: use tabs, run the linter.'
  const script = ({ answered }: { readonly answered: number }) => ({
    parts:
      answered % 12 === 11
        ? [{ kind: 'text' as const, text: `Part ${answered} is done.` }]
        : [{ kind: 'tool-call' as const, id: `toolu_${answered}`, name: 'read_file', input: { answered } }],
  })

  test.each(WAYS.map((way) => [way.name, way] as const))(
    'BB-22 %s: after five compactions the rules of system and user are there, once and word for word',
    async (_, way) => {
      const run = await startRun({ window: 9_000, lab: { script }, keeper: { summarizer: 'extractive', reserve: 500 } })
      const client = way.connect({ ...run.setup, system: AGENTS })
      const steps: Step[] = [{ user: `Work through all parts. ${RULE}` }]
      for (let turn = 0; turn < 30 && run.of('compaction-applied').length < 5; turn++) {
        await runLoop(client, steps, {
          tool: (_input, step) => filler(500, step),
          manner: way.manners[0] ?? 'generate',
        })
        steps.push({ user: `Go on with part ${turn}.` })
      }
      expect(run.of('compaction-applied').length).toBeGreaterThanOrEqual(5)
      for (const { bodyText } of run.main) {
        expect(bodyText.split(AGENTS)).toHaveLength(2)
        expect(bodyText).toContain(RULE)
        // no summary quotes the checkpoint before it
        expect(bodyText.split('<compacted_context>').length).toBeLessThanOrEqual(2)
      }
      expectSound(run)
    },
  )

  test('BB-22 plan mode, said by the client inside of a message, is not said twice', async () => {
    const PLAN = '<system-reminder>Plan mode is on: change no files.</system-reminder>'
    const run = await startRun({ window: 9_000, lab: { script }, keeper: { summarizer: 'extractive' } })
    const client = anthropic.connect(run.setup)
    const steps: Step[] = [{ user: `Work through all parts.\n${PLAN}` }]
    for (let turn = 0; turn < 30 && run.of('compaction-applied').length < 3; turn++) {
      await runLoop(client, steps, { tool: (_input, step) => filler(500, step) })
      steps.push({ user: `Go on.\n${PLAN}` })
    }
    for (const { bodyText } of run.main) {
      const text = bodyText.split('<compacted_context>')
      const summary = text[1]?.split('</compacted_context>')[0] ?? ''
      expect(summary.split('Plan mode is on').length).toBeLessThanOrEqual(2)
    }
    expect(run.main.at(-1)?.bodyText).toContain('Plan mode is on')
  })
})

describe('BB-23 many small things', () => {
  test('BB-23 a hundred and ninety short messages of the user do not fill the window', async () => {
    const run = await startRun({ window: 9_000, keeper: { summarizer: 'extractive' } })
    const client = anthropic.connect(run.setup)
    const steps: Step[] = []
    for (let turn = 0; turn < 190; turn++) {
      steps.push({ user: marked(turn, 20) })
      if (turn % 5 === 4) await client.ask(steps, 'generate')
      steps.push({ say: `Noted, ${turn}.` })
    }
    expect(run.main.map(({ outcome }) => outcome)).toEqual(run.main.map(() => 'answered'))
    expect(Math.max(...run.main.map(({ tokens }) => tokens))).toBeLessThan(9_000)
    expect(run.of('compaction-applied').length).toBeLessThan(10)
    expect(markersIn(run.main.at(-1)?.bodyText ?? '')).toContain(189)
    expectSound(run)
  })

  test('BB-23 old pictures are counted, and leave a line each', async () => {
    const header = Buffer.from('89504e470d0a1a0a0000000d4948445200000400000003000802000000', 'hex')
    const data = Buffer.concat([header, Buffer.alloc(60_000, 'noise of a picture')]).toString('base64')
    const picture = {
      type: 'image' as const,
      source: { type: 'base64' as const, media_type: 'image/png' as const, data },
    }
    const show = (text: string) => ({ role: 'user' as const, content: [{ type: 'text' as const, text }, picture] })
    const said = (text: string) => ({ role: 'assistant' as const, content: text })
    const messages = [
      show('What is this?'),
      said('A map.'),
      show('And this?'),
      said('A plan.'),
      { role: 'user' as const, content: 'Compare.' },
    ]
    const body = { model: 'claude-opus-5', max_tokens: 500, messages }
    const whole = await startRun({ window: 60_000 })
    await anthropicClient(whole.setup).messages.create(body)
    const { input = 0 } = whole.of('usage-observed')[0]?.usage ?? {}
    expect(input).toBeGreaterThan(2 * 1_000)
    expect(input).toBeLessThan(2 * 2_000)
    const preset = decodePreset({
      trigger: { tokens: 1_500 },
      keep: { messages: 1 },
      rungs: [{ strategy: 'truncateToolPayloads' }],
    })
    const run = await startRun({ window: 60_000, keeper: { preset } })
    await anthropicClient(run.setup).messages.create(body)
    const text = run.main[0]?.bodyText ?? ''
    expect(text.match(/\[image left out: 1024x768\]/g)).toHaveLength(2)
    expect(text).not.toContain(data.slice(0, 200))
    for (const words of ['What is this?', 'And this?', 'Compare.']) expect(text).toContain(words)
    expectSound(run)
  })
})

describe('BB-24 what another system compacted', () => {
  // imports and exports of session files: packages/sessions
  const opaque = { type: 'compaction', id: 'cmp_1', encrypted_content: 'b3BhcXVl'.repeat(40) }

  /** A conversation with the item at this place, over the trigger behind it. */
  async function compactWithOpaque(place: number): Promise<void> {
    const run = await startRun({ window: 60_000, keeper: { preset: early('palimpsest'), summarizer: 'extractive' } })
    const turns = Array.from({ length: 16 }, (_, turn) => [
      { role: 'user' as const, content: marked(turn, 60) },
      { role: 'assistant' as const, content: marked(100 + turn, 700) },
    ]).flat()
    const input = [
      ...turns.slice(0, place),
      opaque,
      ...turns.slice(place),
      { role: 'user' as const, content: 'Go on.' },
    ]
    const body = { model: 'gpt-4.1', store: false, max_output_tokens: 500, input: input as never }
    await openaiClient(run.setup).responses.create(body)
    expect(run.of('compaction-applied')).toHaveLength(1)
    const sent: object[] = JSON.parse(run.main[0]?.bodyText ?? '{}').input
    expect(sent.filter((item) => 'type' in item && item.type === 'compaction')).toEqual([opaque])
    // of what stood before the item the answers are gone; the task is told again
    expect(run.main[0]?.bodyText).not.toContain(marker(100))
    expect(run.main[0]?.tokens).toBeLessThan(6_000)
    expectSound(run)
  }

  test('BB-24 an opaque compaction is never lost: it stays as it is', () => compactWithOpaque(5))

  // the message before it counts as pinned too
  test('BB-24 nor behind an assistant message', () => compactWithOpaque(4))
})

describe('CF-24 the end of a loop', () => {
  test('CF-24 a final answer over the threshold ends it, and a call over it is run once', async () => {
    const script = [
      {
        parts: [
          { kind: 'tool-call' as const, id: 'toolu_1', name: 'read_file', input: {} },
          { kind: 'text' as const, text: filler(2_500, 1) },
        ],
      },
      { parts: [{ kind: 'text' as const, text: filler(4_000, 2) }] },
    ]
    const run = await startRun({
      window: 60_000,
      lab: { script },
      keeper: { preset: early('palimpsest'), summarizer: 'extractive' },
    })
    const model = wrapLanguageModel({
      model: modelAt('anthropic', run.lab.url),
      middleware: run.setup.keeper.middleware,
    })
    let executed = 0
    const read = tool({ inputSchema: z.object({}), execute: async () => `read ${++executed} ${filler(2_000, 3)}` })
    const { text } = await generateText({
      model,
      prompt: filler(2_000, 4),
      tools: { read_file: read },
      stopWhen: stepCountIs(9),
    })
    expect(text).toBe(filler(4_000, 2))
    expect(executed).toBe(1)
    expect(run.main).toHaveLength(2)
    // the second call was over the threshold, and so it was compacted; behind the answer nothing was
    expect(run.of('compaction-started')).toHaveLength(1)
    expect(run.main[1]?.bodyText).toContain('read 1')
    expectSound(run)
  })
})
