import { expect, test } from 'vitest'
import type { Refusal } from '../../format.ts'
import { geminiFormat, geminiListFormat } from './index.ts'

test.each<[Refusal, number, string, RegExp]>([
  [
    { kind: 'overflow', tokens: 300, window: 200, output: 10 },
    400,
    'INVALID_ARGUMENT',
    /^The input token count \(300\) exceeds the maximum number of tokens allowed \(200\)\.$/,
  ],
  [{ kind: 'invalid', rule: 'role', message: 'No.' }, 400, 'INVALID_ARGUMENT', /^No\.$/],
  [{ kind: 'rate-limit', body: true }, 429, 'RESOURCE_EXHAUSTED', /quota/],
  [{ kind: 'too-many-bytes', html: false }, 400, 'INVALID_ARGUMENT', /payload size/],
  [{ kind: 'overloaded' }, 503, 'UNAVAILABLE', /overloaded/],
  [{ kind: 'reasoning-bound' }, 400, 'INVALID_ARGUMENT', /thought signature/],
  [{ kind: 'not-found', path: '/v1beta/x' }, 404, 'NOT_FOUND', /\/v1beta\/x/],
])('%o', (refusal, status, name, message) => {
  const answer = geminiFormat.refusal(refusal)
  const error = { code: status, status: name, message: expect.stringMatching(message) }
  expect(answer.status).toBe(status)
  expect(JSON.parse(answer.body)).toMatchObject({ error })
  expect(JSON.parse(geminiListFormat.refusal(refusal).body)).toMatchObject([{ error }])
})

test('some refusals come without JSON', () => {
  expect(geminiFormat.refusal({ kind: 'rate-limit', body: false })).toMatchObject({ status: 429, body: '' })
  expect(geminiFormat.refusal({ kind: 'too-many-bytes', html: true })).toMatchObject({
    status: 413,
    headers: { 'content-type': 'text/html' },
  })
})
