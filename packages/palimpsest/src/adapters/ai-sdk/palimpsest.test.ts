import type { LanguageModelV3CallOptions, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { APICallError } from '@ai-sdk/provider'
import { wrapLanguageModel } from 'ai'
import { describe, expect, test } from 'vitest'
import type { CompactorEvent } from '../../compactor/events.ts'
import type { Preset } from '../../engine/presets/preset.ts'
import { PRESETS } from '../../engine/presets/presets.ts'
import { ContextOverflowError, type PalimpsestOptions, palimpsest } from './index.ts'
import { promptOf } from './read-files-prompt.test-data.ts'
import { type ScriptedAnswer, ScriptedModel, tooLarge } from './scripted-model.test-data.ts'

const HANGO = PRESETS.hango as Preset
const DONE: ScriptedAnswer = { text: 'All is done now.' }

function wrapped(answers: readonly ScriptedAnswer[], options: PalimpsestOptions = {}) {
  const model = new ScriptedModel(answers)
  const events: CompactorEvent[] = []
  const onEvent = (event: CompactorEvent) => void events.push(event)
  const middleware = palimpsest({ summarizer: 'extractive', onEvent, ...options })
  return { model, events, outer: wrapLanguageModel({ model, middleware }) }
}

async function partsOf(stream: ReadableStream<LanguageModelV3StreamPart>): Promise<LanguageModelV3StreamPart[]> {
  const parts: LanguageModelV3StreamPart[] = []
  for await (const part of stream) parts.push(part)
  return parts
}

const applied = (events: readonly CompactorEvent[]) => events.filter((event) => event.type === 'compaction-applied')

describe('a call that fits', () => {
  test('goes out as the same object, and its answer comes back as the same object', async () => {
    const { model, outer } = wrapped([DONE])
    const params = { prompt: promptOf(2), providerOptions: { openai: { user: 'u' } } }
    const result = await outer.doGenerate(params)
    expect(model.seen[0]).toBe(params)
    expect(result.content).toEqual([{ type: 'text', text: 'All is done now.' }])
  })

  test('its stream comes back part by part as it was', async () => {
    const { outer } = wrapped([DONE])
    const own = await partsOf((await new ScriptedModel([DONE]).doStream({ prompt: promptOf(2) })).stream)
    expect(await partsOf((await outer.doStream({ prompt: promptOf(2) })).stream)).toEqual(own)
  })

  test('our own options do not reach the provider', async () => {
    const { model, outer } = wrapped([DONE])
    const providerOptions = { palimpsest: { session: 's', namespace: 'n' }, openai: { user: 'u' } }
    await outer.doGenerate({ prompt: promptOf(1), providerOptions })
    await outer.doGenerate({ prompt: promptOf(1), providerOptions: { palimpsest: { session: 's' } } })
    expect(model.seen.map((one) => one.providerOptions)).toEqual([{ openai: { user: 'u' } }, undefined])
  })

  test('an option of ours with another type is refused by name', async () => {
    const { outer } = wrapped([DONE])
    const call = outer.doGenerate({ prompt: promptOf(1), providerOptions: { palimpsest: { session: 7 } } })
    await expect(call).rejects.toMatchObject({ code: 'invalid-input', message: expect.stringContaining('session') })
  })
})

describe('a call that does not fit', () => {
  test('is compacted before it is sent, and keeps system, task and the caller’s objects', async () => {
    const { model, outer, events } = wrapped([DONE], { window: 12_000 })
    const params = deepFrozen({ prompt: promptOf(24), maxOutputTokens: 500 })
    await outer.doGenerate(params)
    const sent = model.seen[0] as LanguageModelV3CallOptions
    expect(applied(events)).toHaveLength(1)
    expect(JSON.stringify(sent.prompt).length).toBeLessThan(JSON.stringify(params.prompt).length / 2)
    expect(sent.prompt[0]).toMatchObject({ role: 'system', content: 'You are careful.' })
    expect(JSON.stringify(sent.prompt)).toContain('Never touch the vault.')
  })

  test('twice gives the same bytes and one compaction; the next step extends them', async () => {
    const { model, outer, events } = wrapped([DONE], { window: 12_000 })
    const prompt = promptOf(24)
    await outer.doGenerate({ prompt, maxOutputTokens: 500 })
    await outer.doGenerate({ prompt, maxOutputTokens: 500 })
    await outer.doGenerate({ prompt: [...prompt, ...promptOf(25).slice(-2)], maxOutputTokens: 500 })
    const [first, second, third] = model.seen.map((one) => one.prompt)
    expect(second).toEqual(first)
    expect(third?.slice(0, first?.length)).toEqual(first)
    expect(applied(events)).toHaveLength(1)
  })

  test.each(['session', 'namespace'] as const)('another %s shares nothing of it', async (name) => {
    const { events, outer } = wrapped([DONE], { window: 12_000 })
    const call = (value: string) =>
      outer.doGenerate({ prompt: promptOf(24), providerOptions: { palimpsest: { [name]: value } } })
    await call('one')
    await call('two')
    expect(applied(events)).toHaveLength(2)
  })

  test('the session of the options names all calls, that of a call beats it', async () => {
    const { events, outer } = wrapped([DONE], { window: 12_000, session: 'mine' })
    await outer.doGenerate({ prompt: promptOf(24) })
    await outer.doGenerate({ prompt: promptOf(24), providerOptions: { palimpsest: { session: 'other' } } })
    expect(applied(events).map((event) => event.session)).toEqual(['mine', 'other'])
  })
})

describe('an overflow', () => {
  test.each(['doGenerate', 'doStream'] as const)('that %s throws is retried with less', async (way) => {
    const { model, outer, events } = wrapped([{ throws: tooLarge(20_000, 12_000) }, DONE])
    const params = { prompt: promptOf(24), maxOutputTokens: 500 }
    await (way === 'doGenerate' ? outer.doGenerate(params) : outer.doStream(params))
    expect(model.seen).toHaveLength(2)
    expect(JSON.stringify(model.seen[1]?.prompt).length).toBeLessThan(JSON.stringify(params.prompt).length)
    expect(events.some((event) => event.type === 'overflow-detected')).toBe(true)
  })

  test('in a stream before its first content is not seen, and that stream is given up', async () => {
    const { model, outer } = wrapped([{ error: tooLarge(20_000, 12_000) }, DONE])
    const parts = await partsOf((await outer.doStream({ prompt: promptOf(24), maxOutputTokens: 500 })).stream)
    expect(parts.some((part) => part.type === 'error')).toBe(false)
    expect(parts.filter((part) => part.type === 'stream-start')).toHaveLength(1)
    expect(model.cancelled).toBe('cancelled')
  })

  test('after its first content is handed on as it is', async () => {
    const failure = tooLarge(20_000, 12_000)
    const { model, outer } = wrapped([{ text: 'Some words ', error: failure }, DONE])
    const parts = await partsOf((await outer.doStream({ prompt: promptOf(24), maxOutputTokens: 500 })).stream)
    expect(parts.find((part) => part.type === 'error')).toEqual({ type: 'error', error: failure })
    expect(model.seen).toHaveLength(1)
  })

  test('of a rate bucket that the request can never pass is retried with less, and not as it was', async () => {
    const bucket = new APICallError({
      message: 'Request too large for model on tokens per minute (TPM): Limit 4000, Requested 9000',
      url: 'https://api.example/v1/chat/completions',
      requestBodyValues: {},
      statusCode: 429,
    })
    expect(bucket.isRetryable).toBe(true)
    const { model, outer } = wrapped([{ throws: bucket }, DONE])
    await outer.doGenerate({ prompt: promptOf(24), maxOutputTokens: 500 })
    const [first, second] = model.seen.map((one) => JSON.stringify(one.prompt).length)
    expect(second).toBeLessThan((first ?? 0) / 2)
  })

  test('in every attempt ends with one error that names its cause', async () => {
    const { model, outer } = wrapped([{ throws: tooLarge(20_000, 12_000) }])
    const error = await Promise.resolve(outer.doGenerate({ prompt: promptOf(24) })).catch((one: unknown) => one)
    expect(error).toBeInstanceOf(ContextOverflowError)
    expect(model.seen.length).toBeLessThanOrEqual(3)
    expect(error).not.toHaveProperty('isRetryable')
  })
})

describe('any other failure', () => {
  const failure = new TypeError('no network')

  test.each(['doGenerate', 'doStream'] as const)('that %s throws is the caller’s', async (way) => {
    const { model, outer } = wrapped([{ throws: failure }])
    await expect(outer[way]({ prompt: promptOf(1) })).rejects.toBe(failure)
    expect(model.seen).toHaveLength(1)
  })

  test('in a stream before its first content is handed on, with what came before it', async () => {
    const { outer } = wrapped([{ error: failure }])
    const parts = await partsOf((await outer.doStream({ prompt: promptOf(1) })).stream)
    expect(parts.map((part) => part.type)).toEqual(['stream-start', 'response-metadata', 'error', 'finish'])
  })
})

describe('a stream', () => {
  test('is read only as far as it is asked for', async () => {
    const { model, outer } = wrapped([{ text: 'one two three four five six' }])
    const { stream } = await outer.doStream({ prompt: promptOf(1) })
    const atFirstContent = model.pulled
    expect(atFirstContent).toBe(4)
    const reader = stream.getReader()
    for (let read = 0; read < 4; read++) await reader.read()
    expect(model.pulled).toBe(atFirstContent)
    await reader.read()
    expect(model.pulled).toBe(atFirstContent + 1)
  })

  test('that is cancelled cancels the provider’s, with the reason', async () => {
    const { model, outer } = wrapped([DONE])
    const { stream } = await outer.doStream({ prompt: promptOf(1) })
    await stream.cancel('enough')
    expect(model.cancelled).toBe('enough')
  })

  test('tells its usage, which the next estimate goes by', async () => {
    const { outer, events } = wrapped([{ text: 'words', usage: 777 }])
    await partsOf((await outer.doStream({ prompt: promptOf(1) })).stream)
    const observed = events.filter((event) => event.type === 'usage-observed')
    expect(observed.map((event) => event.usage.input)).toEqual([777])
  })
})

describe('the summary', () => {
  const SUMMARY = `The files were read one after the other. The vault was not touched. ${'Values were noted. '.repeat(20)}`

  test.each(['doGenerate', 'doStream'] as const)('is asked of the run’s own model, by %s, alone', async (way) => {
    const { model, outer } = wrapped([{ text: SUMMARY }], { window: 12_000, summarizer: 'model', preset: HANGO })
    const providerOptions = {
      anthropic: { thinking: { type: 'enabled', budgetTokens: 2_000 } },
      openai: { store: false },
    }
    const tools = [{ type: 'function' as const, name: 'read', inputSchema: { type: 'object' as const } }]
    const params = {
      prompt: promptOf(24),
      maxOutputTokens: 4_000,
      tools,
      headers: { 'x-tenant': 'a' },
      providerOptions,
    }
    await (way === 'doGenerate' ? outer.doGenerate(params) : outer.doStream(params))
    const [summary] = model.seen
    const main = model.seen.at(-1)
    expect(summary).toMatchObject({ headers: { 'x-tenant': 'a' }, providerOptions: { openai: { store: false } } })
    expect(summary?.tools).toBeUndefined()
    expect(JSON.stringify(summary?.providerOptions)).not.toContain('thinking')
    expect(JSON.stringify(summary?.prompt)).not.toContain('You are careful.')
    expect(main?.tools).toBe(tools)
    expect(JSON.stringify(main?.prompt)).toContain('Values were noted.')
  })

  test('of another model gets nothing of the run’s provider', async () => {
    const other = new ScriptedModel([{ text: SUMMARY }], 'small', 'other')
    const { model, outer } = wrapped([DONE], { window: 12_000, summarizer: { model: other }, preset: HANGO })
    await outer.doGenerate({ prompt: promptOf(24), headers: { 'x-tenant': 'a' }, maxOutputTokens: 500 })
    expect(model.seen).toHaveLength(1)
    expect(other.seen).toHaveLength(1)
    expect(other.seen[0]?.headers).toBeUndefined()
  })

  test('that fails twice is written without a model', async () => {
    const { model, outer, events } = wrapped([{ text: '' }, { text: '' }, DONE], {
      window: 12_000,
      summarizer: 'model',
      preset: HANGO,
    })
    await outer.doGenerate({ prompt: promptOf(24), maxOutputTokens: 500 })
    expect(model.seen).toHaveLength(3)
    expect(events.filter((event) => event.type === 'summary-rejected')).toHaveLength(2)
    expect(applied(events)).toHaveLength(1)
  })
})

test('a turn that is aborted while it is compacted ends with the reason, and the model is not called', async () => {
  const turn = new AbortController()
  const never = new Promise<never>(() => {})
  const { model, outer } = wrapped([DONE], {
    window: 12_000,
    preset: HANGO,
    summarizer: () => {
      turn.abort(new Error('the user left'))
      return never
    },
  })
  const call = outer.doGenerate({ prompt: promptOf(24), abortSignal: turn.signal })
  await expect(call).rejects.toThrow('the user left')
  expect(model.seen).toHaveLength(0)
})

describe('a cap that the call does not name', () => {
  test('and Anthropic’s provider would set is lowered where it does not fit', async () => {
    const model = new ScriptedModel([DONE], 'claude-sonnet-4-5', 'anthropic.messages')
    const outer = wrapLanguageModel({ model, middleware: palimpsest({ window: 12_000, summarizer: 'extractive' }) })
    await outer.doGenerate({ prompt: promptOf(2) })
    expect(model.seen[0]?.maxOutputTokens).toBeGreaterThan(1_000)
    expect(model.seen[0]?.maxOutputTokens).toBeLessThan(12_000)
  })

  test('is never set for other providers', async () => {
    const { model, outer } = wrapped([DONE], { window: 12_000 })
    await outer.doGenerate({ prompt: promptOf(24) })
    expect(model.seen[0]).not.toHaveProperty('maxOutputTokens')
  })
})

describe('a history that lies at the provider', () => {
  const pointing = (own = {}) => ({
    prompt: promptOf(24),
    maxOutputTokens: 500,
    providerOptions: { openai: { previousResponseId: 'resp_1', store: true }, palimpsest: own },
  })

  test('is left to it: nothing is changed, and an overflow says where the history is', async () => {
    const { model, outer } = wrapped([DONE, { throws: tooLarge(20_000, 12_000) }], { window: 12_000 })
    const params = pointing()
    await outer.doGenerate(params)
    expect(model.seen[0]?.prompt).toBe(params.prompt)
    await expect(outer.doGenerate(params)).rejects.toMatchObject({ code: 'history-on-server' })
  })

  test('that the prompt holds too is compacted, and the pointer leaves in the same step', async () => {
    const { model, outer } = wrapped([DONE], { window: 12_000 })
    await outer.doGenerate(pointing({ wholeHistory: true }))
    expect(model.seen[0]?.prompt.length).toBeLessThan(49)
    expect(model.seen[0]?.providerOptions).toEqual({ openai: { store: true } })
  })
})

function deepFrozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) deepFrozen(inner)
    Object.freeze(value)
  }
  return value
}
