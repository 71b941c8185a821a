import { startWirelab, toolLoop, type Wirelab, type WirelabOptions } from '@palimpsest/wirelab'
import type { CompactorEvent } from 'palimpsest'
import { type PalimpsestFetchOptions, palimpsestFetch } from 'palimpsest/fetch'
import { afterEach, describe, expect, test } from 'vitest'
import { anthropicClient, CLIENTS, geminiClient, openaiClient, type Tool } from './fetch-clients.test-data.ts'

const WINDOW = 32_000
const STEPS = 60

let lab: Wirelab | undefined
afterEach(() => lab?.close())

async function start(options: WirelabOptions, own: PalimpsestFetchOptions = {}) {
  lab = await startWirelab({ window: WINDOW, ...options })
  const events: CompactorEvent[] = []
  const fetch = palimpsestFetch({ window: WINDOW, onEvent: (event) => events.push(event), ...own })
  return { lab, setup: { url: lab.url, fetch }, of: (type: string) => events.filter((event) => event.type === type) }
}

/** Results of about as many tokens as the model asks for, each unlike the others. */
const readFile: Tool = ({ step = 0, tokens = 0 }) =>
  Array.from(
    { length: Math.ceil(tokens / 12) },
    (_, line) => `export const value_${step}_${line} = compute(${line})`,
  ).join('\n')

const LOOP = toolLoop({
  steps: STEPS,
  tool: 'read_file',
  resultTokens: 1_500,
  text: (step) => `Step ${step}.`,
  final: 'All is done.',
})

function mainCalls({ calls }: Wirelab) {
  return calls.filter(({ purpose, kind }) => purpose === 'main' && kind === 'generate')
}

function refusalOf({ message, reason }: Wirelab['calls'][number]): string | undefined {
  return message ?? reason
}

describe.each(Object.keys(CLIENTS))('%s', (name) => {
  const agent = CLIENTS[name] as (typeof CLIENTS)[string]

  test('finishes a loop of 60 steps that has three times the window, and nothing is ever refused', async () => {
    const { lab, setup, of } = await start({ script: LOOP })
    expect(await agent(setup, readFile).run('Read the files.')).toContain('All is done.')
    expect(lab.calls.filter(({ outcome }) => outcome !== 'answered').map(refusalOf)).toEqual([])
    expect(mainCalls(lab)).toHaveLength(STEPS + 1)
    expect(of('compaction-applied').length).toBeGreaterThan(0)
  })

  test('never hears of an overflow that comes before content, and goes on', async () => {
    const { lab, setup, of } = await start({ script: LOOP })
    const streams = /streaming/.test(name)
    for (const after of [3, 20]) {
      lab.inject({ kind: 'overflow', when: streams ? 'before-content' : 'before-first-byte', after, only: 'main' })
    }
    expect(await agent(setup, readFile).run('Read the files.')).toContain('All is done.')
    expect(lab.faultsLeft).toBe(0)
    expect(of('overflow-detected')).toHaveLength(2)
  })

  test('learns the window from a refusal where nobody named it', async () => {
    const { lab, setup } = await start({ script: LOOP }, { window: 200_000 })
    expect(await agent(setup, readFile).run('Read the files.')).toContain('All is done.')
    expect(lab.calls.filter(({ outcome }) => outcome === 'refused')).toHaveLength(1)
  })
})

describe('an overflow after content', () => {
  test('is the SDK’s own error, and the next request is compacted before it is sent', async () => {
    const { lab, setup, of } = await start({ script: LOOP })
    const client = anthropicClient(setup)
    const messages = [
      { role: 'user' as const, content: 'Read.' },
      { role: 'assistant' as const, content: readFile({ tokens: 6_000 }) },
      { role: 'user' as const, content: 'Go on.' },
      { role: 'assistant' as const, content: readFile({ step: 1, tokens: 6_000 }) },
      { role: 'user' as const, content: 'Go on.' },
    ]
    const ask = () => client.messages.stream({ model: 'claude-opus-5', max_tokens: 1_000, messages }).finalMessage()
    lab.inject({ kind: 'overflow', when: 'mid-stream' })
    await expect(ask()).rejects.toThrow(/prompt is too long/)
    expect(lab.calls).toHaveLength(1)
    await ask()
    const [first, second] = mainCalls(lab)
    expect((second?.tokens ?? 0) < (first?.tokens ?? 0)).toBe(true)
    expect(of('compaction-applied')).toMatchObject([{ reason: 'overflow' }])
  })
})

describe('an error that is no overflow', () => {
  test.each([
    ['rate limit', { kind: 'rate-limit', body: true }],
    ['rate limit without a body', { kind: 'rate-limit', body: false }],
    ['overload', { kind: '529' }],
  ] as const)('%s is the same with and without', async (_, fault) => {
    const { lab, setup } = await start({})
    const body = JSON.stringify({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] })
    const seen: unknown[] = []
    for (const send of [fetch, setup.fetch]) {
      lab.inject(fault)
      const response = await send(`${lab.url}/v1/messages`, { method: 'POST', body })
      const headers = [...response.headers].filter(([name]) => name !== 'date')
      seen.push([response.status, response.url, headers, await response.text()])
    }
    expect(seen[1]).toEqual(seen[0])
  })
})

describe('a request that cannot fit is an error of the SDK’s own', () => {
  const system = 'A rule of the house that everybody keeps. '.repeat(5_000)

  test('@anthropic-ai/sdk', async () => {
    const { lab, setup } = await start({})
    const messages = [
      { role: 'user' as const, content: 'Hi' },
      { role: 'assistant' as const, content: 'Hello.' },
      { role: 'user' as const, content: 'Go.' },
    ]
    const asked = anthropicClient(setup).messages.create({ model: 'claude-opus-5', max_tokens: 99, system, messages })
    await expect(asked).rejects.toMatchObject({ status: 400, message: expect.stringContaining('prompt is too long') })
    expect(mainCalls(lab)).toHaveLength(0)
  })

  test('openai', async () => {
    const { lab, setup } = await start({})
    const asked = openaiClient(setup).chat.completions.create({
      model: 'gpt-5',
      messages: [
        { role: 'system', content: system },
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello.' },
        { role: 'user', content: 'Go.' },
      ],
    })
    await expect(asked).rejects.toMatchObject({ status: 400, code: 'context_length_exceeded' })
    expect(mainCalls(lab)).toHaveLength(0)
  })

  test('@google/genai', async () => {
    const { lab, setup } = await start({})
    const asked = geminiClient(setup).models.generateContent({
      model: 'gemini-3-pro-preview',
      contents: ['Hi', 'Hello.', 'Go.'].map((text, at) => ({ role: at === 1 ? 'model' : 'user', parts: [{ text }] })),
      config: { systemInstruction: system },
    })
    await expect(asked).rejects.toMatchObject({ status: 400, message: expect.stringContaining('INVALID_ARGUMENT') })
    expect(mainCalls(lab)).toHaveLength(0)
  })
})

describe('a count', () => {
  const long = (text: (step: number) => string) => Array.from({ length: 20 }, (_, step) => text(step))
  const story = long((step) => readFile({ step, tokens: 2_000 }))

  test('@anthropic-ai/sdk: of what would go out', async () => {
    const { setup } = await start({})
    const messages = story.map((content, at) => ({
      role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content,
    }))
    const body = { model: 'claude-opus-5', messages: [...messages, { role: 'user' as const, content: 'Go on.' }] }
    const { input_tokens } = await anthropicClient(setup).messages.countTokens(body)
    expect(input_tokens).toBeLessThan(WINDOW)
    const { usage } = await anthropicClient(setup).messages.create({ ...body, max_tokens: 1_000 })
    expect(usage.input_tokens).toBe(input_tokens)
  })

  test('@google/genai: of what would go out', async () => {
    const { setup } = await start({})
    const contents = [...story, 'Go on.'].map((text, at) => ({
      role: at % 2 === 0 ? 'user' : 'model',
      parts: [{ text }],
    }))
    const body = { model: 'gemini-3-pro-preview', contents }
    const { totalTokens } = await geminiClient(setup).models.countTokens(body)
    expect(totalTokens).toBeLessThan(WINDOW)
    const { usageMetadata } = await geminiClient(setup).models.generateContent(body)
    expect(usageMetadata?.promptTokenCount).toBe(totalTokens)
  })
})

describe('at once', () => {
  test('two conversations with one opening, and one under another key, do not meet', async () => {
    const { lab, setup } = await start({ script: twoStories })
    const agents = ['left', 'right', 'left'].map((side, at) => ({
      side,
      agent: (CLIENTS['@anthropic-ai/sdk streaming'] as (typeof CLIENTS)[string])(
        { ...setup, apiKey: `key-${at === 2 ? 'b' : 'a'}` },
        (input) => `${side}-${at} ${readFile(input)}`,
      ),
    }))
    const answers = await Promise.all(agents.map(({ agent }) => agent.run('Read the files.')))
    expect(answers).toEqual(agents.map(() => 'Told.'))
    expect(lab.calls.filter(({ outcome }) => outcome !== 'answered').map(refusalOf)).toEqual([])
    for (const { bodyText, purpose, headers } of lab.calls) {
      const stories = new Set(bodyText.match(/\b(?:left|right)-\d/g))
      expect(stories.size).toBeLessThanOrEqual(1)
      if (purpose === 'summary' && stories.has('left-2')) expect(headers['x-api-key']).toBe('key-b')
    }
  })
})

/** A model that calls the tool for as long as the conversation tells it to: by what stands in it, not by how often it was asked. */
const twoStories: NonNullable<WirelabOptions['script']> = ({ body }) => {
  const { messages } = body as { messages: readonly { readonly role: string }[] }
  const last = JSON.stringify(messages.at(-1))
  const step = Number(/value_(\d+)_/.exec(last)?.[1] ?? -1) + 1
  if (step === 40) return { parts: [{ kind: 'text', text: 'Told.' }] }
  return { parts: [{ kind: 'tool-call', id: `t_${step}`, name: 'read_file', input: { step, tokens: 1_500 } }] }
}
