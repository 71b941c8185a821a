import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterEach, describe, expect, test } from 'vitest'
import { answer, toolLoop } from './script/script.ts'
import type { SummaryBehaviour } from './script/summary-calls.ts'
import { startWirelab, type Wirelab, type WirelabOptions } from './wirelab.ts'

let running: Wirelab | undefined
afterEach(() => running?.close())

interface Started {
  readonly lab: Wirelab
  readonly anthropic: Anthropic
  readonly openai: OpenAI
}

async function start(options: WirelabOptions = {}): Promise<Started> {
  running = await startWirelab(options)
  const shared = { apiKey: 'any', maxRetries: 0 }
  return {
    lab: running,
    anthropic: new Anthropic({ baseURL: running.url, ...shared }),
    openai: new OpenAI({ baseURL: `${running.url}/v1`, ...shared }),
  }
}

const ASK = { model: 'claude-opus-5', max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hello' }] }
const CHAT = { model: 'gpt-5', messages: [{ role: 'user' as const, content: 'Hello' }] }
/** One token a word. */
const BY_WORDS = (text: string) => text.split(/\s+/).filter((word) => word !== '').length
const words = (count: number) => 'word '.repeat(count)

describe('the window', () => {
  test('a prompt above it is refused in the words of its API, one at it is answered', async () => {
    const { lab, anthropic, openai } = await start({ window: 60, counter: BY_WORDS, sumsOutput: false })
    const ask = (count: number) => ({ ...ASK, messages: [{ role: 'user' as const, content: words(count) }] })
    // `user:` counts too.
    await anthropic.messages.create(ask(59))
    await expect(anthropic.messages.create(ask(60))).rejects.toThrow('prompt is too long: 61 tokens > 60 maximum')
    await expect(openai.chat.completions.create({ model: 'gpt-5', messages: ask(60).messages })).rejects.toMatchObject({
      code: 'context_length_exceeded',
    })
    expect(lab.calls.map(({ outcome, tokens, reason }) => [outcome, tokens, reason])).toEqual([
      ['answered', 60, undefined],
      ['refused', 61, 'overflow'],
      ['refused', 61, 'overflow'],
    ])
  })

  test('input and output cap together: refused, unless the model is one that takes it', async () => {
    const strict = await start({ window: 60, counter: BY_WORDS })
    await expect(strict.anthropic.messages.create(ASK)).rejects.toThrow(
      'input length and `max_tokens` exceed context limit: 2 + 100 > 60',
    )
    await expect(strict.openai.chat.completions.create({ ...CHAT, max_completion_tokens: 100 })).rejects.toThrow(
      'you requested 102 tokens',
    )
    await strict.lab.close()
    const newer = await start({ window: 60, counter: BY_WORDS, sumsOutput: false })
    await newer.anthropic.messages.create(ASK)
    expect(newer.lab.calls[0]?.outcome).toBe('answered')
  })

  test('the counters differ, and a picture costs by its pixels', async () => {
    const counts: number[] = []
    const picture = {
      type: 'base64' as const,
      media_type: 'image/png' as const,
      data: `${PNG_300_BY_250}${'A'.repeat(90_000)}`,
    }
    const content = [
      { type: 'text' as const, text: 'The quick brown fox jumps over the lazy dog. '.repeat(20) },
      { type: 'image' as const, source: picture },
    ]
    for (const counter of ['class-run', 'exact', (text: string) => text.length] as const) {
      const { lab, anthropic } = await start({ counter })
      const ask = { model: ASK.model, messages: [{ role: 'user' as const, content }] }
      counts.push((await anthropic.messages.countTokens(ask)).input_tokens)
      expect(lab.calls[0]).toMatchObject({ kind: 'count', outcome: 'answered', tokens: counts.at(-1) })
      await lab.close()
    }
    const [estimate = 0, exact = 0, characters = 0] = counts
    expect(exact).toBeGreaterThan(300)
    expect(exact).toBeLessThan(310)
    expect(estimate / exact).toBeGreaterThan(0.8)
    // A newer Claude makes more tokens of the same text than GPT.
    expect(estimate / exact).toBeLessThan(1.6)
    expect(characters).toBe('\n\nuser: '.length + 45 * 20 + 100)
  })

  test('bytes are a limit of their own', async () => {
    const { lab, anthropic } = await start({ bytesLimit: 1000 })
    const long = { ...ASK, messages: [{ role: 'user' as const, content: 'é'.repeat(500) }] }
    await expect(anthropic.messages.create(long)).rejects.toMatchObject({ status: 413 })
    expect(lab.calls[0]).toMatchObject({ outcome: 'refused', reason: 'too-many-bytes' })
    await anthropic.messages.create(ASK)
  })
})

/** The first bytes of a picture of 300 × 250 pixels: 100 tokens. */
const PNG_300_BY_250 = Buffer.concat([
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]),
  Buffer.from('IHDR'),
  Buffer.from([0, 0, 1, 44, 0, 0, 0, 250]),
]).toString('base64')

describe('faults', () => {
  test('overflow before the first byte, three times, then the answer', async () => {
    const { lab, anthropic } = await start({
      window: 1000,
      faults: [{ kind: 'overflow', when: 'before-first-byte', times: 3 }],
    })
    for (const _ of [1, 2, 3]) {
      await expect(anthropic.messages.create(ASK)).rejects.toThrow('prompt is too long: 1001 tokens > 1000 maximum')
    }
    await anthropic.messages.create(ASK)
    expect(lab.calls.map(({ outcome }) => outcome)).toEqual(['faulted', 'faulted', 'faulted', 'answered'])
    expect(lab.faultsLeft).toBe(0)
  })

  test('overflow in the middle of a stream, and before its content, hit streams alone', async () => {
    const { lab, anthropic, openai } = await start({ script: answer('A long enough answer.') })
    for (const when of ['mid-stream', 'before-content'] as const) {
      lab.inject({ kind: 'overflow', when, times: 2 })
      await anthropic.messages.create(ASK)
      let text = ''
      const stream = anthropic.messages.stream(ASK).on('text', (delta) => {
        text += delta
      })
      await expect(stream.finalMessage()).rejects.toThrow('prompt is too long: 200001 tokens > 200000 maximum')
      const chat = openai.chat.completions.stream(CHAT).finalChatCompletion()
      await expect(chat).rejects.toThrow("This model's maximum context length is 200000 tokens")
      expect(text === '').toBe(when === 'before-content')
    }
    expect(lab.calls.map(({ outcome, reason, status }) => [outcome, reason, status])).toEqual(
      [1, 2].flatMap(() => [
        ['answered', undefined, 200],
        ['faulted', 'overflow', 200],
        ['faulted', 'overflow', 200],
      ]),
    )
  })

  test('a wording of any provider, and a window of its own', async () => {
    const { lab, openai } = await start()
    lab.inject({ kind: 'overflow', when: 'before-first-byte', wording: 'kimi', window: 5000 })
    await expect(openai.chat.completions.create(CHAT)).rejects.toThrow(
      'exceeded model token limit: 5000 (requested: 5001)',
    )
    const when = 'before-first-byte'
    expect(() => lab.inject({ kind: 'overflow', when, wording: 'z-ai' })).toThrow(RangeError)
    expect(() => lab.inject({ kind: 'overflow', when, wording: 'acme' })).toThrow('no overflow wording')
    expect(() => lab.inject({ kind: '529', times: 0 })).toThrow(RangeError)
  })

  test('rate limits with and without a body, HTML, overload', async () => {
    const { lab, anthropic } = await start({ faults: [{ kind: 'rate-limit', body: true }] })
    const raw = async () => {
      const response = await fetch(`${lab.url}/v1/messages`, { method: 'POST', body: JSON.stringify(ASK) })
      return [response.status, response.headers.get('content-type'), (await response.text()).slice(0, 14)]
    }
    await expect(anthropic.messages.create(ASK)).rejects.toMatchObject({ status: 429, type: 'rate_limit_error' })
    lab.inject({ kind: 'rate-limit', body: false })
    expect(await raw()).toEqual([429, null, ''])
    lab.inject({ kind: '413-html' })
    expect(await raw()).toEqual([413, 'text/html', '<html>\r\n<head>'])
    lab.inject({ kind: '529' })
    await expect(anthropic.messages.create(ASK)).rejects.toMatchObject({ status: 529, type: 'overloaded_error' })
    lab.inject({ kind: '413' })
    await expect(anthropic.messages.create(ASK)).rejects.toMatchObject({ status: 413, type: 'request_too_large' })
    lab.inject({ kind: 'reasoning-bound' })
    await expect(anthropic.messages.create(ASK)).rejects.toThrow('bound to a different conversation')
  })

  test('a stall lasts until the client goes away', async () => {
    const { lab, anthropic } = await start({
      faults: [{ kind: 'stall' }, { kind: 'stall', when: 'before-first-byte' }],
    })
    const first = anthropic.messages.stream(ASK)
    const aborted = expect(first.finalMessage()).rejects.toThrow('aborted')
    await new Promise((resolve) => first.once('text', resolve))
    first.abort()
    await aborted
    expect(await lab.calls[0]?.end).toBe('client-gone')

    const silent = new AbortController()
    const second = anthropic.messages.create(ASK, { signal: silent.signal })
    while (lab.calls.length < 2) await new Promise((resolve) => setImmediate(resolve))
    silent.abort()
    await expect(second).rejects.toThrow('aborted')
    expect(await lab.calls[1]?.end).toBe('client-gone')
    await anthropic.messages.create(ASK)
  })

  test('a connection that breaks off', async () => {
    const { lab, anthropic } = await start({ faults: [{ kind: 'disconnect' }] })
    await expect(anthropic.messages.stream(ASK).finalMessage()).rejects.toThrow()
    expect(lab.calls[0]).toMatchObject({ outcome: 'faulted', reason: 'disconnect' })
  })

  test('closing ends a stream that stalls', async () => {
    const { lab, anthropic } = await start({ faults: [{ kind: 'stall' }] })
    const stream = anthropic.messages.stream(ASK)
    const broken = expect(stream.finalMessage()).rejects.toThrow()
    await new Promise((resolve) => stream.once('text', resolve))
    await lab.close()
    await broken
  })

  test('only one purpose, and only after some calls', async () => {
    const { lab, anthropic } = await start({
      faults: [
        { kind: '529', only: 'summary' },
        { kind: 'rate-limit', body: true, only: 'main', after: 1 },
      ],
    })
    await anthropic.messages.create(ASK)
    await expect(anthropic.messages.create(ASK)).rejects.toMatchObject({ status: 429 })
    await expect(anthropic.messages.create(SUMMARY)).rejects.toMatchObject({ status: 529 })
    await anthropic.messages.create(ASK)
    expect(lab.faultsLeft).toBe(0)
  })

  test('a broken request uses no fault up', async () => {
    const { lab, anthropic } = await start({ faults: [{ kind: '529' }] })
    await expect(anthropic.messages.create({ ...ASK, messages: [] })).rejects.toMatchObject({ status: 400 })
    expect(lab.faultsLeft).toBe(1)
  })
})

const SUMMARY = {
  ...ASK,
  system: 'You summarize.',
  messages: [{ role: 'user' as const, content: '<transcript>\nuser: do it\n</transcript>\nSummarize.' }],
}

describe('summary calls', () => {
  test.each<[SummaryBehaviour, object]>([
    ['normal', { stop_reason: 'end_turn', content: [{ text: expect.stringContaining('Next step:') }] }],
    ['empty', { stop_reason: 'end_turn', content: [] }],
    ['whitespace', { content: [{ text: expect.stringMatching(/^\s+$/) }] }],
    ['reasoning-only', { stop_reason: 'end_turn', content: [{ type: 'thinking' }] }],
    ['refusal', { stop_reason: 'refusal' }],
    ['length', { stop_reason: 'max_tokens', content: [{ text: expect.stringContaining('The user asked') }] }],
    ['tool-call', { stop_reason: 'tool_use', content: [{ type: 'tool_use', name: 'read_file' }] }],
    ['repeats-input', { content: [{ text: SUMMARY.messages[0]?.content }] }],
    ['nothing-said', { content: [{ text: expect.stringMatching(/no events/i) }] }],
    ['three-words', { content: [{ text: expect.stringMatching(/^\w+ \w+ \w+\.$/) }] }],
  ])('a summariser: %s', async (summarizer, expected) => {
    const { lab, anthropic } = await start({ summarizer, script: answer('main') })
    expect(await anthropic.messages.create(SUMMARY)).toMatchObject(expected)
    expect(await anthropic.messages.stream(SUMMARY).finalMessage()).toMatchObject(expected)
    expect((await anthropic.messages.create(ASK)).content).toEqual([{ type: 'text', text: 'main' }])
    expect(lab.calls.map(({ purpose }) => purpose)).toEqual(['summary', 'summary', 'main'])
  })

  test('a summariser whose input is too large, and one that stalls', async () => {
    const { anthropic } = await start({ summarizer: 'overflow' })
    await expect(anthropic.messages.create(SUMMARY)).rejects.toThrow('prompt is too long')
    await running?.close()
    const stalling = await start({ summarizer: 'stalls' })
    const stream = stalling.anthropic.messages.stream(SUMMARY)
    const aborted = expect(stream.finalMessage()).rejects.toThrow('aborted')
    await new Promise((resolve) => stream.once('text', resolve))
    stream.abort()
    await aborted
    expect(await stalling.lab.calls[0]?.end).toBe('client-gone')
  })

  test('one behaviour after the other, the last one stays; or a script', async () => {
    const { anthropic } = await start({ summarizer: ['empty', 'three-words'] })
    const say = async (client: Anthropic) =>
      (await client.messages.create(SUMMARY)).content.map((one) => 'text' in one && one.text)
    expect([await say(anthropic), await say(anthropic), await say(anthropic)]).toEqual([
      [],
      ['Work was done.'],
      ['Work was done.'],
    ])
    await running?.close()
    const scripted = await start({
      summarizer: ({ answered }) => ({ parts: [{ kind: 'text', text: `No. ${answered}` }] }),
    })
    expect(await say(scripted.anthropic)).toEqual(['No. 0'])
  })

  test('which calls ask for a summary is the caller’s to say', async () => {
    const { lab, anthropic } = await start({ isSummaryCall: (body) => JSON.stringify(body).includes('Hello') })
    await anthropic.messages.create(ASK)
    await anthropic.messages.create(SUMMARY)
    expect(lab.calls.map(({ purpose }) => purpose)).toEqual(['summary', 'main'])
  })
})

describe('the prompt cache', () => {
  const marked = (count: number, ttl: '5m' | '1h' = '5m') => ({
    ...ASK,
    system: [{ type: 'text' as const, text: words(2000), cache_control: { type: 'ephemeral' as const, ttl } }],
    messages: Array.from({ length: count }, (_, at) => ({ role: 'user' as const, content: `Question ${at}` })),
  })

  test('Anthropic: written at a mark, read until its time is over', async () => {
    let now = 0
    const { anthropic } = await start({ counter: BY_WORDS, now: () => now })
    const usage = async (body = marked(1)) => {
      const { usage } = await anthropic.messages.create(body)
      return [usage.input_tokens, usage.cache_creation_input_tokens, usage.cache_read_input_tokens]
    }
    expect(await usage()).toEqual([3, 2000, 0])
    now += 299_000
    expect(await usage(marked(2))).toEqual([6, 0, 2000])
    now += 299_000
    expect(await usage()).toEqual([3, 0, 2000])
    now += 301_000
    expect(await usage(marked(1, '1h'))).toEqual([3, 2000, 0])
    now += 3_599_000
    expect(await usage(marked(1, '1h'))).toEqual([3, 0, 2000])
  })

  test('OpenAI: by itself, in steps of 128 tokens, from 1,024 on', async () => {
    const { openai } = await start({ counter: BY_WORDS })
    const cached = async (system: number, question = 'Hello') => {
      const messages = [
        { role: 'system' as const, content: words(system) },
        { role: 'user' as const, content: question },
      ]
      const { usage } = await openai.chat.completions.create({ model: 'gpt-5', messages })
      return usage?.prompt_tokens_details?.cached_tokens
    }
    expect([await cached(1500), await cached(1500, 'And?')]).toEqual([0, 1408])
    expect([await cached(1000), await cached(1000, 'And?')]).toEqual([0, 0])
  })
})

describe('scripts and paths', () => {
  test('a list that is used up says so', async () => {
    const { lab, anthropic } = await start({ script: [{ parts: [{ kind: 'text', text: 'Once.' }] }] })
    await anthropic.messages.create(ASK)
    await expect(anthropic.messages.create(ASK)).rejects.toThrow('the script has 1 replies')
    expect(lab.calls[1]).toMatchObject({ outcome: 'refused', reason: 'script-used-up' })
  })

  test('a fault does not move a script on', async () => {
    const { lab, anthropic } = await start({
      script: toolLoop({ steps: 1, tool: 'read', resultTokens: 50, final: 'Done.' }),
    })
    lab.inject({ kind: '529' })
    await expect(anthropic.messages.create(ASK)).rejects.toMatchObject({ status: 529 })
    expect((await anthropic.messages.create(ASK)).content).toMatchObject([
      { name: 'read', input: { step: 0, tokens: 50 } },
    ])
    expect((await anthropic.messages.create(ASK)).content).toMatchObject([{ text: 'Done.' }])
    expect((await anthropic.messages.create(ASK)).content).toMatchObject([{ input: { step: 0 } }])
  })

  test('what is no JSON, and what is no path of any API', async () => {
    const { lab } = await start()
    const post = async (path: string, body: string) => {
      const response = await fetch(lab.url + path, { method: 'POST', body })
      return [response.status, await response.json()] as const
    }
    expect(await post('/v1/messages', '{')).toMatchObject([
      400,
      { type: 'error', error: { type: 'invalid_request_error' } },
    ])
    expect(await post('/v1/messages/batches', '{}')).toMatchObject([404, { error: { type: 'not_found_error' } }])
    expect(await post('/v1/files', '{}')).toMatchObject([404, { error: { message: expect.any(String) } }])
    expect(lab.calls.map(({ kind, format }) => [kind, format])).toEqual([
      ['generate', 'anthropic-messages'],
      ['unknown', undefined],
      ['unknown', undefined],
    ])
  })

  test('every call is recorded whole', async () => {
    const { lab, anthropic } = await start()
    await anthropic.messages.create(ASK, { headers: { 'x-mine': 'yes' } })
    const [call] = lab.calls
    expect(call).toMatchObject({ method: 'POST', path: '/v1/messages', body: ASK, status: 200, usage: { output: 3 } })
    expect(call?.headers).toMatchObject({ 'x-mine': 'yes', 'content-type': 'application/json' })
    expect(JSON.parse(call?.bodyText ?? '')).toEqual(call?.body)
  })

  test('loopback only', async () => {
    const { lab } = await start()
    expect(lab.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  })
})
