import { describe, expect, test } from 'vitest'
import type { Call, LabRules, ReplyContext } from '../../format.ts'
import { geminiFormat } from './index.ts'

const RULES: LabRules = { thinkingBinding: 'turn', strictAlternation: false, systemInMessages: true }

function breach(
  contents: readonly unknown[],
  by: { readonly model?: string; readonly rules?: Partial<LabRules> } = {},
) {
  const call: Call = { kind: 'generate', stream: false, model: by.model ?? 'gemini-2.5-pro' }
  return geminiFormat.validate({ contents }, { ...RULES, ...by.rules }, call)
}

const user = (...parts: readonly object[]) => ({ role: 'user', parts })
const model = (...parts: readonly object[]) => ({ role: 'model', parts })
const ask = user({ text: 'Read both.' })
const call = (name: string, id?: string) => ({ functionCall: { name, args: {}, ...(id !== undefined && { id }) } })
const response = (name: string, id?: string) => ({
  functionResponse: { name, response: { output: 'text' }, ...(id !== undefined && { id }) },
})

describe('contents', () => {
  test('a conversation passes, with neighbours of one role too', () => {
    expect(breach([{ parts: [{ text: 'Hello' }] }, model({ text: 'Hi' }), ask])).toBeUndefined()
    expect(breach([ask, ask, model({ text: 'Yes.' }), ask])).toBeUndefined()
    expect(breach([ask, model({ inlineData: { mimeType: 'image/png', data: '' } }), ask])).toBeUndefined()
  })

  test.each([
    ['empty-contents', []],
    ['role', [{ role: 'assistant', parts: [{ text: 'x' }] }]],
    ['empty-content', [ask, model(), ask]],
    ['empty-part', [user({})]],
    ['empty-part', [user({ thoughtSignature: 'abc' })]],
    ['first-role', [model({ text: 'x' }), ask]],
    ['call-place', [model(call('a')), user(response('a'))]],
    ['response-name', [ask, model(call('a')), user({ functionResponse: { response: {} } })]],
  ])('%s is refused: %o', (rule, contents) => {
    expect(breach(contents)).toMatchObject({ rule })
  })

  test('an empty text passes', () => {
    expect(breach([user({ text: '' })])).toBeUndefined()
  })

  test('roles alternate where that is asked for', () => {
    const rules = { strictAlternation: true }
    expect(breach([ask, ask], { rules })).toMatchObject({ rule: 'alternation' })
    expect(breach([ask, model({ text: 'Yes.' }), ask], { rules })).toBeUndefined()
  })
})

describe('calls and responses', () => {
  const calls = model({ text: 'I read.' }, call('a', '1'), call('b', '2'))

  test('one content answers all calls, in whatever order', () => {
    expect(breach([ask, calls, user(response('b', '2'), response('a', '1'))])).toBeUndefined()
    expect(breach([ask, calls, { role: 'function', parts: [response('a'), response('b')] }])).toBeUndefined()
    expect(breach([ask, model(call('a')), user(response('a'), { text: 'And?' })])).toBeUndefined()
  })

  test.each([
    ['response-count', [ask, calls]],
    ['response-count', [ask, calls, user(response('a', '1'))]],
    ['response-count', [ask, calls, user(response('a', '1')), user(response('b', '2'))]],
    ['response-count', [ask, calls, ask]],
    ['response-match', [ask, calls, user(response('a', '1'), response('c', '2'))]],
    ['response-match', [ask, calls, user(response('a', '1'), response('b', '9'))]],
    ['response-match', [ask, calls, user(response('a', '1'), response('b', '1'))]],
    ['response-place', [user(response('a'))]],
    ['response-place', [ask, model({ text: 'x' }), user(response('a'))]],
    ['call-place', [ask, model({ text: 'x' }), model(call('a')), user(response('a'))]],
  ])('%s is refused: %o', (rule, contents) => {
    expect(breach(contents)).toMatchObject({ rule })
  })
})

describe('thought signatures', () => {
  const context: ReplyContext = {
    id: 'lab000001',
    model: 'gemini-3-pro',
    usage: { input: 1, cacheRead: 0, cacheWrite: 0, output: 1 },
    body: {},
  }
  const answer = geminiFormat.reply(
    {
      parts: [
        { kind: 'tool-call', id: '1', name: 'a', input: { path: 'x' } },
        { kind: 'tool-call', id: '2', name: 'b', input: {} },
      ],
    },
    context,
  ) as { readonly candidates: readonly [{ readonly content: { readonly parts: readonly [object, object] } }] }
  const [first, second] = answer.candidates[0].content.parts
  const results = user(response('a', '1'), response('b', '2'))
  const by = { model: 'gemini-3-pro' }

  test('the first call of a step is signed, and passes as it came', () => {
    expect(first).toHaveProperty('thoughtSignature')
    expect(second).not.toHaveProperty('thoughtSignature')
    expect(breach([ask, model(first, second), results], by)).toBeUndefined()
  })

  test('without it, the current turn is refused, and only by models that sign', () => {
    const bare = [ask, model(call('a', '1'), call('b', '2')), results]
    expect(breach(bare, by)).toMatchObject({ rule: 'missing-signature' })
    expect(breach([...bare, model({ text: 'Done.' }), ask], by)).toBeUndefined()
    expect(breach(bare)).toBeUndefined()
    expect(breach(bare, { ...by, rules: { thinkingBinding: 'none' } })).toBeUndefined()
  })

  test('it stays on its part', () => {
    const { thoughtSignature } = first as { readonly thoughtSignature: string }
    const changed = { functionCall: { id: '1', name: 'a', args: { path: 'y' } }, thoughtSignature }
    expect(breach([ask, model(changed, second), results])).toMatchObject({ rule: 'corrupted-signature' })
    expect(breach([ask, model({ text: 'x', thoughtSignature }), ask])).toMatchObject({ rule: 'corrupted-signature' })
    const cut = { ...first, thoughtSignature: `${thoughtSignature.slice(0, -4)}AAAA` }
    expect(breach([ask, model(cut, second), results])).toMatchObject({ rule: 'corrupted-signature' })
    expect(breach([ask, model({ ...first, thoughtSignature: 'Zm9yZWlnbg==' }, second), results], by)).toBeUndefined()
  })
})

test('routes: generate, stream by server-sent events, count', () => {
  const route = (path: string, query = '') => geminiFormat.route('POST', path, new URLSearchParams(query), {})
  expect(route('/v1beta/models/gemini-2.5-pro:generateContent')).toEqual({
    kind: 'generate',
    stream: false,
    model: 'gemini-2.5-pro',
  })
  expect(route('/v1/models/gemini-3-pro:streamGenerateContent', 'alt=sse')).toMatchObject({ stream: true })
  expect(route('/v1/models/gemini-3-pro:streamGenerateContent')).toBeUndefined()
  expect(route('/v1beta/models/gemini-3-pro:countTokens')).toMatchObject({ kind: 'count' })
  expect(route('/v1/projects/p/locations/l/publishers/google/models/gemini-3-pro:generateContent')).toMatchObject({
    model: 'gemini-3-pro',
  })
  expect(route('/v1beta/models/gemini-3-pro:embedContent')).toBeUndefined()
})
