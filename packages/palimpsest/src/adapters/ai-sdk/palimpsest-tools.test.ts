import { asSchema, generateText, type ModelMessage, stepCountIs, streamText, tool, wrapLanguageModel } from 'ai'
import { asSchema as asSchema7, generateText as generateText7, wrapLanguageModel as wrapLanguageModel7 } from 'ai7'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { CompactorEvent } from '../../compactor/events.ts'
import type { Preset } from '../../engine/presets/preset.ts'
import { PRESETS } from '../../engine/presets/presets.ts'
import { memoryStores } from '../../stores/memory-stores.ts'
import { type PalimpsestOptions, palimpsestContext, palimpsestTools } from './index.ts'
import { type ScriptedAnswer, ScriptedModel } from './scripted-model.test-data.ts'

const wordsOf = (seed: number) => Array.from({ length: 120 }, (_, at) => `value ${seed * 1_000 + at}`).join('\n')
const read = tool({ inputSchema: z.object({ seed: z.number() }), execute: async ({ seed }) => wordsOf(seed) })
const calling = (id: string, name: string, input: object, usage = 100): ScriptedAnswer => ({
  calls: [{ id, name, input }],
  usage,
})
const READS = Array.from({ length: 6 }, (_, at) => calling(`r${at}`, 'read', { seed: at }))
const DONE: ScriptedAnswer = { text: 'Done.' }

function agentWith(answers: readonly ScriptedAnswer[], options: PalimpsestOptions = {}) {
  const events: CompactorEvent[] = []
  const onEvent = (event: CompactorEvent) => void events.push(event)
  const context = palimpsestContext({ summarizer: 'extractive', window: 100_000, onEvent, ...options })
  const model = new ScriptedModel(answers)
  const tools = { ...palimpsestTools(context), read }
  const outer = wrapLanguageModel({ model, middleware: context.middleware })
  const call = { model: outer, tools, stopWhen: stepCountIs(20), maxOutputTokens: 500, maxRetries: 0 }
  return { model, events, context, call, tools }
}

/** What the tools of that name answered, as the model reads it. */
function answersOf(messages: readonly ModelMessage[], name: string): string[] {
  const parts = messages.flatMap((message) => (message.role === 'tool' ? message.content : []))
  const results = parts.filter((part) => part.type === 'tool-result')
  return results
    .filter((part) => part.toolName === name)
    .map((part) => String((part.output as { value: string }).value))
}

describe('compact_conversation', () => {
  test('compacts the next call, once, whatever the size', async () => {
    const { model, events, call } = agentWith([...READS, calling('k', 'compact_conversation', {}), DONE])
    const { text } = await generateText({ ...call, prompt: 'Read.' })
    expect(text).toBe('Done.')
    const reasons = events.flatMap((event) => (event.type === 'compaction-applied' ? [event.reason] : []))
    expect(reasons).toEqual(['tool'])
    const [before, after] = model.seen.slice(-2).map((one) => JSON.stringify(one.prompt).length)
    expect(after).toBeLessThan(before ?? 0)
  })

  test('is not granted anew when the same call is made again', async () => {
    const { model, events, call, context } = agentWith([...READS, calling('k', 'compact_conversation', {}), DONE])
    await generateText({ ...call, prompt: 'Read.' })
    const asked = palimpsestTools(context) && model.seen.at(-1)
    expect(asked).toBeDefined()
    const { response } = await generateText({ ...call, prompt: 'Read.' })
    expect(response.messages).toHaveLength(1)
    expect(events.filter((event) => event.type === 'compaction-applied')).toHaveLength(1)
  })
})

describe('the preset deepagents', () => {
  const preset = PRESETS.deepagents as Preset

  test.each([
    [100_000, 'There is room enough yet', []],
    [16_000, 'is compacted before your next step', ['tool']],
  ])('answers a wish in a window of %d tokens', async (window, answer, reasons) => {
    const reads = READS.map((_, at) => calling(`r${at}`, 'read', { seed: at }, 6_000 + at * 500))
    const { events, call } = agentWith([...reads, calling('k', 'compact_conversation', {}, 9_000), DONE], {
      preset,
      window,
    })
    const { response } = await generateText({ ...call, prompt: 'Read.' })
    expect(answersOf(response.messages, 'compact_conversation')[0]).toContain(answer)
    expect(events.flatMap((event) => (event.type === 'compaction-applied' ? [event.reason] : []))).toEqual(reasons)
  })
})

describe('what was evicted', () => {
  test.each(['generateText', 'streamText'] as const)('is searched and read again, by %s', async (way) => {
    const { call } = agentWith([
      ...READS,
      calling('k', 'compact_conversation', {}),
      calling('s', 'search_history', { query: '2077' }),
      calling('h', 'read_history', { from: 5, to: 7, limit: null }),
      DONE,
    ])
    const run =
      way === 'generateText' ? generateText({ ...call, prompt: 'Read.' }) : streamed({ ...call, prompt: 'Read.' })
    const messages = await run.then(async (result) => (await result.response).messages)
    const [found] = answersOf(messages, 'search_history')
    expect(found).toMatch(/^1 found, 1 shown\./)
    expect(found).toContain('value 2077')
    const [text] = answersOf(messages, 'read_history')
    expect(text).toContain(wordsOf(2))
  })

  test('E3 is its own, where a fork of the same beginning has other messages at the same places', async () => {
    const reading = (seeds: readonly number[]) => seeds.map((seed) => calling(`r${seed}`, 'read', { seed }))
    const asking = (run: string) => [
      calling(`k${run}`, 'compact_conversation', {}),
      calling(`s${run}`, 'search_history', { query: '2077 12077' }),
      calling(`h${run}`, 'read_history', {}),
      DONE,
    ]
    const { call, context } = agentWith([...reading([0, 1, 2, 3, 4, 5]), ...asking('a')])
    await generateText({ ...call, prompt: 'Read.' })
    const model = new ScriptedModel([...reading([0, 1, 12, 13, 14, 15]), ...asking('b')])
    const fork = wrapLanguageModel({ model, middleware: context.middleware })
    const { response } = await generateText({ ...call, model: fork, prompt: 'Read.' })
    const [text = ''] = answersOf(response.messages, 'read_history')
    for (const seed of [0, 1, 12]) expect(text).toContain(wordsOf(seed))
    expect(text).not.toContain('value 2077')
    const [found] = answersOf(response.messages, 'search_history')
    expect(found).toMatch(/^1 found, 1 shown\./)
    expect(found).toContain('value 12077')
  })

  test('has its pointer in the summary, with the tool that reads it', async () => {
    const { model, call } = agentWith([...READS, calling('k', 'compact_conversation', {}), DONE])
    await generateText({ ...call, prompt: 'Read.' })
    const sent = JSON.stringify(model.seen.at(-1)?.prompt)
    expect(sent).toContain('/conversation_history/')
    expect(sent).toContain('read_history')
  })

  test('is nobody’s where the call cannot be told', async () => {
    const { tools } = agentWith([DONE])
    expect(await tools.read_history.execute({}, { toolCallId: 'unknown' })).toContain('cannot be told')
  })

  test('is not guessed where two conversations have calls of one id', async () => {
    const { call, context } = agentWith([calling('same', 'search_history', { query: 'x' })])
    const once = {
      ...call,
      stopWhen: stepCountIs(1),
      tools: { search_history: tool({ inputSchema: z.object({}), outputSchema: z.string() }) },
    }
    await generateText({ ...once, prompt: 'First.' })
    await generateText({ ...once, prompt: 'Second.' })
    expect(context.conversationOf('same')).toBeUndefined()
  })
})

describe('what the tools answer', () => {
  const preset: Preset = {
    ...(PRESETS.palimpsest as Preset),
    target: 0.05,
    rungs: [{ strategy: 'offloadArtifacts', floor: true }],
  }

  test('D9 is bounded and never stored again, as any other result of its size is', async () => {
    const { model, events, context, call } = agentWith([DONE], { preset, window: 20_000 })
    const { read_history, search_history } = palimpsestTools(context, { session: 's' })
    const markdown = `## 0 user\n\n${'needle '.repeat(6_000)}\n`
    const entries = Array.from({ length: 40 }, (_, position) => ({ position, fingerprint: '0'.repeat(16), markdown }))
    await context.stores.history.append({ namespace: 'default', session: 's' }, entries)
    const page = await read_history.execute({ limit: 20_000 }, { toolCallId: 'any' })
    const found = await search_history.execute({ query: 'needle', matches: 30 }, { toolCallId: 'any' })
    expect(page.length).toBeLessThan(21_000)
    expect(found.length).toBeLessThan(12_000)
    const other = 'other '.repeat(20_000)
    const results = { read: other, read_history: page, search_history: found }
    const messages = Object.entries(results).flatMap(([name, text]) => answered(name, text))
    const [first, last] = ['Read.', 'Go on.'].map((content) => ({ role: 'user', content }) as const)
    await generateText({ ...call, messages: [first, ...messages, last] as ModelMessage[] })
    const sent = JSON.stringify(model.seen.at(-1)?.prompt)
    expect(sent).toContain(JSON.stringify(page))
    expect(sent).toContain(JSON.stringify(found))
    expect(sent).toContain('artifact://')
    expect(sent).not.toContain(other)
    expect(events.filter(({ type }) => type === 'compaction-applied')).toHaveLength(1)
  })
})

/** A tool that was called and has answered. */
function answered(toolName: string, value: string): ModelMessage[] {
  const toolCallId = `call of ${toolName}`
  return [
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName, input: {} }] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output: { type: 'text', value } }] },
  ]
}

describe('a named conversation', () => {
  const stores = memoryStores()
  const entry = { position: 0, fingerprint: '0123456789abcdef', markdown: `## 0 user\n\n${'needle '.repeat(5_000)}\n` }
  const context = palimpsestContext({ stores, namespace: 'tenant' })
  const { read_history, search_history } = palimpsestTools(context, { session: 's' })
  const info = { toolCallId: 'any' }

  test('is read in pages that tell where to go on', async () => {
    await stores.history.append({ namespace: 'tenant', session: 's' }, [entry])
    const first = await read_history.execute({ limit: 1_000 }, info)
    expect(first).toMatch(/^## 0 user[\s\S]*\[\d+ more characters; read on with offset 1000\]$/)
    expect((await read_history.execute({}, info)).length).toBeLessThan(21_000)
  })

  test('has artifacts that are read and searched by their reference, in its own namespace alone', async () => {
    const key = await stores.artifacts.put('tenant', 'line one\nline two with a pearl')
    expect(await read_history.execute({ path: `artifact://${key}` }, info)).toBe('line one\nline two with a pearl')
    expect(await search_history.execute({ query: 'PEARL', path: `artifact://${key}` }, info)).toContain('a pearl')
    const others = palimpsestTools(context, { session: 's', namespace: 'other' })
    expect(await others.read_history.execute({ path: `artifact://${key}` }, info)).toBe('There is no such artifact.')
    expect(await others.read_history.execute({}, info)).toBe('Nothing has left the conversation yet.')
  })

  test('does not open another one by its path', async () => {
    await stores.history.append({ namespace: 'tenant', session: 'secret' }, [
      { ...entry, markdown: '## 0 user\n\ntop secret\n' },
    ])
    const text = await read_history.execute({ path: '/conversation_history/secret.md' }, info)
    expect(text).not.toContain('top secret')
  })

  test('whose store fails tells the model, and throws nothing', async () => {
    const history = { ...stores.history, read: () => Promise.reject(new Error('disk is gone')) }
    const broken = palimpsestTools(palimpsestContext({ stores: { ...stores, history } }), { session: 's' })
    expect(await broken.read_history.execute({}, info)).toContain('disk is gone')
  })
})

describe('the arguments', () => {
  const { read_history, search_history } = palimpsestTools(palimpsestContext())
  const schemas = [
    ['AI SDK 6', (schema: typeof read_history.inputSchema) => asSchema(schema)],
    ['AI SDK 7', (schema: typeof read_history.inputSchema) => asSchema7(schema)],
  ] as const

  test.each(schemas)('are a schema of %s, read anew each time', async (_, schemaOf) => {
    for (let time = 0; time < 2; time++) {
      const schema = await schemaOf(read_history.inputSchema).jsonSchema
      expect(schema).toMatchObject({ type: 'object', additionalProperties: false, required: [] })
      expect(Object.keys(schema.properties ?? {})).toEqual(['path', 'from', 'to', 'offset', 'limit'])
    }
  })

  test.each(schemas)('are validated by %s', async (_, schemaOf) => {
    const { validate } = schemaOf(read_history.inputSchema)
    expect(await validate?.({ from: 3, to: null, unknown: 1 })).toEqual({ success: true, value: { from: 3 } })
    expect(await validate?.({ limit: 1_000_000 })).toMatchObject({ success: false })
    expect(await validate?.({ from: 'three' })).toMatchObject({ success: false })
  })

  test('that are needed are asked for', () => {
    expect(search_history.inputSchema['~standard'].validate({})).toEqual({ issues: [{ message: 'query is missing' }] })
  })
})

test('AI SDK 7 runs the same tools', async () => {
  const context = palimpsestContext({ summarizer: 'extractive', window: 100_000 })
  const answers = [calling('k', 'compact_conversation', {}), calling('h', 'read_history', {}), DONE]
  const model = wrapLanguageModel7({ model: new ScriptedModel(answers), middleware: context.middleware })
  const { text, steps } = await generateText7({
    model,
    tools: palimpsestTools(context),
    prompt: 'Go.',
    stopWhen: ({ steps: done }) => done.length === 5,
  })
  expect(text).toBe('Done.')
  expect(steps.flatMap((step) => step.toolResults.map((one) => typeof one.output))).toEqual(['string', 'string'])
})

async function streamed(options: Parameters<typeof streamText>[0]) {
  const result = streamText(options)
  await result.consumeStream()
  return result
}
