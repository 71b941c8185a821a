import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type ChatMessage, type ChatRequest, openaiChat } from './index.ts'

const SYSTEM: ChatMessage = { role: 'system', content: 'You help.' }
const DEVELOPER: ChatMessage = { role: 'developer', content: 'be brief' }
const USER: ChatMessage = { role: 'user', content: 'go' }

describe('open', () => {
  test('sets the leading system apart, and only that', () => {
    const tools = [{ type: 'function', function: { name: 'x' } }]
    const opened = openaiChat.open({ model: 'm', tools, messages: [SYSTEM, DEVELOPER, USER, SYSTEM], max_tokens: 100 })
    expect(opened).toEqual({ system: [SYSTEM, DEVELOPER], items: [USER, SYSTEM], model: 'm', tools, outputCap: 100 })
  })
})

describe('close', () => {
  test.each([
    [{ max_tokens: 32_000 }, { max_tokens: 8000 }],
    [{ max_completion_tokens: 32_000 }, { max_completion_tokens: 8000 }],
    [
      { max_completion_tokens: 32_000, max_tokens: 4000 },
      { max_completion_tokens: 8000, max_tokens: 4000 },
    ],
  ])('lowers the cap that is there: %o', (caps, lowered) => {
    const request = { messages: [USER], ...caps }
    const opened = openaiChat.open(request)
    expect(openaiChat.close(request, { ...opened, outputCap: 8000 })).toEqual({ messages: [USER], ...lowered })
    expect(openaiChat.close(request, { ...opened, outputCap: 64_000 })).toBe(request)
  })

  test('adds no cap', () => {
    const request = { messages: [USER] }
    expect(openaiChat.close(request, { ...openaiChat.open(request), outputCap: 8000 })).toBe(request)
  })
})

describe('cache marks', () => {
  const marked = (text: string, mark: object) => ({ role: 'user', content: [{ type: 'text', text, ...mark }] })
  const ephemeral = { cache_control: { type: 'ephemeral' } }

  test('are none where the caller has none: the provider caches by itself', () => {
    const opened = openaiChat.open({ messages: [SYSTEM, USER] })
    expect(openaiChat.markCache(opened, { system: true, item: 0 })).toBe(opened)
  })

  test('D10 of the kind the caller uses stand on the last leading system message and on the summary', () => {
    const own = marked('newest', ephemeral)
    const opened = openaiChat.open({ messages: [SYSTEM, DEVELOPER, USER, own] })
    const { system, items } = openaiChat.markCache(opened, { system: true, item: 0 })
    expect(system).toEqual([SYSTEM, { ...marked('be brief', ephemeral), role: 'developer' }])
    expect(items).toEqual([marked('go', ephemeral), own])
    expect(openaiChat.fingerprint(items[0] ?? USER)).toBe(openaiChat.fingerprint(USER))
  })

  test('D10 stand on the last of the stable system messages, before what may change', () => {
    const own = marked('newest', ephemeral)
    const opened = openaiChat.open({ messages: [SYSTEM, DEVELOPER, own] })
    const { system } = openaiChat.markCache(opened, { system: { stable: 1 } })
    expect(system).toEqual([{ ...marked('You help.', ephemeral), role: 'system' }, DEVELOPER])
    expect(openaiChat.markCache(opened, { system: { stable: 0 } })).toBe(opened)
  })

  test('D10 live no longer than the mark before them', () => {
    const long = { cache_control: { type: 'ephemeral', ttl: '1h' } }
    const messages = [SYSTEM, marked('first', long), USER, marked('newest', ephemeral)]
    const { items, system } = openaiChat.markCache(openaiChat.open({ messages }), { system: true, item: 1 })
    expect(items[1]).toEqual(marked('go', long))
    expect(system[0]).toEqual({ ...marked('You help.', long), role: 'system' })
  })

  test('D10 use free slots only, the summary first', () => {
    const own = [1, 2, 3].map((n) => marked(`own ${n}`, ephemeral))
    const three = openaiChat.open({ messages: [SYSTEM, USER, ...own] })
    expect(openaiChat.markCache(three, { system: true, item: 0 })).toEqual({
      ...three,
      items: [marked('go', ephemeral), ...own],
    })
    const four = openaiChat.open({ messages: [SYSTEM, USER, marked('own', ephemeral), ...own] })
    expect(openaiChat.markCache(four, { system: true, item: 0 })).toBe(four)
  })
})

describe('recognises', () => {
  test.each([
    ['a plain request', { messages: [USER] }, 0.6],
    ['tools', { messages: [USER], tools: [{ type: 'function', function: {} }] }, 0.95],
    ['a system message', { messages: [SYSTEM, USER] }, 0.95],
    ['Anthropic Messages by their system', { system: 'x', messages: [USER], max_tokens: 1 }, 0],
    ['Anthropic Messages by their tools', { messages: [USER], tools: [{ name: 'x', input_schema: {} }] }, 0],
    ['Anthropic Messages by their blocks', { messages: [{ role: 'user', content: [{ type: 'tool_result' }] }] }, 0],
    ['Bedrock', { messages: [{ role: 'user', content: [{ text: 'x' }] }] }, 0],
    ['Responses', { input: 'x' }, 0],
    ['nothing', 7, 0],
  ])('%s', (_, body, certainty) => {
    expect(openaiChat.recognises(body)).toBe(certainty)
  })
})

describe('usage', () => {
  const usage = {
    prompt_tokens: 305_000,
    prompt_tokens_details: { cached_tokens: 304_000 },
    completion_tokens: 10,
    total_tokens: 305_010,
  }
  const expected = { input: 305_000, cacheRead: 304_000, cacheWrite: 0, output: 10 }

  test('TC-20 (b) prompt tokens already hold the cached ones: nothing is counted twice', () => {
    expect(openaiChat.usage({ usage })).toEqual(expected)
    expect(openaiChat.usage({ choices: [], usage })).toEqual(expected)
    expect(openaiChat.usage({ x_groq: { usage } })).toEqual(expected)
  })

  test('reads the cached part where DeepSeek and Kimi put it', () => {
    expect(openaiChat.usage({ usage: { prompt_tokens: 100, prompt_cache_hit_tokens: 64 } })?.cacheRead).toBe(64)
    expect(openaiChat.usage({ usage: { prompt_tokens: 100, cached_tokens: 32 } })?.cacheRead).toBe(32)
  })

  test.each([
    ['null, as in most chunks', { usage: null }],
    ['all zero', { usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } }],
    ['a total below its parts', { usage: { prompt_tokens: 5000, total_tokens: 0 } }],
    ['no number', { usage: { prompt_tokens: Number.NaN } }],
    ['none', '[DONE]'],
  ])('that is %s is no usage', (_, response) => {
    expect(openaiChat.usage(response)).toBeUndefined()
  })
})

describe('outcome', () => {
  const context = { size: 100_000, window: 200_000 }

  test.each([
    [{ choices: [{ finish_reason: 'stop' }], usage: { prompt_tokens: 199_999 } }],
    [{ choices: [{ finish_reason: 'length' }] }],
    [{ error: { code: 502, message: 'Provider returned error' } }],
    [undefined],
  ])('%j is ok', (response) => {
    expect(openaiChat.outcome(response, context)).toBe('ok')
  })

  test('a server that cuts silently is told by a prompt that sits at its limit', () => {
    const answer = { choices: [{ finish_reason: 'stop' }], usage: { prompt_tokens: 4096 } }
    expect(openaiChat.outcome(answer, context)).toMatchObject({ kind: 'silent', limit: 4096 })
    expect(openaiChat.outcome(answer, { ...context, size: 4200 })).toBe('ok')
  })

  test.each([
    [{ choices: [{ finish_reason: 'model_context_window_exceeded' }] }, { kind: 'silent' }],
    [
      { choices: [{ finish_reason: 'length', native_finish_reason: 'model_context_window_exceeded' }] },
      { kind: 'silent' },
    ],
    [
      { choices: [{ finish_reason: 'stop' }], usage: { prompt_tokens: 200_000 } },
      { kind: 'silent', size: 200_000, limit: 200_000 },
    ],
    [{ error: { code: 'context_length_exceeded', message: 'Too long.' } }, { kind: 'tokens' }],
  ])('%j is an overflow', (response, expected) => {
    expect(openaiChat.outcome(response, context)).toMatchObject(expected)
  })
})

/** Recorded requests that nobody of this project wrote; they lie beside the repository where they are present. */
const CORPUS = new URL('../../../../../../shared/corpus/openai-chat/', import.meta.url)
const files = existsSync(CORPUS) ? readdirSync(CORPUS) : []

describe.skipIf(files.length === 0)('recorded requests (skipped where the corpus is absent)', () => {
  test.each(files)('%s is recognised, breaks no rule, and closes to itself', (file) => {
    const request: ChatRequest = JSON.parse(readFileSync(new URL(file, CORPUS), 'utf8'))
    const opened = openaiChat.open(request)
    expect(openaiChat.recognises(request)).toBeGreaterThan(0.9)
    expect(openaiChat.check(opened)).toEqual([])
    expect(openaiChat.close(request, opened)).toBe(request)
  })
})
