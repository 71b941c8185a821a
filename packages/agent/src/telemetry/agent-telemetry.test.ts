import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { type CompactorEvent, PalimpsestError } from 'palimpsest'
import { openTelemetry } from 'palimpsest/otel'
import { describe, expect, test } from 'vitest'
import { benches, calls, says } from '../agent/agent.test-data.ts'
import { startAgent } from '../agent/start-agent.ts'
import type { AgentEvent } from '../loop/agent-event.ts'
import { agentTelemetry } from './agent-telemetry.ts'

const USAGE = { input: 1_000, cacheRead: 800, cacheWrite: 100, output: 50 }
const CHAT = 'chat claude-sonnet-5'

async function watched() {
  const exporter = new InMemorySpanExporter()
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const telemetry = agentTelemetry(await openTelemetry({ tracerProvider }))
  const spans = () => exporter.getFinishedSpans()
  /** Spans as `name < name of the parent`. */
  const tree = () => {
    const nameOf = new Map(spans().map((span) => [span.spanContext().spanId, span.name]))
    return spans().map(
      ({ name, parentSpanContext }) => `${name} < ${nameOf.get(parentSpanContext?.spanId ?? '') ?? '-'}`,
    )
  }
  return { telemetry, spans, tree }
}

/** A turn of one step, with these events in it. */
function turnOf(...events: readonly AgentEvent[]): readonly AgentEvent[] {
  return [
    { type: 'turn-started', session: 's-1', turn: 1 },
    { type: 'step-started', step: 1, model: 'anthropic:claude-sonnet-5' },
    ...events,
  ]
}

const STEP_ENDED: AgentEvent = { type: 'step-ended', step: 1, text: 'The secret words.', usage: USAGE }
const ANSWERED: AgentEvent = { type: 'turn-ended', outcome: 'answered' }
const TOOL: AgentEvent = { type: 'tool-call', id: 'toolu_1', name: 'bash', input: { command: 'secret' } }

function resultOf(failed: boolean): AgentEvent {
  return { type: 'tool-result', id: 'toolu_1', name: 'bash', text: 'secret', failed, milliseconds: 5 }
}

describe('G1 spans of an agent', () => {
  test('a turn, its step and its tool, with usage and without words', async () => {
    const { telemetry, spans, tree } = await watched()
    for (const event of turnOf(STEP_ENDED, TOOL, resultOf(false), ANSWERED)) telemetry.onEvent(event)
    expect(tree()).toEqual([
      `${CHAT} < invoke_agent palimpsest`,
      'execute_tool bash < invoke_agent palimpsest',
      'invoke_agent palimpsest < -',
    ])
    expect(spans().map(({ kind, attributes }) => [kind, attributes])).toEqual([
      [
        SpanKind.CLIENT,
        {
          'gen_ai.operation.name': 'chat',
          'gen_ai.request.model': 'claude-sonnet-5',
          'gen_ai.provider.name': 'anthropic',
          'gen_ai.conversation.id': 's-1',
          'gen_ai.usage.input_tokens': 1_000,
          'gen_ai.usage.output_tokens': 50,
          'gen_ai.usage.cache_read.input_tokens': 800,
          'gen_ai.usage.cache_creation.input_tokens': 100,
        },
      ],
      [
        SpanKind.INTERNAL,
        {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': 'bash',
          'gen_ai.tool.call.id': 'toolu_1',
          'gen_ai.tool.type': 'function',
          'gen_ai.conversation.id': 's-1',
        },
      ],
      [
        SpanKind.INTERNAL,
        {
          'gen_ai.operation.name': 'invoke_agent',
          'gen_ai.agent.name': 'palimpsest',
          'gen_ai.conversation.id': 's-1',
        },
      ],
    ])
    expect(spans().every(({ status }) => status.code === SpanStatusCode.UNSET)).toBe(true)
    expect(JSON.stringify(spans().map(({ name, attributes, events }) => [name, attributes, events]))).not.toContain(
      'secret',
    )
  })

  test('what fails has the status of an error: a tool, and all that is open when a turn fails', async () => {
    const { telemetry, spans } = await watched()
    const error = new PalimpsestError('no-progress', 'secret')
    const failed: AgentEvent = { type: 'turn-ended', outcome: 'failed', error }
    for (const event of turnOf(TOOL, resultOf(true), failed)) telemetry.onEvent(event)
    expect(spans().map(({ name, status, attributes }) => [name, status.code, attributes['error.type']])).toEqual([
      ['execute_tool bash', SpanStatusCode.ERROR, 'tool-failed'],
      [CHAT, SpanStatusCode.ERROR, 'no-progress'],
      ['invoke_agent palimpsest', SpanStatusCode.ERROR, 'no-progress'],
    ])
  })

  test('a cancelled turn ends all that is open, and is no error', async () => {
    const { telemetry, spans } = await watched()
    for (const event of turnOf(TOOL, { type: 'turn-ended', outcome: 'cancelled' })) telemetry.onEvent(event)
    expect(spans()).toHaveLength(3)
    expect(spans().every(({ status }) => status.code === SpanStatusCode.UNSET)).toBe(true)
  })

  test('a sub-agent stands below the tool that started it', async () => {
    const { telemetry, tree } = await watched()
    const started = turnOf(STEP_ENDED, { ...TOOL, name: 'task' })
    const inner = turnOf(STEP_ENDED, ANSWERED).map((event): AgentEvent => ({ type: 'sub-agent', id: 'toolu_1', event }))
    for (const event of [...started, ...inner, resultOf(false), ANSWERED]) telemetry.onEvent(event)
    expect(tree()).toEqual([
      `${CHAT} < invoke_agent palimpsest`,
      `${CHAT} < invoke_agent palimpsest sub-agent`,
      'invoke_agent palimpsest sub-agent < execute_tool task',
      'execute_tool task < invoke_agent palimpsest',
      'invoke_agent palimpsest < -',
    ])
  })
})

describe('G1 compactions of an agent', () => {
  const APPLIED = {
    ...{ type: 'compaction-applied', id: 's-1/1', session: 's-1', model: 'claude-sonnet-5', reason: 'threshold' },
    ...{ plan: {}, recordId: 'r', strategies: ['summarizeOlder'], tokensBefore: 900, tokensAfter: 90, evicted: 12 },
    ...{ usage: { input: 0, output: 0 }, truncatedArguments: 0 },
  } satisfies CompactorEvent
  const SUMMARIZED = {
    ...{ type: 'summarizer-called', id: 's-1/1', session: 's-1', by: 'small', asked: 'small' },
    ...{ usage: { input: 10, output: 2 }, milliseconds: 3 },
  } satisfies CompactorEvent

  test('stand on the turn and chat of their session', async () => {
    const { telemetry, spans, tree } = await watched()
    for (const event of turnOf()) telemetry.onEvent(event)
    telemetry.onCompactorEvent({ ...SUMMARIZED, session: 's-2' })
    telemetry.onCompactorEvent(SUMMARIZED)
    telemetry.onCompactorEvent(APPLIED)
    for (const event of [STEP_ENDED, ANSWERED]) telemetry.onEvent(event)
    expect(tree()).toEqual([
      'chat small < -',
      `chat small < ${CHAT}`,
      `${CHAT} < invoke_agent palimpsest`,
      'invoke_agent palimpsest < -',
    ])
    expect(compactionsOf(spans())).toEqual({ 'invoke_agent palimpsest': 1 })
    expect(spans().find(({ name }) => name === CHAT)?.attributes['gen_ai.conversation.compacted']).toBe(true)
  })

  test('between two turns mark the first chat of the next', async () => {
    const { telemetry, spans } = await watched()
    telemetry.onCompactorEvent({ ...APPLIED, reason: 'manual' })
    for (const event of turnOf(STEP_ENDED, ...turnOf(STEP_ENDED).slice(1), ANSWERED)) telemetry.onEvent(event)
    const marks = spans().map(({ attributes }) => attributes['gen_ai.conversation.compacted'])
    expect(marks).toEqual([true, undefined, undefined])
  })

  function compactionsOf(spans: readonly ReadableSpan[]) {
    const counted = spans.map(({ name, events }) => [name, events.length] as const)
    return Object.fromEntries(counted.filter(([, count]) => count > 0))
  }
})

const bench = benches()

test('G1 a real agent: a tool loop with a sub-agent in it', async () => {
  const { telemetry, tree } = await watched()
  const asked = { main: 0, sub: 0 }
  const { start } = await bench({
    files: { 'a.txt': 'forty-one\n' },
    onEvent: telemetry.onEvent,
    script: ({ body }) => {
      if (JSON.stringify(body).includes('Which number?')) {
        asked.main += 1
        return asked.main === 1 ? calls(['task', { description: 'find', prompt: 'Find it in a.txt.' }]) : says('41.')
      }
      asked.sub += 1
      return asked.sub === 1 ? calls(['read_file', { path: 'a.txt' }]) : says('It is 41.')
    },
  })
  const agent = await start()
  await agent.send('Which number?')
  expect(tree()).toEqual([
    'chat lab-model < invoke_agent palimpsest',
    'chat lab-model < invoke_agent palimpsest sub-agent',
    'execute_tool read_file < invoke_agent palimpsest sub-agent',
    'chat lab-model < invoke_agent palimpsest sub-agent',
    'invoke_agent palimpsest sub-agent < execute_tool task',
    'execute_tool task < invoke_agent palimpsest',
    'chat lab-model < invoke_agent palimpsest',
    'invoke_agent palimpsest < -',
  ])
})

test('G1 a real agent: a refusal and what a person asked for, over the wire', async () => {
  const { telemetry, spans } = await watched()
  const { lab, cwd, sessions, stores, openModel, model } = await bench({ script: () => says(LONG_ANSWER) })
  const agent = await startAgent({
    ...{ cwd, home: cwd, env: {}, config: { policy: 'hango' }, sessions, stores, openModel, namespace: 'default' },
    ...telemetry,
    model: await model(20_000),
    session: 'seen',
  })
  for (const question of ['One?', 'Two?', 'Three?']) await agent.send(question)
  expect(await agent.compact()).toBe(true)
  await agent.send('Four?')
  await agent.send('Five?')
  lab.inject({ kind: 'overflow', when: 'before-first-byte', only: 'main' })
  await agent.send('Six?')
  const turns = spans().filter(({ name }) => name === 'invoke_agent palimpsest')
  expect(turns.map(({ events }) => events.map(({ name }) => name))).toEqual([
    ...[[], [], [], [], []],
    ['provider.context_overflow_retry', 'gen_ai.conversation.compacted'],
  ])
  const chats = spans().filter(({ attributes }) => attributes['gen_ai.operation.name'] === 'chat')
  const own = chats.filter(({ attributes }) => attributes['palimpsest.call.purpose'] === undefined)
  expect(own.map(({ attributes }) => attributes['gen_ai.conversation.compacted'])).toEqual([
    ...[undefined, undefined, undefined],
    ...[true, undefined, true],
  ])
  const summaries = chats.filter(({ attributes }) => attributes['palimpsest.call.purpose'] === 'summarize')
  expect(summaries.length).toBeGreaterThan(0)
  expect(summaries.every(({ attributes }) => attributes['gen_ai.conversation.id'] === 'seen')).toBe(true)
})

const LONG_ANSWER = Array.from({ length: 200 }, (_, line) => `Line ${line} of what was found out.`).join('\n')
