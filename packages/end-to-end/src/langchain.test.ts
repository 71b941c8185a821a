import { ChatAnthropic } from '@langchain/anthropic'
import { MemorySaver } from '@langchain/langgraph'
import { toolLoop } from '@palimpsest/wirelab'
import { createAgent, HumanMessage, ToolMessage } from 'langchain'
import { type CompactorEvent, memoryStores } from 'palimpsest'
import { type PalimpsestOptions, palimpsestMiddleware } from 'palimpsest/langchain'
import { describe, expect, test } from 'vitest'
import { labsOf } from './labs.test-data.ts'
import { LONG_RUN, lastText, MODELS, readTool, refusals, TASK, wordsOf } from './langchain.test-data.ts'

const WINDOW = 32_000
const RESULT = 1_500
const LONG_LOOP = toolLoop({ steps: 60, tool: 'read', resultTokens: RESULT, final: 'All is read.' })
const SHORT_LOOP = toolLoop({ steps: 6, tool: 'read', resultTokens: RESULT, final: 'All is read.' })
const { lab, labs } = labsOf(WINDOW)

function agentAt(url: string, name: string, options: PalimpsestOptions = {}) {
  const model = MODELS[name]?.(url)
  if (model === undefined) throw new RangeError(`no model ${name}`)
  return createAgent({
    model,
    tools: [readTool],
    systemPrompt: 'You are careful.',
    middleware: [palimpsestMiddleware({ window: WINDOW, ...options })],
    checkpointer: new MemorySaver(),
  })
}

const RUN = { ...LONG_RUN, configurable: { thread_id: 'thread-1' } }
const INPUT = { messages: [new HumanMessage(TASK)] }

describe.each(Object.keys(MODELS))('%s', (name) => {
  test('a loop of 60 steps ends with its answer; no request is refused, and the state of the graph is whole', async () => {
    const { url, calls } = await lab({ script: LONG_LOOP })
    const agent = agentAt(url, name)
    const { messages } = await agent.invoke(INPUT, RUN)
    expect(lastText(messages)).toBe('All is read.')
    expect(refusals(calls)).toEqual([])
    const main = calls.filter((call) => call.purpose === 'main')
    expect(main).toHaveLength(61)
    expect(Math.max(...main.map((call) => call.tokens))).toBeLessThan(WINDOW)
    expect(calls.filter((call) => call.purpose === 'summary').length).toBeGreaterThan(0)
    expect(main.every((call) => call.bodyText.includes(TASK))).toBe(true)
    const state = await agent.graph.getState(RUN)
    expectWhole(state.values.messages)
    expectWhole(messages)
  })

  test('a streamed run shows what the model says, and nothing of the summaries', async () => {
    const { url, calls } = await lab({ script: LONG_LOOP })
    const agent = agentAt(url, name)
    const shown: string[] = []
    for await (const [message] of await agent.stream(INPUT, { ...RUN, streamMode: 'messages' })) {
      if (!ToolMessage.isInstance(message)) shown.push(message.text)
    }
    expect(shown.join('')).toContain('All is read.')
    expect(shown.join('')).not.toContain('Decisions:')
    expect(calls.filter((call) => call.purpose === 'summary').length).toBeGreaterThan(0)
    expect(calls.some((call) => call.stream)).toBe(true)
    expect(refusals(calls)).toEqual([])
    expectWhole((await agent.graph.getState(RUN)).values.messages)
  })

  test.each([1, 2])('%i refusals as too large are answered with a smaller request', async (times) => {
    const { url, calls } = await lab({ script: SHORT_LOOP })
    const events: CompactorEvent[] = []
    const agent = agentAt(url, name, { window: 200_000, onEvent: (event) => events.push(event) })
    labs.at(-1)?.inject({ kind: 'overflow', when: 'before-first-byte', times, after: 5, only: 'main' })
    const { messages } = await agent.invoke(INPUT, RUN)
    expect(lastText(messages)).toBe('All is read.')
    expect(messages.filter((message) => ToolMessage.isInstance(message))).toHaveLength(6)
    const refused = calls.filter((call) => call.outcome === 'faulted')
    expect(refused).toHaveLength(times)
    const next = calls.findLastIndex((call) => call.outcome === 'faulted')
    const retry = calls.slice(next + 1).find((call) => call.purpose === 'main')
    expect(retry?.tokens).toBeLessThan(Math.max(...calls.map((call) => call.tokens)))
    expect(events.filter((event) => event.type === 'overflow-detected')).toHaveLength(times)
  })

  test('the third refusal ends the run with an error that says what to do', async () => {
    const { url } = await lab({ script: SHORT_LOOP })
    const agent = agentAt(url, name, { window: 200_000 })
    labs.at(-1)?.inject({ kind: 'overflow', when: 'before-first-byte', times: 3, after: 5, only: 'main' })
    await expect(agent.invoke(INPUT, RUN)).rejects.toMatchObject({
      name: 'ContextOverflowError',
      cause: { code: 'context-overflow', attempts: 3 },
    })
    const { values } = await agent.graph.getState(RUN)
    expect(values.messages.filter((message: unknown) => ToolMessage.isInstance(message))).toHaveLength(5)
  })

  test('a refusal in a stream, before its first content, is answered too', async () => {
    const { url, calls } = await lab({ script: SHORT_LOOP })
    const agent = agentAt(url, name, { window: 200_000 })
    labs.at(-1)?.inject({ kind: 'overflow', when: 'before-content', after: 5, only: 'main' })
    const shown: string[] = []
    for await (const [message] of await agent.stream(INPUT, { ...RUN, streamMode: 'messages' })) {
      if (!ToolMessage.isInstance(message)) shown.push(message.text)
    }
    expect(shown.join('')).toBe('All is read.')
    expect(calls.filter((call) => call.outcome === 'faulted')).toHaveLength(1)
  })

  test('a failure that is no overflow is passed on as it is', async () => {
    const { url, calls } = await lab({ script: SHORT_LOOP })
    labs.at(-1)?.inject({ kind: 'rate-limit', body: true, after: 2 })
    const agent = agentAt(url, name)
    await expect(agent.invoke(INPUT, RUN)).rejects.toMatchObject({ message: expect.stringMatching(/rate|429|limit/i) })
    expect(calls).toHaveLength(3)
  })
})

/** Every step with its whole result, as the tool gave it. */
function expectWhole(messages: readonly unknown[]): void {
  const results = messages.filter((message) => ToolMessage.isInstance(message))
  expect(results).toHaveLength(60)
  expect(messages).toHaveLength(122)
  expect(results.every((message, step) => message.text === wordsOf(RESULT, step))).toBe(true)
}

test('a thread goes on in another process: the middleware finds its record, and no second summary is made', async () => {
  const { url, calls } = await lab({
    script: toolLoop({ steps: 20, tool: 'read', resultTokens: RESULT, final: 'Read.' }),
  })
  const checkpointer = new MemorySaver()
  const stores = memoryStores()
  const agentOf = () => {
    const model = MODELS.ChatAnthropic?.(url)
    if (model === undefined) throw new RangeError('no model')
    const middleware = [palimpsestMiddleware({ window: WINDOW, stores, summarizer: 'extractive' })]
    return createAgent({ model, tools: [readTool], middleware, checkpointer })
  }
  await agentOf().invoke(INPUT, RUN)
  const before = calls.at(-1)?.tokens ?? 0
  const first = calls.length
  await agentOf().invoke({ messages: [new HumanMessage('And once more.')] }, RUN)
  expect(refusals(calls)).toEqual([])
  // The view of the first process, and what is new: not the whole transcript.
  expect(calls[first]?.tokens).toBeLessThan(before + 500)
})

test('the model asks for a compaction by a tool, and finds again what left its view', async () => {
  const script = (call: { readonly answered: number }) => {
    const steps = [
      ['read', { step: 0, tokens: 1_000 }],
      ['read', { step: 1, tokens: 1_000 }],
      ['compact_conversation', {}],
      ['search_history', { query: 'line 3 of file 0' }],
    ] as const
    const step = steps[call.answered]
    if (step === undefined) return { parts: [{ kind: 'text' as const, text: 'Done.' }] }
    const [name, input] = step
    return { parts: [{ kind: 'tool-call' as const, id: `toolu_${call.answered}`, name, input }] }
  }
  const { url, calls } = await lab({ script })
  const agent = agentAt(url, 'ChatAnthropic', { tools: true, summarizer: 'extractive', keep: { messages: 2 } })
  const { messages } = await agent.invoke(INPUT, RUN)
  expect(lastText(messages)).toBe('Done.')
  expect(calls[3]?.tokens).toBeLessThan(calls[2]?.tokens ?? 0)
  const found = messages.filter((message) => ToolMessage.isInstance(message)).at(-1)
  expect(found?.name).toBe('search_history')
  expect(found?.text).toContain('line 3 of file 0')
})

describe('an answer that the window cut short', () => {
  const CUT = { parts: [{ kind: 'text' as const, text: 'I have re' }], finish: 'context-window' as const }
  const readStep = (answered: number) => ({
    parts: [
      { kind: 'tool-call' as const, id: `toolu_${answered}`, name: 'read', input: { step: answered, tokens: RESULT } },
    ],
  })
  const script = (call: { readonly answered: number }) => {
    if (call.answered === 6) return CUT
    return call.answered < 6
      ? readStep(call.answered)
      : { parts: [{ kind: 'text' as const, text: 'I have read all.' }] }
  }

  test('is asked for again with a smaller request', async () => {
    const { url, calls } = await lab({ script })
    const agent = agentAt(url, 'ChatAnthropic', { window: 200_000, summarizer: 'extractive' })
    const { messages } = await agent.invoke(INPUT, RUN)
    expect(lastText(messages)).toBe('I have read all.')
    expect(calls[7]?.tokens).toBeLessThan(calls[6]?.tokens ?? 0)
  })

  test('stays as it is where it was streamed, and the next call is compacted first', async () => {
    const { url, calls } = await lab({ script })
    const agent = agentAt(url, 'ChatAnthropic', { window: 200_000, summarizer: 'extractive' })
    const shown: string[] = []
    for await (const [message] of await agent.stream(INPUT, { ...RUN, streamMode: 'messages' })) {
      if (!ToolMessage.isInstance(message)) shown.push(message.text)
    }
    expect(shown.join('')).toBe('I have re')
    expect(calls).toHaveLength(7)
    await agent.invoke({ messages: [new HumanMessage('Go on.')] }, RUN)
    expect(calls[7]?.tokens).toBeLessThan(calls[6]?.tokens ?? 0)
  })
})

test('another model writes the summaries where it is told to', async () => {
  const { url, calls } = await lab({ script: LONG_LOOP })
  const model = new ChatAnthropic({ model: 'claude-haiku-4-5', apiKey: 'any', anthropicApiUrl: url })
  const agent = agentAt(url, 'ChatOpenAI, chat completions', { summarizer: { model } })
  await agent.invoke(INPUT, RUN)
  const summaries = calls.filter((call) => call.purpose === 'summary')
  expect(summaries.length).toBeGreaterThan(0)
  expect(new Set(summaries.map((call) => call.path))).toEqual(new Set(['/v1/messages']))
  expect(summaries[0]?.bodyText).toContain('claude-haiku-4-5')
  expect(refusals(calls.filter((call) => call.purpose === 'main'))).toEqual([])
})

test('without a thread the conversation is known again by its content', async () => {
  const { url, calls } = await lab({ script: LONG_LOOP })
  const model = MODELS.ChatAnthropic?.(url)
  if (model === undefined) throw new RangeError('no model')
  const events: CompactorEvent[] = []
  const middleware = [palimpsestMiddleware({ window: WINDOW, onEvent: (event) => events.push(event) })]
  const agent = createAgent({ model, tools: [readTool], middleware })
  const { messages } = await agent.invoke(INPUT, LONG_RUN)
  expectWhole(messages)
  expect(refusals(calls)).toEqual([])
  const sessions = events.filter((event) => event.type === 'compaction-applied').map((event) => event.session)
  expect(sessions.length).toBeGreaterThan(1)
  expect(new Set(sessions).size).toBe(1)
})
