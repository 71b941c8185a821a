import { describe, expect, it } from 'vitest'
import { type AnthropicMessage, anthropicMessages } from '../dialects/anthropic-messages/index.ts'
import { PRESETS } from '../engine/presets/presets.ts'
import { memoryStores } from '../stores/memory-stores.ts'
import type { Summarizer, SummaryInput } from '../summarizers/summarizer.ts'
import { compactConversation } from './compact-conversation.ts'
import { ContextOverflowError } from './context-overflow-error.ts'
import type { CompactorEvent } from './events.ts'
import {
  CountingServer,
  callModel,
  eventsOf,
  refusal,
  requestOf,
  toolStep,
  toolSteps,
  watchedCompactor,
} from './live-session.test-data.ts'

const TASK = { role: 'user' as const, content: 'Fix the bug. Never push to main.' }
const KEEN = PRESETS.keen as NonNullable<typeof PRESETS.keen>

/** A summariser of the test's own, with what it was asked. */
function writer(
  text: string | ((input: SummaryInput) => string) = 'Goal: fix the bug. Read many files; nothing found yet.',
) {
  const asked: SummaryInput[] = []
  const summarizer: Summarizer = async (input, { signal }) => {
    asked.push(input)
    signal?.throwIfAborted()
    const written = typeof text === 'string' ? text : text(input)
    const usage = { input: 1000, output: 50 }
    if (written === '')
      return { status: 'failed', usage, rejected: [{ reason: 'empty', detail: 'Nothing was written.' }] }
    return { status: 'written', text: written, by: 'test', usage, rejected: [] }
  }
  return { summarizer, asked }
}

/** A summariser that waits until it is told to go on. */
function heldWriter() {
  let release: () => void = () => {}
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  let started: () => void = () => {}
  const begun = new Promise<void>((resolve) => {
    started = resolve
  })
  const asked: SummaryInput[] = []
  const summarizer: Summarizer = async (input, { signal }) => {
    asked.push(input)
    started()
    await Promise.race([
      gate,
      new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true })),
    ])
    return { status: 'written', text: 'Goal: fix the bug.', by: 'test', usage: { input: 10, output: 5 }, rejected: [] }
  }
  return { summarizer, asked, release: () => release(), begun }
}

describe('prepare', () => {
  it('gives the very request back where nothing is to be done', async () => {
    const { compactor, events } = watchedCompactor({ window: 200_000 })
    const request = requestOf([TASK])
    const prepared = await compactor.prepare(request)
    expect(prepared.request).toBe(request)
    expect(prepared).toMatchObject({ changed: false, compacted: false, window: 200_000 })
    expect(events).toEqual([])
  })

  it('B11 prepares the same request twice to the same bytes, with one summary', async () => {
    const { summarizer, asked } = writer()
    const { compactor } = watchedCompactor({ window: 32_000, summarizer, preset: KEEN })
    const messages = [TASK, ...toolSteps(40, 3_000)]
    const [first, second] = await Promise.all([
      compactor.prepare(requestOf(messages)),
      compactor.prepare(requestOf(messages)),
    ])
    const third = await compactor.prepare(requestOf(messages))
    expect(first.compacted).toBe(true)
    expect(second.compacted || third.compacted).toBe(false)
    expect(JSON.stringify(second.request)).toBe(JSON.stringify(first.request))
    expect(JSON.stringify(third.request)).toBe(JSON.stringify(first.request))
    expect(asked).toHaveLength(1)
  })

  it('gives another process with the same store the same bytes, without a second summary', async () => {
    const stores = memoryStores()
    const { summarizer, asked } = writer()
    const messages = [TASK, ...toolSteps(40, 3_000)]
    const first = await watchedCompactor({ window: 32_000, summarizer, stores }).compactor.prepare(requestOf(messages))
    const later = [...messages, ...toolStep(40, 3_000)]
    const elsewhere = await watchedCompactor({ window: 32_000, summarizer, stores }).compactor.prepare(requestOf(later))
    expect(first.compacted).toBe(true)
    expect(elsewhere.compacted).toBe(false)
    expect(JSON.stringify(elsewhere.request.messages)).toContain(JSON.stringify(first.request.messages).slice(0, -1))
    expect(asked.length).toBeLessThanOrEqual(1)
  })

  it('never shares records between namespaces, nor between sessions of one name in two of them', async () => {
    const { compactor } = watchedCompactor({ window: 32_000, stores: memoryStores() })
    const messages = [TASK, ...toolSteps(40, 3_000)]
    const a = await compactor.prepare(requestOf(messages), { namespace: 'a', session: 's' })
    const b = await compactor.prepare(requestOf(messages), { namespace: 'b', session: 's' })
    expect(a.compacted && b.compacted).toBe(true)
    expect(b.recordId).not.toBe(a.recordId)
  })

  it('goes on with the compacted view after a fork, and with the whole transcript after a rewind before it', async () => {
    const { compactor } = watchedCompactor({ window: 32_000 })
    const messages = [TASK, ...toolSteps(40, 3_000)]
    const first = await compactor.prepare(requestOf(messages))
    const fork = await compactor.prepare(requestOf([...messages.slice(0, -2), ...toolStep(99, 500)]))
    const rewound = await compactor.prepare(requestOf(messages.slice(0, 3)))
    expect(fork.recordId).toBeDefined()
    expect(fork.request.messages[0]).toEqual(first.request.messages[0])
    expect(rewound.changed).toBe(false)
  })

  it('B8 shows the last user message of who goes back to before it was summarised', async () => {
    const { compactor } = watchedCompactor({ window: 32_000, preset: PRESETS.hango as typeof KEEN })
    const first = { role: 'user' as const, content: 'Now look at the second half.' }
    const opening = [TASK, ...toolSteps(16, 3_000), { role: 'assistant' as const, content: 'Half is done.' }, first]
    const whole = [
      ...opening,
      ...toolSteps(40, 3_000).slice(32),
      { role: 'assistant' as const, content: 'Done.' },
      TASK,
    ]
    expect((await compactor.prepare(requestOf(whole))).compacted).toBe(true)
    const again = await compactor.prepare(requestOf(opening))
    expect(JSON.stringify(again.request)).toContain(first.content)
    expect(anthropicMessages.check(anthropicMessages.open(again.request))).toEqual([])
  })

  it('goes on after a rewind to between what a plan reads and where it was made', async () => {
    const messages = [TASK, ...toolSteps(40, 3_000)]
    for (const preset of Object.values(PRESETS)) {
      const { compactor } = watchedCompactor({ window: 32_000, preset })
      const { recordId } = await compactor.prepare(requestOf(messages))
      for (let length = messages.length - 2; length > 1; length -= 6) {
        const back = await compactor.prepare(requestOf(messages.slice(0, length)))
        expect(anthropicMessages.check(anthropicMessages.open(back.request))).toEqual([])
        expect(JSON.stringify(back.request)).toContain(TASK.content)
      }
      expect(recordId).toBeDefined()
    }
  })

  it('is anchored anew when the client blanks an old result: no summary, the same view', async () => {
    const { summarizer, asked } = writer()
    const { compactor, events } = watchedCompactor({ window: 32_000, summarizer, preset: KEEN })
    const messages = [TASK, ...toolSteps(40, 3_000)]
    const first = await compactor.prepare(requestOf(messages))
    const blanked = requestOf(messages).messages.map((message, position) =>
      position === 2
        ? { ...message, content: [{ type: 'tool_result', tool_use_id: 'toolu_0', content: '[cleared]' }] }
        : message,
    )
    const second = await compactor.prepare(requestOf([...blanked, ...toolStep(40, 300)]))
    expect(eventsOf(events, 'reanchored')).toHaveLength(1)
    expect(second.request.messages.slice(0, first.request.messages.length)).toEqual(first.request.messages)
    expect(asked).toHaveLength(1)
  })

  it('leaves cache marks of the caller out of what makes a conversation', async () => {
    const { compactor } = watchedCompactor({ window: 32_000 })
    const messages = [TASK, ...toolSteps(40, 3_000)]
    await compactor.prepare(requestOf(messages))
    const again = await compactor.prepare(requestOf([...messages.map(withMark), ...toolStep(40, 300)]))
    expect(again.compacted).toBe(false)
    expect(again.recordId).toBeDefined()
  })

  it('D10 marks the last system block and the summary, and keeps the marks where they are', async () => {
    const { compactor } = watchedCompactor({ window: 32_000, preset: KEEN })
    const system = [{ type: 'text' as const, text: 'You fix bugs.' }]
    const messages = [TASK, ...toolSteps(40, 3_000)]
    const first = await compactor.prepare(requestOf(messages, { system }))
    const second = await compactor.prepare(requestOf([...messages, ...toolStep(40, 300)], { system }))
    const marks = (request: object) => [...JSON.stringify(request).matchAll(/"cache_control"/g)].length
    expect(marks(first.request)).toBe(2)
    expect(first.request.system).toEqual([{ ...system[0], cache_control: { type: 'ephemeral' } }])
    expect(second.request.messages.slice(0, first.request.messages.length)).toEqual(first.request.messages)
  })

  it('D10 marks the last system block that stays the same, where the caller says which', async () => {
    const { compactor } = watchedCompactor({ window: 32_000, preset: KEEN })
    const system = ['You fix bugs.', 'Memory of the day.'].map((text) => ({ type: 'text' as const, text }))
    const request = requestOf([TASK, ...toolSteps(40, 3_000)], { system })
    const { request: sent } = await compactor.prepare(request, { stableSystem: 1 })
    expect(sent.system).toEqual([{ ...system[0], cache_control: { type: 'ephemeral' } }, system[1]])
    const none = await compactor.prepare(request, { stableSystem: 0 })
    expect(none.request.system).toEqual(system)
    expect(JSON.stringify(none.request)).toContain('cache_control')
  })
})

function withMark(message: AnthropicMessage): AnthropicMessage {
  if (!Array.isArray(message.content)) return message
  return { ...message, content: message.content.map((block) => ({ ...block, cache_control: { type: 'ephemeral' } })) }
}

describe('a compaction that comes to nothing', () => {
  it('D5 is not tried again before the history has grown, and the request goes out while it fits', async () => {
    const { summarizer, asked } = writer('')
    const { compactor, events } = watchedCompactor({ window: 32_000, summarizer, preset: KEEN })
    const messages = [TASK, ...toolSteps(28, 2_600)]
    const first = await compactor.prepare(requestOf(messages))
    expect(first.changed).toBe(false)
    const second = await compactor.prepare(requestOf([...messages, { role: 'assistant', content: 'Hm.' }, TASK]))
    expect(second.changed).toBe(false)
    expect(asked).toHaveLength(1)
    await compactor.prepare(requestOf([...messages, ...toolStep(30, 5_000)]))
    expect(asked).toHaveLength(2)
    expect(eventsOf(events, 'compaction-failed')).toHaveLength(2)
  })

  it('BB-21 never sends a request that does not fit', async () => {
    const { summarizer } = writer('')
    const { compactor } = watchedCompactor({ window: 32_000, summarizer, preset: KEEN })
    const failure = await compactor.prepare(requestOf([TASK, ...toolSteps(60, 3_000)])).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ContextOverflowError)
    expect(failure).toMatchObject({ code: 'context-overflow', attempts: 0 })
  })

  it('D6 can be cancelled alone: the call goes on', async () => {
    const { summarizer } = heldWriter()
    const cancelling = (event: CompactorEvent) => {
      if (event.type === 'compaction-started') queueMicrotask(() => event.cancel())
    }
    const { compactor, events } = watchedCompactor({ window: 32_000, summarizer, preset: KEEN, onEvent: cancelling })
    const prepared = await compactor.prepare(requestOf([TASK, ...toolSteps(28, 2_600)]))
    expect(prepared.changed).toBe(false)
    expect(eventsOf(events, 'compaction-cancelled')).toHaveLength(1)
    expect(eventsOf(events, 'compaction-failed')).toHaveLength(0)
  })

  it('D6 is not cancelled by one caller while another waits for it', async () => {
    const { summarizer, asked, release, begun } = heldWriter()
    const { compactor } = watchedCompactor({ window: 32_000, summarizer, preset: KEEN })
    const messages = [TASK, ...toolSteps(40, 3_000)]
    const leaving = new AbortController()
    const left = compactor.prepare(requestOf(messages), { signal: leaving.signal }).catch((error: unknown) => error)
    await begun
    const stays = compactor.prepare(requestOf(messages))
    await Promise.resolve()
    leaving.abort(new Error('gone'))
    expect(await left).toMatchObject({ message: 'gone' })
    release()
    expect((await stays).recordId).toBeDefined()
    expect(asked).toHaveLength(1)
  })

  it('leaves every view as it was when the record cannot be stored', async () => {
    const stores = memoryStores()
    const records = { ...stores.records, commit: () => Promise.reject(new Error('disk full')) }
    const { compactor, events } = watchedCompactor({ window: 32_000, preset: KEEN, stores: { ...stores, records } })
    const prepared = await compactor.prepare(requestOf([TASK, ...toolSteps(28, 2_600)]))
    expect(prepared.changed).toBe(false)
    expect(eventsOf(events, 'compaction-failed')[0]?.error.code).toBe('effect-failed')
  })

  it('CF-16 shows no path where the history could not be written', async () => {
    const stores = memoryStores()
    const history = { ...stores.history, append: () => Promise.reject(new Error('read-only')) }
    const { compactor, events } = watchedCompactor({
      window: 32_000,
      stores: { ...stores, history },
      reader: { tool: 'read_history' },
    })
    const prepared = await compactor.prepare(requestOf([TASK, ...toolSteps(40, 3_000)]))
    expect(prepared.compacted).toBe(true)
    expect(eventsOf(events, 'compaction-applied')[0]?.historyPath).toBeUndefined()
    expect(JSON.stringify(prepared.request)).not.toContain('read_history')
  })
})

describe('overflow', () => {
  it('D2 is answered by one smaller request, and what was learned holds for the next', async () => {
    const server = new CountingServer(20_000)
    const { compactor, events } = watchedCompactor()
    const messages = [TASK, ...toolSteps(30, 3_000)]
    const request = requestOf(messages, { model: 'some-unknown-model' })
    const prepared = await callModel(compactor, server, request)
    expect(prepared.compacted).toBe(true)
    expect(server.refused).toHaveLength(1)
    expect(server.answered).toHaveLength(1)
    expect(eventsOf(events, 'overflow-detected')).toMatchObject([{ facts: { limit: 20_000 } }])
    const other = requestOf([{ role: 'user', content: 'Another task.' }, ...toolSteps(30, 3_000)], {
      model: 'some-unknown-model',
    })
    await callModel(compactor, server, other)
    expect(server.refused).toHaveLength(1)
  })

  it.each([
    ['keen', 2],
    ['palimpsest', 3],
    ['hango', 3],
  ])('BB-8 %s gives up after %i refusals, with an error that says so', async (name, refusals) => {
    const server = new CountingServer(50)
    const { compactor } = watchedCompactor({ window: 32_000, preset: PRESETS[name] as typeof KEEN })
    const failure = await callModel(compactor, server, requestOf([TASK, ...toolSteps(20, 2_000)])).catch(
      (error: unknown) => error,
    )
    expect(failure).toBeInstanceOf(ContextOverflowError)
    expect(server.answered).toHaveLength(0)
    expect(server.refused.length).toBeLessThanOrEqual(refusals)
    const sizes = server.refused.map((request) => server.tokens(request))
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a))
    expect(new Set(sizes).size).toBe(sizes.length)
  })

  it('BB-9 is no rate limit', async () => {
    const { compactor, events } = watchedCompactor({ window: 32_000 })
    const prepared = await compactor.prepare(requestOf([TASK, ...toolSteps(10, 2_000)]))
    const limited = Object.assign(new Error('429 Too many tokens, please wait before trying again.'), { status: 429 })
    expect(await prepared.recover(limited)).toBeUndefined()
    expect(events).toEqual([])
  })

  it('BB-11 lowers the output cap first, and compacts nothing', async () => {
    const { compactor, events } = watchedCompactor({ window: 200_000 })
    const prepared = await compactor.prepare(requestOf([TASK, ...toolSteps(10, 2_000)], { max_tokens: 32_000 }))
    const next = await prepared.recover(
      Object.assign(
        new Error(
          'input length and `max_tokens` exceed context limit: 9000 + 32000 > 40000, decrease input length or `max_tokens` and try again',
        ),
        { status: 400 },
      ),
    )
    expect(next?.request.max_tokens).toBeLessThan(31_000)
    expect(next?.request.max_tokens).toBeGreaterThan(4_096)
    expect(next?.request.messages).toEqual(prepared.request.messages)
    expect(eventsOf(events, 'compaction-started')).toHaveLength(0)
  })

  it('marks the conversation when it came too late, and the next request is compacted first', async () => {
    const { compactor, events } = watchedCompactor({ window: 200_000 })
    const messages = [TASK, ...toolSteps(10, 3_000)]
    const prepared = await compactor.prepare(requestOf(messages))
    const facts = prepared.observe({ type: 'message', stop_reason: 'model_context_window_exceeded', content: [] })
    expect(facts?.kind).toBe('silent')
    if (facts !== undefined) prepared.markOverflow(facts)
    const next = await compactor.prepare(requestOf([...messages, ...toolStep(10, 300)]))
    expect(next.compacted).toBe(true)
    expect(eventsOf(events, 'compaction-started')).toMatchObject([{ reason: 'overflow' }])
  })

  it('learns from an overflow that came too late, and compacts to what the provider stated', async () => {
    const { compactor } = watchedCompactor()
    const request = requestOf([TASK, ...toolSteps(12, 3_000)])
    const prepared = await compactor.prepare(request)
    prepared.markOverflow({ kind: 'tokens', size: 32_001, limit: 32_000, detail: 'too long' })
    const next = await compactor.prepare(requestOf(request.messages))
    expect(next).toMatchObject({ compacted: true, window: 32_000 })
  })

  it('sends what fits after an answer that was cut, though nothing could be left out', async () => {
    const { compactor } = watchedCompactor()
    const request = requestOf([TASK])
    const prepared = await compactor.prepare(request)
    prepared.markOverflow({ kind: 'silent', detail: 'finish reason' })
    expect((await compactor.prepare(requestOf(request.messages))).changed).toBe(false)
    expect((await compactor.prepare(requestOf(request.messages))).changed).toBe(false)
  })

  it('D3 names the provider’s own failure as the cause, also where nothing could be made smaller', async () => {
    const { compactor } = watchedCompactor({ window: 200_000 })
    const prepared = await compactor.prepare(requestOf([TASK]))
    const failure = refusal('prompt is too long: 300000 tokens > 200000 maximum')
    await expect(prepared.recover(failure)).rejects.toMatchObject({
      code: 'context-overflow',
      cause: failure,
      attempts: 1,
      // by our count it fits: that it could go out as it is would be no help after the refusal
      hint: expect.stringContaining('smaller window'),
    })
  })

  it('strips bound reasoning once, at no rung of the ladder', async () => {
    const { compactor } = watchedCompactor({ window: 200_000 })
    const thinking = { type: 'thinking' as const, thinking: 'Let me see.', signature: 'c2ln' }
    const [call, result] = toolStep(0, 300)
    const spoken = { ...call, role: 'assistant' as const, content: [thinking, ...((call?.content ?? []) as object[])] }
    const request = requestOf([TASK, spoken as never, result as never])
    const prepared = await compactor.prepare(request)
    const bound = Object.assign(
      new Error(
        'messages.1.content.0: Invalid `signature` in `thinking` block: the signature is bound to a different conversation',
      ),
      { status: 400 },
    )
    const next = await prepared.recover(bound)
    expect(JSON.stringify(next?.request)).not.toContain('Let me see.')
    await expect(next?.recover(bound)).rejects.toBeInstanceOf(ContextOverflowError)
  })
})

describe('what others do wrong', () => {
  const messages = [TASK, ...toolSteps(40, 3_000)]

  it('a caller who leaves during a compaction does not spoil the next call', async () => {
    const { summarizer, release, begun } = heldWriter()
    const { compactor } = watchedCompactor({ window: 32_000, summarizer, preset: KEEN })
    const leaving = new AbortController()
    const left = compactor.prepare(requestOf(messages), { signal: leaving.signal }).catch((error: unknown) => error)
    await begun
    leaving.abort(new Error('gone'))
    await left
    release()
    expect((await compactor.prepare(requestOf(messages))).compacted).toBe(true)
  })

  it('retries of one refused request at once are all answered', async () => {
    const { compactor } = watchedCompactor({ window: 200_000 })
    const attempts = await Promise.all([1, 2, 3, 4].map(() => compactor.prepare(requestOf(messages))))
    const facts = { kind: 'tokens', size: 60_000, limit: 50_000, detail: 'too long' } as const
    const retries = await Promise.all(attempts.map((attempt) => attempt.recoverFrom(facts)))
    expect(new Set(retries.map(({ request }) => JSON.stringify(request))).size).toBe(1)
    expect(retries[0]?.changed).toBe(true)
  })

  it.each([
    ['nothing at all', null],
    ['words', { window: 'abc', at: 0 }],
    ['no window', { window: -5, at: 0 }],
  ])('a limit store that gives %s says nothing', async (_name, limit) => {
    const stores = memoryStores()
    const limits = { ...stores.limits, get: async () => limit as never }
    const { compactor } = watchedCompactor({ window: 200_000, stores: { ...stores, limits }, now: () => 0 })
    expect((await compactor.prepare(requestOf([TASK]))).window).toBe(200_000)
  })

  it('a server that states an absurd limit locks nobody out', async () => {
    const { compactor } = watchedCompactor()
    const prepared = await compactor.prepare(requestOf(messages))
    await prepared.recover(refusal('prompt is too long: 205000 tokens > 10 maximum')).catch(() => undefined)
    const other = requestOf([{ role: 'user', content: 'Another task.' }, ...toolSteps(4, 300)])
    expect((await compactor.prepare(other)).changed).toBe(false)
  })

  it.each([null, 'hello', 7])('a list of messages that holds %j goes to the provider as it came', async (wrong) => {
    const { compactor } = watchedCompactor({ window: 1_000 })
    const request = requestOf([TASK, wrong as never, ...toolSteps(3, 4_000)])
    const prepared = await compactor.prepare(request)
    expect(prepared.request).toBe(request)
    expect(() => compactConversation(anthropicMessages, anthropicMessages.open(request))).toThrow(/^Message 1 of/)
  })

  it('a damaged record is none, and the good ones beside it count', async () => {
    const stores = memoryStores()
    const first = await watchedCompactor({ window: 32_000, stores }).compactor.prepare(requestOf(messages))
    const damaged = {
      ...stores.records,
      list: async (root: string) => [null, { key: 1 }, ...(await stores.records.list(root))] as never,
    }
    const { compactor, events } = watchedCompactor({ window: 32_000, stores: { ...stores, records: damaged } })
    expect((await compactor.prepare(requestOf(messages))).recordId).toBe(first.recordId)
    expect(eventsOf(events, 'store-failed')).toEqual([])
  })

  it('a late overflow whose own remedy comes to nothing is compacted as any other request', async () => {
    const { compactor, events } = watchedCompactor({ window: 32_000 })
    const prepared = await compactor.prepare(requestOf([TASK]))
    prepared.markOverflow({ kind: 'reasoning-bound', detail: 'bound' })
    expect((await compactor.prepare(requestOf(messages))).compacted).toBe(true)
    // D7: two compactions in one call are two, each with its end
    const started = eventsOf(events, 'compaction-started').map(({ id }) => id)
    expect(new Set(started).size).toBe(2)
    expect(eventsOf(events, 'compaction-failed').map(({ id }) => id)).toEqual(started.slice(0, 1))
    expect(eventsOf(events, 'compaction-applied').map(({ id }) => id)).toEqual(started.slice(1))
  })

  it('a size that no request can have is not believed', async () => {
    const { compactor } = watchedCompactor({ window: 32_000 })
    const request = requestOf([TASK, ...toolSteps(20, 2_600)])
    const prepared = await compactor.prepare(request)
    const next = await prepared.recoverFrom({ kind: 'tokens', size: 600_000, limit: 500_000, detail: 'too long' })
    expect(next.request.max_tokens).toBe(request.max_tokens)
    expect((await compactor.prepare(requestOf([...request.messages, ...toolStep(20, 300)]))).size.tokens).toBeLessThan(
      32_000,
    )
  })

  it.each(['\u001b[', 'a\0b\u0001', 'a\ud800b\udc00c'])(
    'a newest call full of %j is cut until it fits',
    async (noise) => {
      const { compactor } = watchedCompactor({ window: 16_000 })
      const [call, result] = toolStep(9, 300)
      const input = { command: noise.repeat(150_000 / noise.length) }
      const noisy = {
        role: 'assistant' as const,
        content: [{ type: 'tool_use' as const, id: 'toolu_9', name: 'read', input }],
      }
      expect(call?.role).toBe('assistant')
      const prepared = await compactor.prepare(
        requestOf([TASK, ...toolSteps(3, 300), noisy, result as AnthropicMessage]),
      )
      expect(prepared.size.tokens).toBeLessThan(16_000)
    },
  )

  it('a summariser that never answers holds nobody but who waits for it', async () => {
    const { compactor } = watchedCompactor({ window: 32_000, summarizer: () => new Promise(() => {}), preset: KEEN })
    const leaving = new AbortController()
    const left = compactor.prepare(requestOf(messages), { signal: leaving.signal }).catch((error: unknown) => error)
    await new Promise((resolve) => setImmediate(resolve))
    leaving.abort(new Error('gone'))
    expect(await left).toMatchObject({ message: 'gone' })
    expect((await compactor.prepare(requestOf(messages), { effort: 'without-model' })).compacted).toBe(true)
  })

  it('a summariser that throws, or gives nothing, is stood in for', async () => {
    for (const summarizer of [
      async () => Promise.reject(new TypeError('fetch failed')),
      async () => undefined as never,
    ]) {
      const { compactor, events } = watchedCompactor({
        window: 32_000,
        summarizer,
        preset: PRESETS.hango as typeof KEEN,
      })
      expect((await compactor.prepare(requestOf(messages))).compacted).toBe(true)
      expect(eventsOf(events, 'summary-rejected')).toMatchObject([{ rejected: { reason: 'failed' } }])
    }
  })

  it('a store that takes no record does not stop what cannot go out without it', async () => {
    const stores = memoryStores()
    const records = { ...stores.records, commit: () => Promise.reject(new Error('disk full')) }
    const { compactor, events } = watchedCompactor({ window: 32_000, stores: { ...stores, records } })
    const first = await compactor.prepare(requestOf(messages))
    const second = await compactor.prepare(requestOf([...messages, ...toolStep(40, 300)]))
    expect(first.compacted && !second.compacted).toBe(true)
    expect(second.recordId).toBe(first.recordId)
    expect(eventsOf(events, 'store-failed')).toHaveLength(1)
  })
})

describe('what a compaction tells', () => {
  it('D7 one start has exactly one end with its id', async () => {
    const { summarizer } = writer((input) => (input.request.ranges.length % 2 === 0 ? '' : 'Goal: fix the bug.'))
    const { compactor, events } = watchedCompactor({ window: 32_000, summarizer })
    const server = new CountingServer(26_000)
    const messages = [TASK]
    for (let step = 0; step < 60; step++) {
      messages.push(...(toolStep(step, 1_000 + 200 * (step % 17)) as (typeof TASK)[]))
      await callModel(compactor, server, requestOf(messages)).catch(() => undefined)
    }
    const starts = eventsOf(events, 'compaction-started')
    expect(starts.length).toBeGreaterThan(1)
    for (const start of starts) {
      const ends = events.filter(
        ({ id, type }) => id === start.id && /^compaction-(applied|failed|cancelled)$/.test(type),
      )
      expect(ends).toHaveLength(1)
    }
  })

  it('tells an unknown model once', async () => {
    const { compactor, events } = watchedCompactor()
    const request = requestOf([TASK], { model: 'nobody-knows-1' })
    await compactor.prepare(request)
    await compactor.prepare(request)
    expect(eventsOf(events, 'unknown-model')).toHaveLength(1)
  })

  it('survives a listener that throws', async () => {
    const { compactor } = watchedCompactor({
      window: 32_000,
      onEvent: () => {
        throw new Error('listener')
      },
    })
    expect((await compactor.prepare(requestOf([TASK, ...toolSteps(40, 3_000)]))).compacted).toBe(true)
  })
})

describe('A2 counting', () => {
  const messages = [TASK, ...toolSteps(28, 2_600)]

  it('fires where the estimate is below the trigger and the count above', async () => {
    const { compactor } = watchedCompactor({ window: 36_000, countTokens: async () => 35_000 })
    expect((await compactor.prepare(requestOf(messages))).compacted).toBe(true)
  })

  it('does not fire where the estimate is above and the count below', async () => {
    const { compactor } = watchedCompactor({ window: 26_000, countTokens: async () => 9_000 })
    const prepared = await compactor.prepare(requestOf(messages))
    expect(prepared).toMatchObject({ compacted: false, size: { tokens: 9_000, basis: 'measured' } })
  })

  it('is not asked far below the trigger, and a counter that fails changes nothing', async () => {
    let asked = 0
    const countTokens = async () => {
      asked++
      throw new Error('no counter')
    }
    const { compactor } = watchedCompactor({ window: 1_000_000, countTokens })
    await compactor.prepare(requestOf(messages))
    expect(asked).toBe(0)
    const near = watchedCompactor({ window: 26_000, countTokens })
    expect((await near.compactor.prepare(requestOf(messages))).compacted).toBe(true)
    expect(asked).toBe(1)
  })
})

describe('C10 background preparation', () => {
  it('has the summary ready when the trigger is reached', async () => {
    const { summarizer, asked } = writer()
    const { compactor, events } = watchedCompactor({
      window: 32_000,
      summarizer,
      preset: KEEN,
      background: { from: 0.5 },
    })
    const messages = [TASK, ...toolSteps(20, 2_600)]
    expect((await compactor.prepare(requestOf(messages))).compacted).toBe(false)
    expect(asked).toHaveLength(1)
    const later = [...messages, ...toolSteps(40, 2_600).slice(40)]
    const prepared = await compactor.prepare(requestOf(later))
    expect(prepared.compacted).toBe(true)
    expect(asked).toHaveLength(1)
    expect(eventsOf(events, 'compaction-started')).toMatchObject([{ background: true }])
    expect(anthropicMessages.check(anthropicMessages.open(prepared.request))).toEqual([])
  })
})

describe('C10 a compaction that waits for its background preparation', () => {
  it('is cancelled at once, and the call for the summary with it', async () => {
    let asked: AbortSignal | undefined
    const summarizer: Summarizer = (_, { signal }) => {
      asked = signal
      return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
    }
    const { compactor, events } = watchedCompactor({
      window: 32_000,
      summarizer,
      preset: KEEN,
      background: { from: 0.5 },
      onEvent: (event) => {
        if (event.type === 'compaction-started') event.cancel()
      },
    })
    const messages = [TASK, ...toolSteps(20, 2_600)]
    await compactor.prepare(requestOf(messages))
    const later = [...messages, ...toolSteps(40, 2_600).slice(40)]
    await expect(compactor.prepare(requestOf(later))).rejects.toThrow('It was cancelled')
    expect(asked?.aborted).toBe(true)
    expect(eventsOf(events, 'compaction-cancelled')).toHaveLength(1)
  })
})

describe('D8 the model asks for a compaction', () => {
  it('is done at its next call, whatever the size', async () => {
    const { compactor, events } = watchedCompactor({ window: 200_000 })
    const messages = [TASK, ...toolSteps(8, 3_000)]
    await compactor.prepare(requestOf(messages), { session: 's' })
    compactor.requestCompaction('s')
    const next = await compactor.prepare(requestOf([...messages, ...toolStep(8, 300)]), { session: 's' })
    expect(next.compacted).toBe(true)
    expect(eventsOf(events, 'compaction-started')).toMatchObject([{ reason: 'tool' }])
  })

  it('a person may say what to dwell on', async () => {
    const { summarizer, asked } = writer()
    const { compactor } = watchedCompactor({ window: 200_000, summarizer })
    await compactor.compactNow(requestOf([TASK, ...toolSteps(8, 3_000)]), 'manual', { focus: 'the ports' })
    expect(asked[0]).toMatchObject({ mode: 'manual', request: { focus: 'the ports' } })
  })
})
