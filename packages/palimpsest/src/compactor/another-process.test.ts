import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AnthropicMessage, AnthropicRequest } from '../dialects/anthropic-messages/index.ts'
import { memoryStores } from '../stores/memory-stores.ts'
import type { Stores } from '../stores/ports.ts'
import type { Summarizer } from '../summarizers/summarizer.ts'
import type { CompactorOptions } from './compactor.ts'
import { CountingServer, callModel, requestOf, toolStep, watchedCompactor } from './live-session.test-data.ts'

const TASK: AnthropicMessage = { role: 'user', content: 'Tidy src/file-1.ts. Never touch the database.' }
const WINDOW = 12_000

/** Compactions after a move, and requests after one. */
const seen = { compacted: 0, moved: 0 }

describe('a conversation that goes on in another process', () => {
  it('E7 sends the same bytes as it would have sent in the first, wherever it moved', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ characters: fc.integer({ min: 40, max: 9_000 }), moves: fc.boolean() }), {
          minLength: 6,
          maxLength: 14,
        }),
        fc.double({ min: 2.4, max: 5, noNaN: true }),
        fc.boolean(),
        async (steps, charactersPerToken, summariserFails) => {
          const server = new CountingServer(WINDOW, charactersPerToken)
          const stayed = processes(server, summariserFails)
          const moved = processes(server, summariserFails)
          const messages: AnthropicMessage[] = [TASK]
          for (const [number, { characters, moves }] of steps.entries()) {
            messages.push(...toolStep(number, characters))
            if (moves) moved.restart()
            expect(await moved.send(messages)).toBe(await stayed.send(messages))
          }
        },
      ),
      { numRuns: 40 },
    )
    for (const times of Object.values(seen)) expect(times).toBeGreaterThan(10)
  })
})

describe('a caller who keeps the record in force himself', () => {
  const messages = [TASK, ...Array.from({ length: 12 }, (_, number) => toolStep(number, 3_000)).flat()]
  const short = messages.slice(0, 5)

  it('BB-19 shows the originals after he took a compaction back, and the summary where he did not', async () => {
    const stores = memoryStores()
    const { compactor } = watchedCompactor({ window: WINDOW, stores, preset: summaryOnly })
    const { record } = await compactor.compactNow(requestOf(short), 'manual', { session: 's', record: null })
    expect(record).toBeDefined()
    const fresh = watchedCompactor({ window: WINDOW, stores, preset: summaryOnly }).compactor
    for (const one of [compactor, fresh]) {
      const found = await one.prepare(requestOf(short), { session: 's' })
      expect(found.recordId).toBe(record?.key)
      const back = await one.prepare(requestOf(short), { session: 's', record: null })
      expect(back.recordId).toBeUndefined()
      expect(back.request).toEqual(requestOf(short))
      const forth = await one.prepare(requestOf(short), { session: 's', record: record ?? null })
      expect(forth.request).toEqual(found.request)
    }
  })

  it('goes down the ladder from there, also when the provider refuses', async () => {
    const { compactor } = watchedCompactor({ window: 100_000, stores: memoryStores() })
    const server = new CountingServer(9_000)
    const { record, compacted } = await callModel(compactor, server, requestOf(messages), {
      session: 's',
      record: null,
    })
    expect(compacted).toBe(true)
    const longer = [...messages, ...toolStep(50, 100)]
    const next = await callModel(compactor, server, requestOf(longer), { session: 's', record: record ?? null })
    expect(server.refused.length).toBeGreaterThan(0)
    expect(next.recordId).toBe(record?.key)
  })

  it('is told where he names what is no record, or one of a longer conversation', async () => {
    const { compactor } = watchedCompactor({ window: WINDOW, preset: summaryOnly })
    const { record } = await compactor.prepare(requestOf(messages), { session: 's' })
    const wrong = compactor.prepare(requestOf(short), { record: { key: 'k' } as never })
    await expect(wrong).rejects.toMatchObject({ code: 'invalid-input' })
    const longer = compactor.prepare(requestOf(short), { record: record ?? null })
    await expect(longer).rejects.toMatchObject({ code: 'plan-mismatch' })
  })
})

describe('several processes with one store', () => {
  const CROWD = 8

  it('compact one conversation once, with one call of the summariser, and send the same bytes', async () => {
    const stores = memoryStores()
    const calls: string[] = []
    const summarizer: Summarizer = async ({ request }) => {
      calls.push(JSON.stringify(request.ranges))
      await new Promise((resolve) => setImmediate(resolve))
      return { status: 'written', text: SUMMARY, by: 'm', usage: { input: 1, output: 1 }, rejected: [] }
    }
    const messages = [TASK, ...Array.from({ length: 12 }, (_, number) => toolStep(number, 3_000)).flat()]
    const sent = await Promise.all(
      Array.from({ length: CROWD }, async () => {
        const { compactor } = watchedCompactor({ window: WINDOW, stores, summarizer, preset: summaryOnly })
        return JSON.stringify((await compactor.prepare(requestOf(messages))).request)
      }),
    )
    expect(new Set(sent).size).toBe(1)
    expect(sent[0]).toContain(SUMMARY)
    expect(calls).toHaveLength(1)
  })

  it('do not wait for ever for one that does not end: each goes on by itself', async () => {
    const stores = memoryStores()
    const { records } = stores
    const never: Stores = { ...stores, records: { ...records, alone: () => Promise.reject(new Error('no turn')) } }
    const { compactor, events } = watchedCompactor({ window: WINDOW, stores: never })
    const messages = [TASK, ...Array.from({ length: 12 }, (_, number) => toolStep(number, 3_000)).flat()]
    expect((await compactor.prepare(requestOf(messages))).compacted).toBe(true)
    expect(events.map(({ type }) => type)).toContain('store-failed')
  })

  it.each(['alone', 'list'] as const)(
    'ask no summariser for a caller who left while they waited for the store (%s)',
    async (call) => {
      const stores = memoryStores()
      const gate = deferred<void>()
      const asked = deferred<AbortSignal | undefined>()
      const waiting = async (signal: AbortSignal | undefined) => {
        asked.resolve(signal)
        await gate.promise
      }
      let lists = 0
      const records: Stores['records'] = {
        ...stores.records,
        alone: async (root, run, options) => {
          if (call === 'alone') await waiting(options?.signal)
          return stores.records.alone(root, run, options)
        },
        list: async (root, options) => {
          // the first is before the turn is asked for
          if (call === 'list' && ++lists === 2) await waiting(options?.signal)
          return stores.records.list(root, options)
        },
      }
      let summaries = 0
      const summarizer: Summarizer = async () => {
        summaries += 1
        return { status: 'written', text: SUMMARY, by: 'm', usage: { input: 1, output: 1 }, rejected: [] }
      }
      const options = { window: WINDOW, stores: { ...stores, records }, summarizer, preset: summaryOnly }
      const { compactor } = watchedCompactor(options)
      const messages = [TASK, ...Array.from({ length: 12 }, (_, number) => toolStep(number, 3_000)).flat()]
      const caller = new AbortController()
      const left = compactor.prepare(requestOf(messages), { signal: caller.signal })
      const signal = await asked.promise
      caller.abort(new Error('gone'))
      await expect(left).rejects.toThrow('gone')
      if (call === 'alone') expect(signal?.aborted).toBe(true)
      gate.resolve()
      const another = watchedCompactor(options).compactor
      expect((await another.prepare(requestOf(messages))).compacted).toBe(true)
      await new Promise((resolve) => setImmediate(resolve))
      expect(summaries).toBe(1)
    },
  )

  const SUMMARY = 'All files were read; src/file-1.ts is tidied; the database stays as it is.'
})

function deferred<Value>() {
  let resolve: (value: Value) => void = () => {}
  const promise = new Promise<Value>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

/** One process after the other on the same stores. What was learned goes from one to the next as JSON. */
function processes(server: CountingServer, summariserFails: boolean) {
  const stores = memoryStores()
  let learned: Readonly<Record<string, unknown>> = {}
  const options: Omit<CompactorOptions<AnthropicRequest>, 'dialect'> = {
    window: WINDOW,
    stores,
    ...(summariserFails && { summarizer: () => Promise.reject(new Error('no')), preset: summaryOnly }),
  }
  let { compactor } = watchedCompactor(options)
  return {
    restart() {
      compactor = watchedCompactor(options).compactor
      seen.moved += 1
    },
    async send(messages: readonly AnthropicMessage[]): Promise<string> {
      try {
        const prepared = await callModel(compactor, server, requestOf(messages), { session: 's', learned })
        if (prepared.compacted) seen.compacted += 1
        learned = JSON.parse(JSON.stringify({ 'claude-sonnet-4-5': prepared.learned() }))
        return JSON.stringify(prepared.request)
      } catch (error) {
        return (error as Error).name
      }
    },
  }
}

const summaryOnly = {
  name: 'summary-only',
  triggerWithoutWindow: 170_000,
  keepWithoutWindow: { messages: 6 },
  trigger: { fraction: 0.7, of: 'window' },
  target: 0.5,
  keep: { fraction: 0.1, of: 'window' },
  rungs: [{ strategy: 'summarizeOlder' }],
  summaryFallback: 'none',
} as const

describe('E8 results of tools that are not to be kept', () => {
  const SECRET = 'hunter2-0451'

  it('are in no store, whatever is compacted, and the view holds them while the loop runs', async () => {
    const { stores, written } = recordingStores()
    const { compactor, events } = watchedCompactor({
      window: WINDOW,
      stores,
      toolResults: 'compact',
      reader: { tool: 'read_history' },
    })
    const server = new CountingServer(WINDOW)
    const messages: AnthropicMessage[] = [TASK]
    for (let number = 0; number < 14; number++) {
      messages.push(...secretStep(number, 3_000))
      const { request } = await callModel(compactor, server, requestOf(messages), { session: 's' })
      expect(JSON.stringify(request.messages.at(-1))).toContain(SECRET)
    }
    expect(events.filter(({ type }) => type === 'compaction-applied').length).toBeGreaterThan(0)
    expect(written().length).toBeGreaterThan(1_000)
    expect(written()).not.toContain(SECRET)
    expect(written()).toContain('output not kept: ok, exit code 3'.replace('ok', 'failed'))
  })

  it('may be gone from the transcript when the turn has ended: the same view goes on, without them', async () => {
    const stores = memoryStores()
    const options = { window: WINDOW, stores, toolResults: 'compact' } as const
    const server = new CountingServer(WINDOW)
    const first = watchedCompactor(options)
    const running: AnthropicMessage[] = [TASK]
    for (let number = 0; number < 14; number++) {
      running.push(...secretStep(number, 3_000))
      await callModel(first.compactor, server, requestOf(running), { session: 's' })
    }
    const ended = [...running.map(withoutOutput), { role: 'assistant', content: 'Done.' } as const, NEXT]
    for (const { compactor, events } of [first, watchedCompactor(options)]) {
      const before = events.length
      const { request, recordId, compacted } = await callModel(compactor, server, requestOf(ended), { session: 's' })
      expect(recordId).toBeDefined()
      expect(compacted).toBe(false)
      expect(JSON.stringify(request)).not.toContain(SECRET)
      expect(request.messages.length).toBeLessThan(ended.length)
      expect(events.slice(before).map(({ type }) => type)).not.toContain('reanchored')
    }
  })

  const NEXT: AnthropicMessage = { role: 'user', content: 'And now file-2.' }

  function secretStep(number: number, characters: number): readonly AnthropicMessage[] {
    const [call, result] = toolStep(number, characters)
    const text = JSON.stringify(result)
    return [
      call as AnthropicMessage,
      JSON.parse(text.replace('"content":"', `"content":"Exit code 3\\n${SECRET} `)) as AnthropicMessage,
    ]
  }

  function withoutOutput(message: AnthropicMessage): AnthropicMessage {
    if (!Array.isArray(message.content) || message.role === 'assistant') return message
    const content = message.content.map((block) => ({ ...block, content: '[output not kept: failed, exit code 3]' }))
    return { ...message, content } as AnthropicMessage
  }
})

/** Stores in memory, and all that was ever given to them. */
function recordingStores(): { readonly stores: Stores; written(): string } {
  const { records, artifacts, history, limits } = memoryStores()
  const given: unknown[] = []
  const note = <Args extends readonly unknown[], Result>(write: (...args: Args) => Result) => {
    return (...args: Args): Result => {
      given.push(args)
      return write(...args)
    }
  }
  return {
    stores: {
      records: { ...records, commit: note(records.commit) },
      artifacts: { ...artifacts, put: note(artifacts.put) },
      history: { ...history, append: note(history.append) },
      limits,
    },
    written: () => JSON.stringify(given),
  }
}
