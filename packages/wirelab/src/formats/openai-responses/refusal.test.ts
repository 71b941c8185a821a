import { describe, expect, test } from 'vitest'
import type { Refusal } from '../../format.ts'
import { openaiCodexFormat, openaiResponsesFormat } from './index.ts'

const OVERFLOW: Refusal = { kind: 'overflow', tokens: 300, window: 200, output: 10 }

test.each<[Refusal, number, object]>([
  [OVERFLOW, 400, { code: 'context_length_exceeded', type: 'invalid_request_error', param: 'input' }],
  [
    { kind: 'invalid', rule: 'call-without-output', message: 'No.' },
    400,
    { message: 'No.', param: 'input', code: null },
  ],
  [{ kind: 'rate-limit', body: true }, 429, { code: 'rate_limit_exceeded' }],
  [{ kind: 'too-many-bytes', html: false }, 413, { code: 'request_too_large' }],
  [{ kind: 'overloaded' }, 503, { type: 'server_error' }],
  [{ kind: 'reasoning-bound' }, 400, { code: 'invalid_encrypted_content' }],
  [{ kind: 'not-found', path: '/v1/x' }, 404, { message: 'Invalid URL (POST /v1/x)' }],
])('%o', (refusal, status, error) => {
  const answer = openaiResponsesFormat.refusal(refusal)
  expect(answer.status).toBe(status)
  expect(JSON.parse(answer.body)).toMatchObject({ error })
})

test('some refusals come without JSON', () => {
  expect(openaiResponsesFormat.refusal({ kind: 'rate-limit', body: false })).toMatchObject({ status: 429, body: '' })
  const html = openaiResponsesFormat.refusal({ kind: 'too-many-bytes', html: true })
  expect(html).toMatchObject({ status: 413, headers: { 'content-type': 'text/html' } })
})

describe('Codex', () => {
  test('has its own words for a spent plan and an unknown path', () => {
    const spent = openaiCodexFormat.refusal({ kind: 'rate-limit', body: true })
    expect(JSON.parse(spent.body)).toMatchObject({ error: { type: 'usage_limit_reached' } })
    expect(JSON.parse(openaiCodexFormat.refusal({ kind: 'not-found', path: '/x' }).body)).toEqual({
      detail: 'Not Found',
    })
  })

  test('says an overflow as Responses does', () => {
    expect(openaiCodexFormat.refusal(OVERFLOW)).toEqual(openaiResponsesFormat.refusal(OVERFLOW))
  })
})
