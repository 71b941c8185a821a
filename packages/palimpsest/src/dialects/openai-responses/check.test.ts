import { describe, expect, test } from 'vitest'
import type { CODEX_RULES, RESPONSES_RULES } from './check.ts'
import { openaiCodex, openaiResponses, type ResponsesItem, type ResponsesRequest } from './index.ts'

const USER = { role: 'user', content: 'go' }
const CALL = { type: 'function_call', call_id: 'c1', name: 'read', arguments: '{}' }
const OUTPUT = { type: 'function_call_output', call_id: 'c1', output: 'ok' }
const SEALED = { type: 'reasoning', summary: [], encrypted_content: 'gAAAA' }
const STORED = { type: 'reasoning', id: 'rs_1', summary: [] }
const SAID = {
  type: 'message',
  role: 'assistant',
  id: 'msg_1',
  content: [{ type: 'output_text', text: 'done', annotations: [] }],
}

/** For each rule a request that breaks it, and nothing else; the position where. */
const BROKEN: Record<keyof typeof RESPONSES_RULES, readonly [ResponsesRequest, number | undefined]> = {
  'responses/empty-input': [{ input: [] }, undefined],
  'responses/call-without-output': [input(USER, CALL), 1],
  'responses/output-without-call': [input(USER, OUTPUT), 1],
  'responses/duplicate-call': [input(USER, CALL, CALL, OUTPUT), 2],
  'responses/duplicate-output': [input(USER, CALL, OUTPUT, OUTPUT), 3],
  'responses/output-of-other-kind': [
    input(USER, CALL, { type: 'custom_tool_call_output', call_id: 'c1', output: '' }),
    2,
  ],
  'responses/missing-call-id': [input(USER, { type: 'function_call', name: 'read', arguments: '{}' }), 1],
  'responses/approval-without-request': [
    input(USER, { type: 'mcp_approval_response', approval_request_id: 'a', approve: true }),
    1,
  ],
  'responses/reasoning-without-successor': [input(USER, SEALED, USER), 1],
  'responses/reasoning-successor-without-id': [input(USER, STORED, CALL, OUTPUT), 1],
  'responses/bare-reference': [{ store: false, ...input(USER, STORED, SAID) }, 1],
  'responses/empty-content': [input(USER, { role: 'user', content: [] }), 1],
  'responses/arguments-not-json': [input(USER, { ...CALL, arguments: '{"a":' }, OUTPUT), 1],
  'responses/compaction-without-content': [input({ type: 'compaction', encrypted_content: '' }, USER), 0],
}

describe('the rules of the Responses API', () => {
  test.each(Object.entries(BROKEN))('%s', (rule, [request, position]) => {
    const found = openaiResponses.check(openaiResponses.open(request))
    expect(found.map((one) => [one.rule, one.position])).toEqual([[rule, position]])
    expect(found[0]?.message).not.toBe('')
    expect(found[0]?.fix).not.toBe('')
  })

  test.each([
    ['a call id that comes again after it was answered', input(USER, CALL, OUTPUT, CALL, OUTPUT)],
    [
      'outputs in any order, words between',
      input(USER, CALL, { ...CALL, call_id: 'c2' }, { ...OUTPUT, call_id: 'c2' }, USER, OUTPUT),
    ],
    [
      'a shell call answered as Codex does',
      input(USER, { type: 'local_shell_call', call_id: 'c1', action: {}, status: 'completed' }, OUTPUT),
    ],
    [
      'a shell output that names its call in `id`',
      input(
        USER,
        { type: 'local_shell_call', call_id: 'c1', action: {} },
        { type: 'local_shell_call_output', id: 'c1', output: '' },
      ),
    ],
    [
      'stored items by reference, outputs inline',
      input(USER, { type: 'item_reference', id: 'rs_1' }, { id: 'fc_1' }, OUTPUT),
    ],
    [
      'stored approvals by reference',
      input(
        USER,
        { id: 'fc_1' },
        { id: 'mcpr_1' },
        { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true },
        OUTPUT,
      ),
    ],
    ['sealed reasoning before a call without an id', { store: false, ...input(USER, SEALED, CALL, OUTPUT) }],
    [
      'sealed reasoning that kept its id without a store',
      { store: false, ...input(USER, { ...SEALED, id: 'rs_1' }, SAID) },
    ],
    [
      'reasoning that shows its content, as open models do',
      input(USER, { ...STORED, content: [{ type: 'reasoning_text', text: 'hm' }] }, CALL, OUTPUT),
    ],
    ['two reasoning items in a row', input(USER, STORED, { ...STORED, id: 'rs_2' }, SAID)],
    ['empty arguments', input(USER, { ...CALL, arguments: '' }, OUTPUT)],
    [
      'an open approval',
      input(USER, { type: 'mcp_approval_request', id: 'a', name: 'x', arguments: '{}', server_label: 's' }),
    ],
    [
      'a program that still runs',
      input(USER, { type: 'program', id: 'p', call_id: 'c9', code: '', fingerprint: '' }, CALL, OUTPUT),
    ],
    ['nothing but instructions of the developer', input({ role: 'developer', content: 'Begin.' })],
    ['outputs of calls that the provider remembers', { previous_response_id: 'resp_1', ...input(OUTPUT) }],
  ])('allow %s', (_, request) => {
    expect(openaiResponses.check(openaiResponses.open(request))).toEqual([])
  })

  test('want an output for a stored call too', () => {
    const request = input(USER, { type: 'item_reference', id: 'fc_1' }, { type: 'item_reference', id: 'fc_2' }, OUTPUT)
    const found = openaiResponses.check(openaiResponses.open(request))
    // Nobody can tell which of the two is answered.
    expect(found.map((one) => [one.rule, one.position])).toEqual([
      ['responses/call-without-output', 1],
      ['responses/call-without-output', 2],
      ['responses/output-without-call', 3],
    ])
  })

  test('of the request as a whole are not checked on a session file', () => {
    const items = [USER, STORED, SAID] as readonly ResponsesItem[]
    expect(openaiResponses.check({ system: [], items })).toEqual([])
    expect(openaiCodex.check({ system: [], items })).toEqual([])
  })
})

const CODEX = { instructions: 'You are an agent.', store: false, stream: true, ...input(USER, SEALED, CALL, OUTPUT) }

const BROKEN_CODEX: Record<keyof typeof CODEX_RULES, ResponsesRequest> = {
  'codex/instructions-required': { ...CODEX, instructions: '' },
  'codex/store-must-be-false': { ...CODEX, store: true },
  'codex/stream-required': { ...CODEX, stream: false },
  'codex/output-cap-refused': { ...CODEX, max_output_tokens: 1000 },
}

describe('the rules of Codex', () => {
  test.each(Object.entries(BROKEN_CODEX))('%s', (rule, request) => {
    expect(openaiCodex.check(openaiCodex.open(request)).map((one) => one.rule)).toEqual([rule])
  })

  test('come with those of the Responses API', () => {
    const { input: items, ...rest } = CODEX
    expect(openaiCodex.check(openaiCodex.open(CODEX))).toEqual([])
    const broken = { ...rest, input: (items as readonly ResponsesItem[]).slice(0, -1) }
    expect(openaiCodex.check(openaiCodex.open(broken)).map((one) => one.rule)).toEqual([
      'responses/call-without-output',
    ])
  })
})

function input(...items: readonly object[]): { readonly input: readonly ResponsesItem[] } {
  return { input: items }
}
