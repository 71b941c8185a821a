import { describe, expect, test } from 'vitest'
import { openaiCodex, openaiResponses, type ResponsesItem, type ResponsesRequest } from './index.ts'

const USER: ResponsesItem = { role: 'user', content: 'go' }
const DEVELOPER: ResponsesItem = { role: 'developer', content: 'be brief' }

describe('open', () => {
  test('sets the leading system apart, and only that', () => {
    const opened = openaiResponses.open({ instructions: 'You help.', input: [DEVELOPER, USER, DEVELOPER] })
    expect(opened.system).toEqual(['You help.', DEVELOPER])
    expect(opened.items).toEqual([USER, DEVELOPER])
  })

  test('takes a string as one user message, and close gives the string back', () => {
    const request = { model: 'm', input: 'hello' }
    const opened = openaiResponses.open(request)
    expect(openaiResponses.view(opened.items[0] ?? {})).toMatchObject({ role: 'user' })
    expect(openaiResponses.close(request, opened)).toBe(request)
  })

  test('tells model, tools, cap, and where the history is', () => {
    const tools = [{ type: 'custom', name: 'x' }]
    const opened = openaiResponses.open({ model: 'm', tools, max_output_tokens: 9000, input: [USER] })
    expect(opened).toMatchObject({ model: 'm', tools, outputCap: 9000 })
    expect(opened.historyOnServer).toBeUndefined()
    expect(openaiResponses.open({ input: [USER], previous_response_id: 'resp_1' }).historyOnServer).toBe(true)
    expect(openaiResponses.open({ input: [USER], conversation: { id: 'conv_1' } }).historyOnServer).toBe(true)
    expect(openaiResponses.open({ input: [USER], previous_response_id: null }).historyOnServer).toBeUndefined()
  })
})

describe('close', () => {
  test('lowers the output cap that is there, and adds none', () => {
    const request = { input: [USER], max_output_tokens: 32_000 }
    const opened = openaiResponses.open(request)
    expect(openaiResponses.close(request, { ...opened, outputCap: 8000 })).toEqual({
      ...request,
      max_output_tokens: 8000,
    })
    expect(openaiResponses.close(request, { ...opened, outputCap: 64_000 })).toBe(request)
    const uncapped = { input: [USER] }
    expect(openaiCodex.close(uncapped, { ...openaiCodex.open(uncapped), outputCap: 8000 })).toBe(uncapped)
  })

  test.each([{ previous_response_id: 'resp_1' }, { conversation: 'conv_1' }])(
    'clears %o once the view is whole',
    (pointer) => {
      const request: ResponsesRequest = { model: 'm', input: [USER], ...pointer }
      const opened = openaiResponses.open(request)
      expect(openaiResponses.close(request, opened)).toBe(request)
      const { historyOnServer: _there, ...unsaid } = opened
      expect(openaiResponses.close(request, unsaid)).toBe(request)
      const whole = { ...opened, items: [USER, USER], historyOnServer: false }
      expect(openaiResponses.close(request, whole)).toEqual({ model: 'm', input: [USER, USER] })
    },
  )

  test.each([
    [{ context_management: [{ type: 'compaction', compact_threshold: 1000 }] }, true],
    [{ truncation: 'auto' }, true],
    [{ context_management: [], truncation: 'disabled' }, undefined],
  ])('%j: does the provider edit the history by itself? %s', (settings, expected) => {
    expect(openaiResponses.open({ input: [USER], ...settings }).serverEdits).toBe(expected)
  })

  test('passes context_management and every other field through', () => {
    const request = {
      input: [USER, USER],
      context_management: [{ type: 'compaction', compact_threshold: 1000 }],
      x: 1n,
    }
    const opened = openaiResponses.open(request)
    expect(openaiResponses.close(request, { ...opened, items: [USER] })).toEqual({ ...request, input: [USER] })
  })
})

describe('cache breakpoints', () => {
  const summary = { role: 'user', content: [{ type: 'input_text', text: 'So far.' }] }
  const mark = { prompt_cache_breakpoint: { mode: 'explicit' } }
  const marked = { role: 'user', content: [{ type: 'input_text', text: 'So far.', ...mark }] }
  const system = { role: 'developer', content: [{ type: 'input_text', text: 'Rules.' }] }

  test('are none where the caller shows no use of them: the provider caches by itself', () => {
    const opened = openaiResponses.open({ input: [system, summary, USER] })
    expect(openaiResponses.markCache(opened, { system: true, item: 0 })).toBe(opened)
  })

  test('D10 stand on the last leading system item and on the summary, nowhere else', () => {
    const request = { input: [DEVELOPER, system, summary, USER], prompt_cache_options: { mode: 'implicit' } }
    const opened = openaiResponses.open(request)
    const closed = openaiResponses.close(request, openaiResponses.markCache(opened, { system: true, item: 0 }))
    expect(closed.input).toEqual([
      DEVELOPER,
      { role: 'developer', content: [{ type: 'input_text', text: 'Rules.', ...mark }] },
      marked,
      USER,
    ])
    expect(openaiResponses.fingerprint(marked)).toBe(openaiResponses.fingerprint(summary))
  })

  test('D10 stand on the last of the stable system items, before what may change', () => {
    const request = { input: [system, system, summary], prompt_cache_options: { mode: 'implicit' } }
    const opened = openaiResponses.open(request)
    const rules = { role: 'developer', content: [{ type: 'input_text', text: 'Rules.', ...mark }] }
    expect(openaiResponses.markCache(opened, { system: { stable: 1 } }).system).toEqual([rules, system])
    expect(openaiResponses.markCache(opened, { system: { stable: 0 } })).toBe(opened)
  })

  test('D10 use free slots only, the summary first, and keep the marks of the caller', () => {
    const own = { role: 'user', content: [{ type: 'input_text', text: 'a', ...mark }] }
    const place = { system: true, item: 0 }
    const two = openaiResponses.open({ input: [system, summary, own, own] })
    expect(openaiResponses.markCache(two, place)).toEqual({ ...two, items: [marked, own, own] })
    const three = openaiResponses.open({ input: [system, summary, own, own, own] })
    expect(openaiResponses.markCache(three, place)).toBe(three)
  })
})

describe('recognises', () => {
  test.each([
    ['a request', { model: 'm', input: [USER] }, 0.9],
    ['a string with a telling field', { model: 'm', input: 'x', instructions: 'y' }, 0.9],
    ['what may be an embedding', { model: 'm', input: 'x' }, 0.4],
    ['a list of embeddings', { model: 'm', input: ['x', 'y'] }, 0],
    ['chat', { model: 'm', messages: [] }, 0],
    ['nothing', null, 0],
  ])('%s', (_, body, certainty) => {
    expect(openaiResponses.recognises(body)).toBe(certainty)
  })

  test('Codex before plain Responses', () => {
    const codex = {
      model: 'm',
      instructions: 'x',
      store: false,
      stream: true,
      include: ['reasoning.encrypted_content'],
      input: [USER],
    }
    expect(openaiCodex.recognises(codex)).toBeGreaterThan(openaiResponses.recognises(codex))
    expect(openaiCodex.recognises({ ...codex, max_output_tokens: 100 })).toBe(0)
  })
})

describe('obsoleteBefore', () => {
  const compaction = { type: 'compaction', encrypted_content: 'x' } as ResponsesItem
  const call = { type: 'function_call', call_id: 'c', name: 'r', arguments: '{}' } as ResponsesItem
  const output = { type: 'function_call_output', call_id: 'c', output: '' } as ResponsesItem
  const reasoning = { type: 'reasoning', summary: [], encrypted_content: 'x' } as ResponsesItem

  test.each([
    ['without a compaction item nothing', [USER, USER], 0],
    ['everything before the newest', [USER, compaction, USER, compaction, USER], 3],
    ['not a call that is answered behind it, nor its reasoning', [USER, reasoning, call, compaction, output, USER], 1],
    ['a call that was answered before it', [USER, reasoning, call, output, compaction, USER], 4],
  ])('%s', (_, items, expected) => {
    expect(openaiResponses.obsoleteBefore(items)).toBe(expected)
  })
})
