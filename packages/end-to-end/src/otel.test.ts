import type { LanguageModelV3 } from '@ai-sdk/provider'
import { type Attributes, type Span, SpanKind, trace } from '@opentelemetry/api'
import { generateText, type ModelMessage, streamText, ToolLoopAgent, wrapLanguageModel } from 'ai'
import {
  generateText as generateText7,
  isStepCount,
  type ModelMessage as ModelMessage7,
  streamText as streamText7,
  type TelemetryOptions,
  wrapLanguageModel as wrapLanguageModel7,
} from 'ai7'
import { anthropicMessages, createCompactor, PRESETS, type Preset } from 'palimpsest'
import { palimpsest, palimpsestContext, palimpsestTools } from 'palimpsest/ai-sdk'
import { palimpsestFetch } from 'palimpsest/fetch'
import { describe, expect, test } from 'vitest'
import { historyOf, MODELS_7, modelAt, readTool, TASK, wordsOf } from './ai-sdk.test-data.ts'
import { labsOf } from './labs.test-data.ts'
import { eventsOf, markedSpans, type Observed, observing, parentOf, reasonsOf, summarySpans } from './otel.test-data.ts'

const WINDOW = 32_000
const { lab } = labsOf(WINDOW)
const observe = observing()

const PALIMPSEST = presetNamed('palimpsest')
const SUMMARIES = presetNamed('hango')
const TRUNCATION: Preset = {
  ...PALIMPSEST,
  rungs: PALIMPSEST.rungs.filter(({ strategy }) => strategy === 'truncateToolPayloads'),
}

function presetNamed(name: string): Preset {
  const preset = PRESETS[name]
  if (preset === undefined) throw new RangeError(`There is no policy ${name}.`)
  return preset
}

const COMPACTED = 'gen_ai.conversation.compacted'
const RETRIED = 'provider.context_overflow_retry'

describe.each(['generate', 'stream'] as const)('G1 beside the spans of AI SDK 6, %s', (way) => {
  const turnSpan = way === 'generate' ? 'ai.generateText' : 'ai.streamText'
  const chatSpan = `${turnSpan}.${way === 'generate' ? 'doGenerate' : 'doStream'}`

  test('threshold: the event on the turn, the mark on the call, the summary below it', async () => {
    const observed = await observe()
    const { url } = await lab({})
    await ask(way, middlewareOf(observed, { preset: SUMMARIES, summarizer: 'model' }), { url, steps: 60 })
    const spans = observed.spans()
    expect(eventsOf(spans)).toEqual([`${turnSpan}: ${COMPACTED}`])
    expect(reasonsOf(spans)).toEqual(['threshold'])
    expect(markedSpans(spans)).toEqual([chatSpan])
    const [summary] = summarySpans(spans)
    expect(summary).toMatchObject({ name: 'chat claude-sonnet-4-5', kind: SpanKind.CLIENT })
    expect(parentOf(summary, spans)?.name).toBe(chatSpan)
    expect(summary?.attributes).toMatchObject({ 'gen_ai.provider.name': 'anthropic' })
    expect(summary?.attributes['gen_ai.usage.input_tokens']).toBeGreaterThan(1_000)
    const chat = spans.find(({ name }) => name === chatSpan)
    expect(Number(summary?.startTime[0])).toBeGreaterThanOrEqual(Number(chat?.startTime[0]) - 1)
    expect(observed.logged).toHaveLength(1)
    await expectMetrics(observed, 'threshold')
  })

  test('truncate: at the threshold, where cutting tool results is enough', async () => {
    const observed = await observe()
    const { url } = await lab({})
    await ask(way, middlewareOf(observed, { preset: TRUNCATION, summarizer: 'extractive' }), {
      ...{ url, steps: 15, resultTokens: 1_800 },
    })
    expect(reasonsOf(observed.spans())).toEqual(['truncate'])
    expect(await observed.points('palimpsest.context.compactions')).toEqual([
      { attributes: { reason: 'truncate' }, value: 1 },
    ])
  })

  test('overflow: the retry and its compaction on the turn', async () => {
    const observed = await observe()
    const { url } = await lab({ faults: [{ kind: 'overflow', when: 'before-first-byte' }] })
    await ask(way, middlewareOf(observed, { summarizer: 'extractive' }), { url, steps: 12 })
    const spans = observed.spans()
    expect(eventsOf(spans)).toEqual([`${turnSpan}: ${RETRIED}`, `${turnSpan}: ${COMPACTED}`])
    expect(reasonsOf(spans)).toEqual(['overflow'])
    expect(markedSpans(spans)).toEqual([chatSpan])
    expect(summarySpans(spans)).toEqual([])
    expect(await observed.points('palimpsest.context.overflow_retries')).toMatchObject([{ value: 1 }])
  })

  function middlewareOf({ telemetry }: Observed, options: Parameters<typeof palimpsest>[0]) {
    return palimpsest({ window: WINDOW, onEvent: telemetry.onEvent, ...options })
  }
})

test('G1 tool: what the model asked for stands on the turn in which the next call is made', async () => {
  const observed = await observe()
  const { url } = await lab({
    script: ({ answered }) =>
      answered === 0
        ? { parts: [{ kind: 'tool-call', id: 'toolu_1', name: 'compact_conversation', input: {} }] }
        : { parts: [{ kind: 'text', text: 'Done.' }] },
  })
  const context = palimpsestContext({
    ...{ window: WINDOW, session: 'asking', summarizer: 'extractive', preset: SUMMARIES },
    onEvent: observed.telemetry.onEvent,
  })
  const agent = new ToolLoopAgent({
    model: wrapLanguageModel({ model: modelAt('anthropic', url), middleware: context.middleware }),
    tools: { ...palimpsestTools(context), read: readTool },
    experimental_telemetry: { isEnabled: true },
    maxRetries: 0,
  })
  await agent.generate({ messages: historyOf(20) })
  const spans = observed.spans()
  expect(reasonsOf(spans)).toEqual(['tool'])
  expect(eventsOf(spans)).toEqual([`ai.generateText: ${COMPACTED}`])
  const calls = spans.filter(({ name }) => name === 'ai.generateText.doGenerate')
  expect(calls.map(({ attributes }) => attributes[COMPACTED])).toEqual([undefined, true])
  expect(observed.logged[0]?.attributes['gen_ai.conversation.id']).toBe('asking')
})

describe('G1 in a loop of one’s own', () => {
  test('manual: between two turns; the next call of that session is marked', async () => {
    const observed = await observe()
    const { telemetry } = observed
    const { url } = await lab({})
    const compactor = createCompactor({ dialect: anthropicMessages, window: WINDOW, onEvent: telemetry.onEvent })
    const request = requestOf(20)
    const prepared = await compactor.compactNow(request, 'manual', { session: 'mine' })
    const tracer = trace.getTracer('application')
    const call = async (span: Span) => {
      const answer = await post(url, (await compactor.prepare(request, { session: 'mine' })).request)
      prepared.observe(answer)
      prepared.done()
      span.end()
    }
    await tracer.startActiveSpan('my turn', (turn) =>
      telemetry.inTurn(turn, async () => {
        for (const name of ['first call', 'second call']) {
          await tracer.startActiveSpan(name, (chat) => telemetry.inChat(chat, () => call(chat), { session: 'mine' }))
        }
        turn.end()
      }),
    )
    expect(markedSpans(observed.spans())).toEqual(['first call'])
    expect(observed.logged[0]?.attributes['palimpsest.compaction.reason']).toBe('manual')
    expect(await observed.points('palimpsest.context.compactions')).toEqual([
      { attributes: { reason: 'manual' }, value: 1 },
    ])
  })

  test('threshold through fetch, in spans that the application named', async () => {
    const observed = await observe()
    const { telemetry } = observed
    const { url } = await lab({})
    const seen = palimpsestFetch({ window: WINDOW, preset: SUMMARIES, onEvent: telemetry.onEvent })
    await telemetry.inTurn(trace.getTracer('a').startSpan('turn'), async () => {
      const turn = trace.getActiveSpan()
      const chat = telemetry.startOperation('chat', 'claude-sonnet-4-5')
      await telemetry.inChat(chat.span as Span, () => post(url, requestOf(60), seen))
      chat.end()
      turn?.end()
    })
    const spans = observed.spans()
    expect(eventsOf(spans)).toEqual([`turn: ${COMPACTED}`])
    expect(markedSpans(spans)).toEqual(['chat claude-sonnet-4-5'])
    const [summary] = summarySpans(spans)
    expect(parentOf(summary, spans)?.name).toBe('chat claude-sonnet-4-5')
    expect(summary?.attributes[COMPACTED]).toBeUndefined()
    await expectMetrics(observed, 'threshold')
  })
})

describe.each(['generate', 'stream'] as const)('G1 beside an integration of AI SDK 7, %s', (way) => {
  test('threshold: turn and call are found by the conventions', async () => {
    const observed = await observe()
    const { url } = await lab({})
    const make = MODELS_7.anthropic as NonNullable<typeof MODELS_7.anthropic>
    const middleware = palimpsest({ window: WINDOW, preset: SUMMARIES, onEvent: observed.telemetry.onEvent })
    const shared = {
      model: wrapLanguageModel7({ model: make(url), middleware }),
      messages: historyOf(60) as unknown as ModelMessage7[],
      ...{ maxRetries: 0, maxOutputTokens: 2_000, stopWhen: isStepCount(5) },
      // plain tools are the same in both SDKs, their types are not
      tools: { read: readTool } as unknown as NonNullable<Parameters<typeof generateText7>[0]['tools']>,
      telemetry: conventionalSpans(),
    }
    if (way === 'generate') await generateText7(shared)
    else await streamText7(shared).consumeStream()
    const spans = observed.spans()
    expect(eventsOf(spans)).toEqual([`invoke_agent: ${COMPACTED}`])
    expect(markedSpans(spans)).toEqual(['chat claude-sonnet-4-5'])
    const [summary] = summarySpans(spans)
    expect(parentOf(summary, spans)?.name).toBe('chat claude-sonnet-4-5')
    expect(parentOf(parentOf(summary, spans), spans)?.name).toBe('invoke_agent')
  })
})

/** Spans as an integration of AI SDK 7 makes them: a turn, and in it each call of the model, which runs in its context. */
function conventionalSpans(): TelemetryOptions {
  const tracer = trace.getTracer('integration')
  let turn: Span | undefined
  const operation = (name: string, more: Attributes = {}) => ({
    attributes: { 'gen_ai.operation.name': name, ...more },
  })
  return {
    integrations: {
      onStart() {
        turn = tracer.startSpan('invoke_agent', operation('invoke_agent'))
      },
      async executeLanguageModelCall({ execute }) {
        const context = trace.setSpan((await import('@opentelemetry/api')).context.active(), turn as Span)
        return tracer.startActiveSpan('chat claude-sonnet-4-5', operation('chat'), context, async (span) => {
          try {
            return await execute()
          } finally {
            span.end()
          }
        })
      },
      onEnd() {
        turn?.end()
      },
    },
  }
}

async function expectMetrics({ points }: Observed, reason: string): Promise<void> {
  expect(await points('palimpsest.context.compactions')).toEqual([{ attributes: { reason }, value: 1 }])
  const model = { 'gen_ai.request.model': 'claude-sonnet-4-5' }
  const [tokens] = await points('palimpsest.context.input_tokens')
  expect(tokens?.attributes).toEqual(model)
  expect(tokens?.value).toBeGreaterThan(1_000)
  expect(tokens?.value).toBeLessThan(WINDOW)
  expect(await points('palimpsest.context.window')).toEqual([{ attributes: model, value: WINDOW }])
  const [evicted] = await points('palimpsest.context.evicted_messages')
  expect(evicted?.value).toBeGreaterThan(10)
  const purposes = (await points('gen_ai.client.token.usage')).map(({ attributes }) => [
    attributes['palimpsest.call.purpose'],
    attributes['gen_ai.token.type'],
  ])
  expect(purposes.sort()).toEqual([
    ['main', 'input'],
    ['main', 'output'],
    ['summarize', 'input'],
    ['summarize', 'output'],
  ])
}

interface Asked {
  readonly url: string
  readonly steps: number
  /** Of each result, where they are not those of `historyOf`. */
  readonly resultTokens?: number
}

function withResult(tokens: number): (message: ModelMessage, at: number) => ModelMessage {
  return (message, at) => {
    if (message.role !== 'tool') return message
    const output = { type: 'text', value: wordsOf(tokens, at) } as const
    return {
      ...message,
      content: message.content.map((part) => (part.type === 'tool-result' ? { ...part, output } : part)),
    }
  }
}

/** One call, seen by the SDK's own telemetry. */
async function ask(
  way: 'generate' | 'stream',
  middleware: ReturnType<typeof palimpsest>,
  { url, steps, resultTokens }: Asked,
): Promise<void> {
  const model: LanguageModelV3 = wrapLanguageModel({ model: modelAt('anthropic', url), middleware })
  const messages = resultTokens === undefined ? historyOf(steps) : historyOf(steps).map(withResult(resultTokens))
  const call = {
    ...{ model, messages, tools: { read: readTool }, maxOutputTokens: 2_000, maxRetries: 0 },
    experimental_telemetry: { isEnabled: true },
  }
  if (way === 'generate') return void (await generateText(call))
  const failures: unknown[] = []
  await streamText({ ...call, onError: ({ error }) => void failures.push(error) }).consumeStream()
  expect(failures).toEqual([])
}

function requestOf(steps: number) {
  const turns = Array.from({ length: steps }, (_, step) => [
    {
      role: 'assistant' as const,
      content: [{ type: 'tool_use' as const, id: `toolu_${step}`, name: 'read', input: { step } }],
    },
    {
      role: 'user' as const,
      content: [{ type: 'tool_result' as const, tool_use_id: `toolu_${step}`, content: wordsOf(600, step) }],
    },
  ])
  const tools = [{ name: 'read', description: 'Reads a file.', input_schema: { type: 'object' } }]
  const messages = [{ role: 'user' as const, content: TASK }, ...turns.flat()]
  return { model: 'claude-sonnet-4-5', max_tokens: 1_000, tools, messages }
}

async function post(url: string, body: object, send: typeof fetch = fetch): Promise<unknown> {
  const headers = { 'content-type': 'application/json', 'x-api-key': 'any', 'anthropic-version': '2023-06-01' }
  const response = await send(`${url}/v1/messages`, { method: 'POST', headers, body: JSON.stringify(body) })
  expect(response.status).toBe(200)
  return response.json()
}
