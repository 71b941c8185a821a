import { describe, expect, it } from 'vitest'
import { PRIVATE, textCallLaws } from '../text-call-laws.test-data.ts'
import { openaiCodex, openaiResponses } from './index.ts'
import type { ResponsesItem, ResponsesRequest } from './items.ts'
import { openaiCodexTextCall, openaiResponsesTextCall } from './text-call.ts'

const LIKE: ResponsesRequest & { readonly [field: string]: unknown } = {
  model: 'gpt-5.4',
  instructions: PRIVATE,
  input: [
    { role: 'user', content: PRIVATE },
    { type: 'function_call', call_id: 'c1', name: PRIVATE, arguments: '{}' } as ResponsesItem,
    { type: 'function_call_output', call_id: 'c1', output: PRIVATE },
  ],
  tools: [{ type: 'function', name: PRIVATE }],
  max_output_tokens: 9_000,
  reasoning: { effort: 'high', summary: PRIVATE },
  include: ['reasoning.encrypted_content'],
  previous_response_id: PRIVATE,
  context_management: [{ type: 'compaction' }],
  truncation: 'auto',
  store: true,
  stream: true,
  prompt_cache_key: 's-0',
  safety_identifier: 'user-7',
}

textCallLaws(openaiResponses, openaiResponsesTextCall, { like: LIKE })
textCallLaws(openaiCodex, openaiCodexTextCall, { like: LIKE, capped: false, recognisedBy: openaiResponses })

const PROMPT = { system: 'Write.', user: 'This.', maxOutputTokens: 900, session: 's-1' }
const ASKED = {
  model: 'gpt-5.4',
  prompt_cache_key: 's-1',
  safety_identifier: 'user-7',
  instructions: 'Write.',
  input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'This.' }] }],
  store: false,
}

describe('openaiResponsesTextCall', () => {
  it('asks for one text that is not stored', () => {
    expect(openaiResponsesTextCall.request(PROMPT, LIKE)).toEqual({ ...ASKED, max_output_tokens: 900 })
    expect(openaiResponsesTextCall.request({ ...PROMPT, model: 'gpt-5.4-mini' }, LIKE).model).toBe('gpt-5.4-mini')
  })

  it('asks Codex in a stream, without a cap', () => {
    expect(openaiCodexTextCall.request(PROMPT, LIKE)).toEqual({ ...ASKED, stream: true })
  })

  const output = [
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] },
  ]
  const usage = { input_tokens: 100, output_tokens: 7, total_tokens: 107 }
  const read = { text: 'Done.', finish: 'stop', reasoned: true, usage: { input: 100, output: 7 } }

  it('reads a response, the last event of a stream, and all events where the last has no output', () => {
    const response = { status: 'completed', output, usage }
    expect(openaiResponsesTextCall.read(response)).toEqual(read)
    expect(openaiCodexTextCall.read({ type: 'response.completed', response })).toEqual(read)
    const events = [
      { type: 'response.created', response: { status: 'in_progress', output: [] } },
      { type: 'response.output_text.delta', delta: 'Do' },
      ...output.map((item) => ({ type: 'response.output_item.done', item })),
      { type: 'response.completed', response: { ...response, output: [] } },
    ]
    expect(openaiCodexTextCall.read(events)).toEqual(read)
  })

  it.each([
    ['cut', { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, output: [] }, 'length'],
    ['filtered', { status: 'incomplete', incomplete_details: { reason: 'content_filter' }, output: [] }, 'refusal'],
    ['refused', { status: 'completed', output: [{ type: 'message', content: [{ type: 'refusal' }] }] }, 'refusal'],
    ['a call', { status: 'completed', output: [{ type: 'function_call', name: 'f' }] }, 'tool-call'],
    ['failed', { status: 'failed', error: { code: 'server_error' }, output: [] }, 'other'],
  ])('%s', (_, response, finish) => {
    expect(openaiResponsesTextCall.read(response)).toEqual({ text: '', finish })
  })
})
