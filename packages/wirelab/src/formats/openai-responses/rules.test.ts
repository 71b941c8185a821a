import { describe, expect, test } from 'vitest'
import type { Call, LabRules, Reply, ReplyContext } from '../../format.ts'
import { openaiCodexFormat, openaiResponsesFormat } from './index.ts'
import { outputItems } from './reply.ts'

const CALL: Call = { kind: 'generate', stream: false, model: 'gpt-5' }
const RULES: LabRules = { thinkingBinding: 'turn', strictAlternation: false, systemInMessages: true }
const USER = { role: 'user', content: 'Hello' }
const CALLED = { type: 'function_call', call_id: 'c1', name: 'read', arguments: '{}' }
const OUTPUT = { type: 'function_call_output', call_id: 'c1', output: 'text' }

function breach(body: object) {
  return openaiResponsesFormat.validate({ model: 'gpt-5', ...body }, RULES, CALL)
}

function ofInput(...input: readonly unknown[]) {
  return breach({ input })
}

describe('parameters', () => {
  test('a text, a list of items or a history on the server is enough', () => {
    expect(breach({ input: 'Hello' })).toBeUndefined()
    expect(breach({ input: [USER] })).toBeUndefined()
    expect(breach({ previous_response_id: 'resp_1' })).toBeUndefined()
  })

  test.each([
    ['body', null],
    ['missing-parameter', { input: 'Hello' }],
    ['missing-parameter', { model: 'gpt-5' }],
    ['missing-parameter', { model: 'gpt-5', input: [] }],
    ['input-type', { model: 'gpt-5', input: 7 }],
  ])('%s is refused', (rule, body) => {
    expect(openaiResponsesFormat.validate(body, RULES, CALL)).toMatchObject({ rule })
  })
})

describe('items', () => {
  test.each([
    ['item-type', { type: 'tool_use' }],
    ['item-fields', { type: 'message', role: 'user' }],
    ['item-fields', { type: 'message', role: 'tool', content: 'x' }],
    ['item-fields', { ...CALLED, arguments: {} }],
    ['item-id', { ...CALLED, id: 'call_7' }],
    ['content-type', { role: 'assistant', content: [{ type: 'input_text', text: 'x' }] }],
    ['content-type', { role: 'user', content: [{ type: 'output_text', text: 'x' }] }],
  ])('%s: %o is refused', (rule, item) => {
    expect(ofInput(item)).toMatchObject({ rule })
  })

  test('an id stands once', () => {
    const message = { id: 'msg_1', role: 'assistant', content: 'Hi' }
    expect(ofInput(message, USER)).toBeUndefined()
    expect(ofInput(message, USER, message)).toMatchObject({ rule: 'duplicate-item' })
  })
})

describe('calls and outputs', () => {
  const custom = { type: 'custom_tool_call', call_id: 'c1', name: 'patch', input: 'x' }
  const shell = { type: 'local_shell_call', call_id: 'c1', action: { type: 'exec', command: ['ls'] }, id: 'lsh_1' }
  const pairs: readonly (readonly [string, object, object])[] = [
    ['function call', CALLED, OUTPUT],
    ['custom tool call', custom, { type: 'custom_tool_call_output', call_id: 'c1', output: 'ok' }],
    ['local shell call', shell, { type: 'local_shell_call_output', id: 'c1', output: 'ok' }],
    [
      'computer call',
      { type: 'computer_call', call_id: 'c1' },
      { type: 'computer_call_output', call_id: 'c1', output: {} },
    ],
  ]

  test.each(pairs)('%s: a pair passes, with other items between too', (_words, call, output) => {
    expect(ofInput(USER, call, output)).toBeUndefined()
    expect(ofInput(USER, call, { role: 'assistant', content: 'I look.' }, output)).toBeUndefined()
  })

  test.each(pairs)('%s: neither stands alone nor behind the other', (words, call, output) => {
    expect(ofInput(USER, call)).toEqual({
      rule: 'call-without-output',
      message: `No tool output found for ${words} c1.`,
    })
    expect(ofInput(USER, output)).toEqual({
      rule: 'output-without-call',
      message: `No tool call found for ${words} output with call_id c1.`,
    })
    expect(ofInput(USER, output, call)).toMatchObject({ rule: 'output-without-call' })
  })

  test('each call is answered once; an id may be used again behind its output', () => {
    expect(ofInput(CALLED, OUTPUT, CALLED, OUTPUT)).toBeUndefined()
    expect(ofInput(CALLED, OUTPUT, OUTPUT)).toMatchObject({ rule: 'output-without-call' })
    expect(ofInput(CALLED, CALLED, OUTPUT)).toMatchObject({ rule: 'call-without-output' })
  })

  test('an approval answers a request', () => {
    const request = { type: 'mcp_approval_request', id: 'mcpr_1', name: 'deploy', server_label: 'ops', arguments: '{}' }
    const approval = { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true }
    expect(ofInput(request, approval)).toBeUndefined()
    expect(ofInput(USER, approval)).toMatchObject({ rule: 'output-without-call' })
  })

  test('another kind of output answers nothing', () => {
    expect(ofInput(CALLED, { type: 'custom_tool_call_output', call_id: 'c1', output: 'ok' })).toMatchObject({
      rule: 'output-without-call',
    })
  })

  test('the call may stand on the server', () => {
    expect(breach({ input: [OUTPUT], previous_response_id: 'resp_1' })).toBeUndefined()
    expect(ofInput({ type: 'item_reference', id: 'fc_1' }, OUTPUT)).toBeUndefined()
  })
})

describe('reasoning', () => {
  const reply: Reply = {
    parts: [
      { kind: 'reasoning', text: 'I should read it.' },
      { kind: 'text', text: 'I read it.' },
      { kind: 'tool-call', id: 'c1', name: 'read', input: {} },
    ],
  }
  const context: ReplyContext = {
    id: 'lab000001',
    model: 'gpt-5',
    usage: { input: 1, cacheRead: 0, cacheWrite: 0, output: 1 },
    body: { include: ['reasoning.encrypted_content'] },
  }
  const [reasoning, message, call] = outputItems(reply, context)

  test('what the simulator answered comes back', () => {
    expect(ofInput(USER, reasoning, message, call, OUTPUT)).toBeUndefined()
    expect(breach({ store: false, input: [USER, reasoning, message, call, OUTPUT] })).toBeUndefined()
  })

  test('it is followed by an item of the model', () => {
    const message = `Item '${reasoning?.id}' of type 'reasoning' was provided without its required following item.`
    expect(ofInput(USER, reasoning)).toEqual({ rule: 'reasoning-without-item', message })
    expect(ofInput(reasoning, USER)).toMatchObject({ rule: 'reasoning-without-item' })
    const other = outputItems(reply, { ...context, id: 'lab000002' })[1]
    expect(ofInput(reasoning, other)).toMatchObject({ rule: 'reasoning-without-item' })
  })

  test('an item with its id needs it; without the id it does not', () => {
    expect(ofInput(USER, message)).toEqual({
      rule: 'item-without-reasoning',
      message: `Item '${message?.id}' of type 'message' was provided without its required 'reasoning' item: '${reasoning?.id}'.`,
    })
    expect(ofInput(reasoning, message, USER, call, OUTPUT)).toBeUndefined()
    expect(ofInput(call, OUTPUT)).toMatchObject({ rule: 'item-without-reasoning' })
    expect(ofInput({ ...call, id: undefined }, OUTPUT)).toBeUndefined()
  })

  test('reasoning without its id is known by its sealed content', () => {
    const { id: _id, ...nameless } = reasoning ?? { id: '' }
    expect(breach({ store: false, input: [nameless, message] })).toBeUndefined()
  })

  test('sealed content is not to be changed nor moved to another item', () => {
    const broken = { ...reasoning, encrypted_content: `${String(reasoning?.encrypted_content).slice(0, -4)}AAAA` }
    expect(ofInput(broken, message)).toMatchObject({ rule: 'encrypted-content' })
    const [other] = outputItems(reply, { ...context, id: 'lab000002' })
    expect(ofInput({ ...reasoning, encrypted_content: other?.encrypted_content }, message)).toMatchObject({
      rule: 'encrypted-content',
    })
    expect(ofInput({ ...reasoning, encrypted_content: 'gAAAAforeign' }, message)).toBeUndefined()
  })

  test('what is not stored is not found by its id', () => {
    const bare = { type: 'reasoning', id: 'rs_1', summary: [] }
    const answer = { role: 'assistant', content: 'Hi' }
    expect(ofInput(bare, answer)).toBeUndefined()
    expect(breach({ store: false, input: [bare, answer] })).toMatchObject({ rule: 'not-persisted' })
    expect(breach({ store: false, input: [{ type: 'item_reference', id: 'msg_1' }] })).toMatchObject({
      rule: 'not-persisted',
    })
  })

  test('an answer holds no sealed content that nobody asked for', () => {
    expect(outputItems(reply, { ...context, body: {} })[0]).not.toHaveProperty('encrypted_content')
  })
})

test('a compaction item is opaque', () => {
  const compaction = { type: 'compaction', encrypted_content: 'gAAA' }
  expect(ofInput(USER, compaction, USER)).toBeUndefined()
  expect(ofInput({ type: 'compaction' })).toMatchObject({ rule: 'item-fields' })
})

describe('codex', () => {
  const body = { model: 'gpt-5', instructions: 'Be brief.', store: false, stream: true, input: [USER] }
  const codex = (changed: object) => openaiCodexFormat.validate({ ...body, ...changed }, RULES, CALL)

  test('a stateless stream passes', () => {
    expect(codex({})).toBeUndefined()
  })

  test.each([
    [{ instructions: '' }, 'Instructions are required'],
    [{ store: true }, 'Store must be set to false'],
    [{ stream: false }, 'Stream must be set to true'],
    [{ max_output_tokens: 9 }, 'Unsupported parameter: max_output_tokens'],
  ])('%o is refused', (changed, message) => {
    const broken = codex(changed)
    expect(broken).toEqual({ rule: 'codex-parameter', message })
    const answer = openaiCodexFormat.refusal({ kind: 'invalid', rule: 'codex-parameter', message })
    expect(JSON.parse(answer.body)).toEqual({ detail: message })
  })

  test('the rules of Responses hold too', () => {
    expect(codex({ input: [OUTPUT] })).toMatchObject({ rule: 'output-without-call' })
  })

  test('its paths are its own', () => {
    const query = new URLSearchParams()
    const kinds = ['/v1/responses', '/backend-api/codex/responses', '/codex/v1/responses'].map((path) =>
      [openaiResponsesFormat, openaiCodexFormat].map(
        (format) => format.route('POST', path, query, { stream: true })?.kind,
      ),
    )
    expect(kinds).toEqual([
      ['generate', undefined],
      [undefined, 'generate'],
      [undefined, 'generate'],
    ])
  })
})
