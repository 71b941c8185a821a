import { context, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { HeardEvent } from './heard-event.ts'
import { APPLIED, BASE, NOW, OVERFLOW, SUMMARIZED, USED } from './heard-events.test-data.ts'
import { SCOPE } from './names.ts'
import { type ObservedTelemetry, observedTelemetry } from './observed-telemetry.test-data.ts'
import { openTelemetry, telemetryFrom } from './open-telemetry.ts'

let seen: ObservedTelemetry
beforeEach(async () => {
  seen = await observedTelemetry({ now: () => NOW })
})
afterEach(() => seen.end())

describe('G1 spans', () => {
  it('a compaction is an event of the turn span, with numbers and no words', () => {
    inSpan('invoke_agent', (turn) => seen.telemetry.inTurn(turn, () => seen.telemetry.onEvent(APPLIED)))
    expect(seen.span('invoke_agent').events).toMatchObject([
      {
        name: 'gen_ai.conversation.compacted',
        attributes: {
          'gen_ai.conversation.id': 'session-1',
          'gen_ai.request.model': 'claude-sonnet-4-5',
          'palimpsest.tokens.before': 168_000,
          'palimpsest.tokens.after': 21_000,
          'palimpsest.messages.evicted': 42,
          'palimpsest.compaction.reason': 'threshold',
          'palimpsest.compaction.strategies': ['summarizeOlder'],
          'palimpsest.fs.path': '/sessions/session-1.md',
        },
      },
    ])
  })

  it('the next chat span is marked, and only that', () => {
    inSpan('invoke_agent', (turn) =>
      seen.telemetry.inTurn(turn, () => {
        seen.telemetry.onEvent(APPLIED)
        for (const name of ['first', 'second']) inSpan(name, (chat) => seen.telemetry.inChat(chat, () => {}))
      }),
    )
    expect(seen.span('first').attributes['gen_ai.conversation.compacted']).toBe(true)
    expect(seen.span('second').attributes).not.toHaveProperty('gen_ai.conversation.compacted')
  })

  it('a compaction outside of any turn marks the next chat of its session', () => {
    seen.telemetry.onEvent(APPLIED)
    inSpan('other', (chat) => seen.telemetry.inChat(chat, () => {}, { session: 'session-2' }))
    inSpan('own', (chat) => seen.telemetry.inChat(chat, () => {}, { session: 'session-1' }))
    expect(seen.span('other').attributes).not.toHaveProperty('gen_ai.conversation.compacted')
    expect(seen.span('own').attributes['gen_ai.conversation.compacted']).toBe(true)
  })

  it('a compaction outside of any turn is found by the usage of the next chat too', () => {
    seen.telemetry.onEvent(APPLIED)
    inSpan('chat', (chat) => seen.telemetry.inChat(chat, () => seen.telemetry.onEvent(USED)))
    expect(seen.span('chat').attributes['gen_ai.conversation.compacted']).toBe(true)
  })

  it('the call of a summariser is a CLIENT span of its own, with its times, below what is active', () => {
    inSpan('chat', (chat) => seen.telemetry.inChat(chat, () => seen.telemetry.onEvent(SUMMARIZED)))
    const span = seen.span('chat claude-haiku-4-5')
    expect(span.kind).toBe(SpanKind.CLIENT)
    expect(span.parentSpanContext?.spanId).toBe(seen.span('chat').spanContext().spanId)
    expect(span.instrumentationScope.name).toBe(SCOPE)
    expect(span.status).toEqual({ code: SpanStatusCode.UNSET })
    expect(span.startTime).toEqual([NOW / 1_000 - 3, 500_000_000])
    expect(span.endTime).toEqual([NOW / 1_000, 0])
    expect(span.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.request.model': 'claude-haiku-4-5',
      'gen_ai.conversation.id': 'session-1',
      'gen_ai.usage.input_tokens': 9_000,
      'gen_ai.usage.output_tokens': 700,
      'palimpsest.call.purpose': 'summarize',
      'palimpsest.summary.rejected': 1,
    })
  })

  it('one that wrote nothing of use has the status of an error, and why', () => {
    seen.telemetry.onEvent({ ...SUMMARIZED, by: 'extractive', rejections: ['empty', 'deadline'] })
    const span = seen.span('chat claude-haiku-4-5')
    expect(span.status).toEqual({ code: SpanStatusCode.ERROR, message: 'deadline' })
    expect(span.attributes['error.type']).toBe('deadline')
  })

  it('one that asks no model makes no span', () => {
    const { asked: _, ...unasked } = SUMMARIZED
    seen.telemetry.onEvent({ ...unasked, by: 'extractive', usage: { input: 0, output: 0 }, rejections: [] })
    expect(seen.spans()).toEqual([])
    seen.telemetry.onEvent({ ...unasked, by: 'none', rejections: ['failed'] })
    expect(seen.span('chat').attributes).not.toHaveProperty('gen_ai.request.model')
  })

  it('a retry after an overflow is an event of the turn span; a refusal that nothing answers is not', () => {
    inSpan('turn', () => {
      seen.telemetry.onEvent(OVERFLOW)
      seen.telemetry.onEvent({ ...OVERFLOW, attempt: 2, remedy: 'none' })
    })
    expect(seen.span('turn').events).toMatchObject([
      {
        name: 'provider.context_overflow_retry',
        attributes: {
          'palimpsest.overflow.kind': 'tokens',
          'palimpsest.overflow.attempt': 1,
          'palimpsest.overflow.limit': 200_000,
          'palimpsest.overflow.size': 204_512,
          'palimpsest.overflow.remedy': 'compaction',
        },
      },
    ])
  })

  it('spans that the caller gives with an event come before those in force', () => {
    const turn = seen.tracer.startSpan('given turn')
    const chat = seen.tracer.startSpan('given chat')
    inSpan('active', () => seen.telemetry.onEvent(APPLIED, { turn, chat }))
    for (const span of [turn, chat]) span.end()
    expect(seen.span('given turn').events).toHaveLength(1)
    expect(seen.span('active').events).toEqual([])
    expect(seen.span('given chat').attributes['gen_ai.conversation.compacted']).toBe(true)
  })

  it('a span that has ended is left alone', () => {
    const turn = seen.tracer.startSpan('turn')
    turn.end()
    expect(() => seen.telemetry.onEvent(APPLIED, { turn, chat: turn })).not.toThrow()
    expect(seen.span('turn').events).toEqual([])
    inSpan('chat', (chat) => seen.telemetry.inChat(chat, () => {}, { session: 'session-1' }))
    expect(seen.span('chat').attributes['gen_ai.conversation.compacted']).toBe(true)
  })
})

describe('G1 which span is which, where nobody says', () => {
  const AI_SDK = { turn: { 'ai.operationId': 'ai.streamText' }, chat: { 'ai.operationId': 'ai.streamText.doStream' } }
  const CONVENTIONS = { turn: { 'gen_ai.operation.name': 'invoke_agent' }, chat: { 'gen_ai.operation.name': 'chat' } }

  it.each([
    ['the AI SDK', AI_SDK],
    ['the semantic conventions', CONVENTIONS],
    ['conventions of which only the chat keeps', { turn: {}, chat: { 'gen_ai.operation.name': 'generate_content' } }],
  ])('by the names of %s: inside the chat', (_name, { turn, chat }) => {
    const inner = 'HTTP POST'
    inSpan('request', () =>
      inSpan(
        'turn',
        () => inSpan('chat', () => inSpan(inner, () => seen.telemetry.onEvent(APPLIED)), chat as object),
        turn as object,
      ),
    )
    expect(seen.span('turn').events.map(({ name }) => name)).toEqual(['gen_ai.conversation.compacted'])
    expect(seen.span('chat').attributes['gen_ai.conversation.compacted']).toBe(true)
    for (const other of ['request', inner]) expect(seen.span(other).events).toEqual([])
  })

  it('by the conventions: before the chat', () => {
    const { turn, chat } = CONVENTIONS
    inSpan(
      'turn',
      () => {
        seen.telemetry.onEvent(APPLIED)
        inSpan('execute_tool', () => {}, { 'gen_ai.operation.name': 'execute_tool' })
        inSpan('chat', () => {}, chat)
        inSpan('next', () => {}, chat)
      },
      turn,
    )
    expect(seen.span('turn').events).toHaveLength(1)
    expect(seen.span('chat').attributes['gen_ai.conversation.compacted']).toBe(true)
    expect(seen.span('next').attributes).not.toHaveProperty('gen_ai.conversation.compacted')
  })

  it('the summariser’s own span is not the next chat', () => {
    inSpan('turn', () => {
      seen.telemetry.onEvent(APPLIED)
      seen.telemetry.onEvent(SUMMARIZED)
    })
    expect(seen.span('chat claude-haiku-4-5').attributes).not.toHaveProperty('gen_ai.conversation.compacted')
  })

  it('a span of another process takes no events', () => {
    const remote = trace.wrapSpanContext({
      ...{ traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', traceFlags: 1, isRemote: true },
    })
    context.with(trace.setSpan(context.active(), remote), () =>
      inSpan('chat', () => seen.telemetry.onEvent(APPLIED), CONVENTIONS.chat),
    )
    expect(seen.span('chat').events).toHaveLength(1)
  })

  it('without notes of parents the event stands on the chat span', async () => {
    await seen.end()
    seen = await observedTelemetry({ notesParents: false })
    inSpan('turn', () => inSpan('chat', () => seen.telemetry.onEvent(APPLIED), AI_SDK.chat), AI_SDK.turn)
    expect(seen.span('chat').events).toHaveLength(1)
    expect(seen.span('chat').attributes['gen_ai.conversation.compacted']).toBe(true)
  })
})

describe('spans of a loop of one’s own', () => {
  it('are named and of the kinds that the conventions say', () => {
    const turn = seen.telemetry.startOperation('invoke_agent', 'reviewer', {
      attributes: { 'gen_ai.agent.name': 'reviewer' },
    })
    const chat = seen.telemetry.startOperation('chat', 'claude-sonnet-4-5', { parent: turn })
    chat.set({ 'gen_ai.usage.input_tokens': 7 })
    chat.end()
    seen.telemetry.startOperation('execute_tool', 'read', { parent: turn }).end('timeout')
    turn.end()
    turn.end('twice')
    const shown = seen.spans().map(({ name, kind, attributes, status }) => [name, kind, attributes, status.code])
    expect(shown).toEqual([
      [
        'chat claude-sonnet-4-5',
        SpanKind.CLIENT,
        { 'gen_ai.operation.name': 'chat', 'gen_ai.usage.input_tokens': 7 },
        SpanStatusCode.UNSET,
      ],
      [
        'execute_tool read',
        SpanKind.INTERNAL,
        { 'gen_ai.operation.name': 'execute_tool', 'error.type': 'timeout' },
        SpanStatusCode.ERROR,
      ],
      [
        'invoke_agent reviewer',
        SpanKind.INTERNAL,
        { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'reviewer' },
        SpanStatusCode.UNSET,
      ],
    ])
    const { spanId } = seen.span('invoke_agent reviewer').spanContext()
    for (const name of ['chat claude-sonnet-4-5', 'execute_tool read']) {
      expect(seen.span(name).parentSpanContext?.spanId).toBe(spanId)
    }
  })
})

describe('G3 the log', () => {
  it('has one info line for each compaction, and none for anything else', () => {
    for (const event of [SUMMARIZED, APPLIED, USED, OVERFLOW]) seen.telemetry.onEvent(event)
    expect(seen.logged).toEqual([
      {
        severityNumber: 9,
        severityText: 'INFO',
        eventName: 'palimpsest.compaction',
        body: 'context compacted',
        attributes: {
          'gen_ai.conversation.id': 'session-1',
          'gen_ai.request.model': 'claude-sonnet-4-5',
          'palimpsest.tokens.before': 168_000,
          'palimpsest.tokens.after': 21_000,
          'palimpsest.messages.evicted': 42,
          'palimpsest.compaction.reason': 'threshold',
          'palimpsest.fs.path': '/sessions/session-1.md',
        },
      },
    ])
  })

  it('a logger that throws harms nobody', async () => {
    const telemetry = await openTelemetry({
      logger: {
        emit() {
          throw new Error('full')
        },
      },
    })
    expect(() => telemetry.onEvent(APPLIED)).not.toThrow()
  })
})

it('G3 words of a conversation, of a provider or of an error are in nothing that is told', async () => {
  const secret = 'xyzzy'
  const worded: readonly object[] = [
    { ...APPLIED, plan: { summaries: [{ insert_after: -1, content: secret }] } },
    { ...SUMMARIZED, text: secret },
    { ...OVERFLOW, facts: { ...OVERFLOW.facts, detail: secret } },
    { ...BASE, type: 'compaction-failed', reason: 'threshold', error: new Error(secret) },
    { ...BASE, type: 'store-failed', error: new Error(secret) },
    { ...BASE, type: 'summary-rejected', rejected: { reason: 'refusal', detail: secret } },
  ]
  inSpan('turn', () => {
    for (const event of worded) seen.telemetry.onEvent(event as HeardEvent)
  })
  const spans = seen.spans().map(({ name, attributes, events, status }) => ({ name, attributes, events, status }))
  const told = JSON.stringify([spans, seen.logged, [...(await seen.metrics()).values()]])
  expect(told).toContain('session-1')
  expect(told).not.toContain(secret)
})

describe('without @opentelemetry/api', () => {
  const missing = () =>
    Promise.reject(Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' }))

  it('nothing happens, but the log line', async () => {
    const logged: unknown[] = []
    const telemetry = await telemetryFrom(missing, { logger: { emit: (record) => logged.push(record) } })
    expect(telemetry.active).toBe(false)
    const span = trace.getTracer('any').startSpan('any')
    expect(telemetry.inTurn(span, () => telemetry.inChat(span, () => 7))).toBe(7)
    for (const event of [APPLIED, SUMMARIZED, USED]) telemetry.onEvent(event)
    telemetry.markChat(span, { session: 'session-1' })
    telemetry.startOperation('chat', 'any').end('any')
    telemetry.spanProcessor.onEnd(span)
    await Promise.all([telemetry.spanProcessor.forceFlush(), telemetry.spanProcessor.shutdown()])
    expect(logged).toHaveLength(1)
    expect(seen.spans()).toEqual([])
  })

  it('another fault of loading it is told', async () => {
    await expect(telemetryFrom(() => Promise.reject(new SyntaxError('broken')))).rejects.toThrow('broken')
  })
})

function inSpan<Result>(name: string, run: (span: Span) => Result, attributes: object = {}): Result {
  return seen.tracer.startActiveSpan(name, { attributes: { ...attributes } }, (span) => {
    try {
      return run(span)
    } finally {
      span.end()
    }
  })
}
