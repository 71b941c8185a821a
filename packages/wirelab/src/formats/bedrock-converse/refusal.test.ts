import { expect, test } from 'vitest'
import type { Refusal } from '../../format.ts'
import { bedrockConverseFormat } from './index.ts'

test.each<[Refusal, number, string, RegExp]>([
  [
    { kind: 'overflow', tokens: 300, window: 200, output: 10 },
    400,
    'ValidationException',
    /prompt is too long: 300 tokens > 200 maximum$/,
  ],
  [{ kind: 'invalid', rule: 'role', message: 'No.' }, 400, 'ValidationException', /^No\.$/],
  [{ kind: 'rate-limit', body: true }, 429, 'ThrottlingException', /please wait/],
  [{ kind: 'too-many-bytes', html: false }, 413, 'RequestEntityTooLargeException', /too large/],
  [{ kind: 'overloaded' }, 503, 'ServiceUnavailableException', /unable to process/],
  [{ kind: 'reasoning-bound' }, 400, 'ValidationException', /bound to a different conversation/],
  [{ kind: 'not-found', path: '/model/x/y' }, 404, 'UnknownOperationException', /\/model\/x\/y/],
])('%o', (refusal, status, type, message) => {
  const answer = bedrockConverseFormat.refusal(refusal)
  expect(answer).toMatchObject({ status, headers: { 'x-amzn-ErrorType': type } })
  expect(JSON.parse(answer.body)).toEqual({ message: expect.stringMatching(message) })
})

test('some refusals come without JSON', () => {
  expect(bedrockConverseFormat.refusal({ kind: 'rate-limit', body: false })).toMatchObject({ status: 429, body: '' })
  expect(bedrockConverseFormat.refusal({ kind: 'too-many-bytes', html: true })).toMatchObject({
    status: 413,
    headers: { 'content-type': 'text/html' },
  })
})
