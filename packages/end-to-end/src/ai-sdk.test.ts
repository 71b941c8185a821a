import type { CallRecord } from '@palimpsest/wirelab'
import {
  APICallError,
  generateText,
  type ModelMessage,
  RetryError,
  stepCountIs,
  streamText,
  wrapLanguageModel,
} from 'ai'
import type { CompactorEvent } from 'palimpsest'
import { ContextOverflowError, palimpsest } from 'palimpsest/ai-sdk'
import { describe, expect, test } from 'vitest'
import { historyOf, LONG_LOOP, MODELS, modelAt, readTool, runLoop, TASK } from './ai-sdk.test-data.ts'
import { labsOf } from './labs.test-data.ts'

const WINDOW = 32_000
const { lab } = labsOf(WINDOW)

const WAYS = ['generate', 'stream'] as const
const CASES = Object.keys(MODELS).flatMap((name) => WAYS.map((way) => [name, way] as const))

describe.each(CASES)('%s, %s', (name, way) => {
  test('a loop of 60 steps ends with its answer, and no request is refused', async () => {
    const { url, calls } = await lab({ script: LONG_LOOP })
    const model = wrapLanguageModel({ model: modelAt(name, url), middleware: palimpsest({ window: WINDOW }) })
    expect(await runLoop(way, { model })).toContain('All is read.')
    expect(calls.filter((call) => call.outcome !== 'answered').map(reasonOf)).toEqual([])
    const main = calls.filter((call) => call.purpose === 'main')
    expect(main).toHaveLength(61)
    expect(main.every((call) => call.bodyText.includes(TASK))).toBe(true)
    const summaries = calls.filter((call) => call.purpose === 'summary')
    expect(summaries.length).toBeGreaterThan(0)
    expect(summaries.every((call) => call.stream === (way === 'stream'))).toBe(true)
  })

  test('a window that nobody told is learned from one refusal, which the caller does not see', async () => {
    const { url, calls } = await lab({ script: LONG_LOOP })
    const model = wrapLanguageModel({ model: modelAt(name, url), middleware: palimpsest({ summarizer: 'extractive' }) })
    expect(await runLoop(way, { model })).toContain('All is read.')
    const refused = calls.filter((call) => call.outcome !== 'answered')
    expect(refused.map((call) => call.reason)).toEqual(['overflow'])
  })

  test('a rate limit goes on as it is', async () => {
    const { url, calls } = await lab({ faults: [{ kind: 'rate-limit', body: true }] })
    const model = wrapLanguageModel({ model: modelAt(name, url), middleware: palimpsest() })
    await expect(runLoop(way, { model })).rejects.toSatisfy(
      (error) => APICallError.isInstance(error) && error.statusCode === 429 && error.isRetryable,
    )
    expect(calls).toHaveLength(1)
  })

  test('what stays too large is one error with its cause, and is not retried', async () => {
    const { url, calls } = await lab({ faults: [{ kind: 'overflow', when: 'before-first-byte', times: 9 }] })
    const model = wrapLanguageModel({ model: modelAt(name, url), middleware: palimpsest({ summarizer: 'extractive' }) })
    const error = await runLoop(way, { model, messages: historyOf(12), maxRetries: 2 }).catch((one: unknown) => one)
    expect(RetryError.isInstance(error)).toBe(false)
    expect(error).toBeInstanceOf(ContextOverflowError)
    expect(APICallError.isInstance((error as ContextOverflowError).cause)).toBe(true)
    expect(calls).toHaveLength(3)
  })
})

describe.each(Object.keys(MODELS))('%s, stream', (name) => {
  test('an overflow before the first content is not seen', async () => {
    const { url, calls } = await lab({ faults: [{ kind: 'overflow', when: 'before-content' }] })
    const model = wrapLanguageModel({ model: modelAt(name, url), middleware: palimpsest({ summarizer: 'extractive' }) })
    expect(await runLoop('stream', { model, messages: historyOf(12) })).toBe('Done.')
    const sizes = calls.map((call) => call.bodyText.length)
    expect(sizes).toHaveLength(2)
    expect(sizes[1]).toBeLessThan(sizes[0] ?? 0)
  })

  test('an overflow after it is the provider’s own error, and the next request is compacted before it is sent', async () => {
    const { url, calls } = await lab({ faults: [{ kind: 'overflow', when: 'mid-stream' }] })
    const events: CompactorEvent[] = []
    const middleware = palimpsest({ summarizer: 'extractive', onEvent: (event) => events.push(event) })
    const model = wrapLanguageModel({ model: modelAt(name, url), middleware })
    const messages = historyOf(12)
    const error = await runLoop('stream', { model, messages }).catch((one: unknown) => one)
    expect(error).not.toBeInstanceOf(ContextOverflowError)
    expect(error).not.toBe('Done.')
    expect(calls).toHaveLength(1)
    expect(await runLoop('stream', { model, messages })).toBe('Done.')
    expect(events.flatMap((one) => (one.type === 'compaction-applied' ? [one.reason] : []))).toEqual(['overflow'])
    expect(calls).toHaveLength(2)
    expect(calls[1]?.bodyText.length).toBeLessThan(calls[0]?.bodyText.length ?? 0)
  })
})

describe.each(['anthropic', 'bedrock'])('%s stops at its window', (name) => {
  const cut = { parts: [{ kind: 'text', text: 'Half an ans' }], finish: 'context-window' } as const
  const whole = { parts: [{ kind: 'text', text: 'The whole answer.' }] } as const

  test('an answer that was cut is asked for again, and only the whole one is seen', async () => {
    const { url, calls } = await lab({ script: [cut, whole] })
    const model = wrapLanguageModel({ model: modelAt(name, url), middleware: palimpsest({ summarizer: 'extractive' }) })
    expect(await runLoop('generate', { model, messages: historyOf(12) })).toBe('The whole answer.')
    expect(calls[1]?.tokens).toBeLessThan(calls[0]?.tokens ?? 0)
  })

  test('one that cannot be had whole is better than none', async () => {
    const { url } = await lab({ script: [cut, cut] })
    const model = wrapLanguageModel({ model: modelAt(name, url), middleware: palimpsest({ summarizer: 'extractive' }) })
    expect(await runLoop('generate', { model, messages: historyOf(12) })).toBe('Half an ans')
  })

  test('a stream that was cut is seen, and the next request is compacted', async () => {
    const { url, calls } = await lab({ script: [cut, whole] })
    const model = wrapLanguageModel({ model: modelAt(name, url), middleware: palimpsest({ summarizer: 'extractive' }) })
    const messages: ModelMessage[] = [...historyOf(12)]
    expect(await runLoop('stream', { model, messages })).toBe('Half an ans')
    messages.push({ role: 'assistant', content: 'Half an ans' }, { role: 'user', content: 'Go on.' })
    expect(await runLoop('stream', { model, messages })).toBe('The whole answer.')
    expect(calls[1]?.tokens).toBeLessThan(calls[0]?.tokens ?? 0)
  })
})

test.each(['413', '413-html'] as const)('a body that is too large (%s) is sent again with less', async (kind) => {
  const { url, calls } = await lab({ faults: [{ kind, only: 'main' }] })
  const model = wrapLanguageModel({ model: modelAt('anthropic', url), middleware: palimpsest({ window: WINDOW }) })
  expect(await runLoop('generate', { model, messages: historyOf(40) })).toBe('Done.')
  const [first, second] = calls.filter((call) => call.purpose === 'main').map((call) => call.bodyText.length)
  expect(second).toBeLessThan(first ?? 0)
})

test('a connection that breaks off is the caller’s, and no overflow', async () => {
  const { url, calls } = await lab({ faults: [{ kind: 'disconnect' }] })
  const events: CompactorEvent[] = []
  const middleware = palimpsest({ onEvent: (event) => events.push(event) })
  const model = wrapLanguageModel({ model: modelAt('anthropic', url), middleware })
  const error = await runLoop('stream', { model, messages: historyOf(12) }).catch((one: unknown) => one)
  expect(error).toBeInstanceOf(Error)
  expect(error).not.toBeInstanceOf(ContextOverflowError)
  expect(await runLoop('stream', { model, messages: historyOf(12) })).toBe('Done.')
  expect(calls.map((call) => call.bodyText.length)).toEqual([calls[0]?.bodyText.length, calls[0]?.bodyText.length])
  expect(events.some((event) => event.type === 'compaction-started')).toBe(false)
})

test('a turn that is aborted ends at once, also where the provider has not answered', async () => {
  const { url, calls } = await lab({ faults: [{ kind: 'stall', when: 'before-content' }] })
  const model = wrapLanguageModel({ model: modelAt('anthropic', url), middleware: palimpsest({ window: WINDOW }) })
  const turn = new AbortController()
  const result = streamText({ model, prompt: TASK, abortSignal: turn.signal, maxOutputTokens: 2_000 })
  const ended = result.consumeStream()
  await expect.poll(() => calls.length).toBe(1)
  turn.abort()
  await ended
  expect(await calls[0]?.end).toBe('client-gone')
})

test('an output cap that only Anthropic’s provider sets is lowered where input and output do not fit together', async () => {
  const { url, calls } = await lab({})
  const events: CompactorEvent[] = []
  const middleware = palimpsest({ onEvent: (event) => events.push(event) })
  const model = wrapLanguageModel({ model: modelAt('anthropic', url), middleware })
  const { text } = await generateText({ model, messages: historyOf(12), tools: { read: readTool }, maxRetries: 0 })
  expect(text).toBe('Done.')
  expect(calls.map((call) => call.outcome)).toEqual(['refused', 'answered'])
  expect(events.some((event) => event.type === 'compaction-started')).toBe(false)
})

describe('OpenAI Responses stores what it answered', () => {
  const storing = { openai: { store: true } }

  test('and what left the prompt is not pointed at any more', async () => {
    const { url, calls } = await lab({ script: LONG_LOOP })
    const model = wrapLanguageModel({
      model: modelAt('openai responses', url),
      middleware: palimpsest({ window: WINDOW }),
    })
    await generateText({
      model,
      prompt: TASK,
      tools: { read: readTool },
      stopWhen: stepCountIs(200),
      providerOptions: storing,
    })
    const bodies = calls.filter((call) => call.purpose === 'main').map((call) => call.body as ResponsesBody)
    const counts = bodies.map(({ input }) => input.filter((item) => item.type === 'item_reference').length)
    expect(Math.max(...counts)).toBeGreaterThan(5)
    expect(counts.at(-1)).toBeLessThan(Math.max(...counts))
    const owners = new Map<string, string>()
    for (const { input } of bodies) {
      for (const [at, item] of input.entries()) {
        if (item.type !== 'item_reference') continue
        const owner = input[at + 1]?.call_id ?? 'nothing'
        expect(owners.get(item.id ?? '') ?? owner).toBe(owner)
        owners.set(item.id ?? '', owner)
      }
    }
  })

  test('and a pointer at the whole history leaves with the first compaction of a prompt that holds it too', async () => {
    const { url, calls } = await lab({})
    const model = wrapLanguageModel({
      model: modelAt('openai responses', url),
      middleware: palimpsest({ window: 12_000, summarizer: 'extractive', wholeHistory: true }),
    })
    const providerOptions = { openai: { ...storing.openai, previousResponseId: 'resp_earlier' } }
    const tools = { read: readTool }
    await generateText({ model, messages: historyOf(4), tools, maxOutputTokens: 500, providerOptions })
    await generateText({ model, messages: historyOf(24), tools, maxOutputTokens: 500, providerOptions })
    const pointers = calls.map((call) => (call.body as ResponsesBody).previous_response_id)
    expect(pointers).toEqual(['resp_earlier', undefined])
  })
})

interface ResponsesBody {
  readonly input: readonly { readonly type?: string; readonly id?: string; readonly call_id?: string }[]
  readonly previous_response_id?: string
}

function reasonOf({ reason, message, status, path }: CallRecord): string {
  return `${status} ${path} ${reason} ${message}`
}
