import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { overflowFacts, silentOverflow } from './overflow.ts'

const CONTEXT = { size: 50_000, window: 200_000 }
const MESSAGE = 'prompt is too long: 212004 tokens > 200000 maximum'
const FACTS = { kind: 'tokens', limit: 200_000, size: 212_004, detail: MESSAGE }
const BODY = { type: 'error', error: { type: 'invalid_request_error', message: MESSAGE } }

describe('BB-10 wrappers of a failure are unwrapped', () => {
  const json = JSON.stringify(BODY)
  test.each<[string, unknown]>([
    ['text', MESSAGE],
    ['a body', BODY],
    ['a body as text', json],
    ['an error whose message is JSON', new Error(json)],
    ['an error whose message ends in JSON', new Error(`400 ${json} (attempt 2)`)],
    ['a cause', new Error('model call failed', { cause: new Error('inner', { cause: BODY }) })],
    ['AI SDK: responseBody', Object.assign(new Error('Bad Request'), { statusCode: 400, responseBody: json })],
    ['AI SDK: data', Object.assign(new Error('Bad Request'), { statusCode: 400, data: BODY })],
    [
      'AI SDK: the last error of a retry, whatever came before',
      Object.assign(new Error('Failed after 3 attempts'), {
        reason: 'maxRetriesExceeded',
        errors: [{ statusCode: 429, message: 'Rate limit reached' }, new Error(MESSAGE)],
        lastError: new Error(MESSAGE),
      }),
    ],
    ['an aggregate, newest first', new AggregateError([new Error('fetch failed'), new Error(MESSAGE)], 'all failed')],
    [
      'axios: response.data',
      Object.assign(new Error('Request failed with status code 400'), { response: { status: 400, data: BODY } }),
    ],
    ['a body that lists errors', { errors: [{ code: 7, message: MESSAGE }] }],
    ['FastAPI: detail', { detail: [{ type: 'value_error', msg: MESSAGE }] }],
    ['Azure: inner error', { error: { message: 'see inner', innererror: { message: MESSAGE } } }],
    ['stream text', `event: ping\ndata: {}\n\nevent: error\ndata: ${json}\n\n`],
    ['an event with its data as text', { event: 'error', data: json }],
    [
      'a Python error in a message',
      new Error(`Error code: 400 - {'type': 'error', 'error': {'message': '${MESSAGE}'}}`),
    ],
  ])('%s', (_, failure) => {
    const facts = overflowFacts(failure, CONTEXT)
    expect(facts).toMatchObject({ kind: 'tokens', limit: 200_000, size: 212_004 })
    expect(facts?.detail).toContain(MESSAGE)
  })

  test('a cycle ends', () => {
    const failure: Record<string, unknown> = { message: 'outer' }
    failure.cause = { error: { data: failure, lastError: new Error(MESSAGE) } }
    expect(overflowFacts(failure, CONTEXT)).toEqual(FACTS)
  })

  test('nesting has a bound', () => {
    const nested = (depth: number): unknown => (depth === 0 ? BODY : { cause: nested(depth - 1) })
    expect(overflowFacts(nested(8), CONTEXT)).toEqual(FACTS)
    expect(overflowFacts(nested(5_000), CONTEXT)).toBeUndefined()
  })

  test('a veto of the attempt before does not hide the newest one, and the other way round', () => {
    const throttled = { statusCode: 429, message: 'Rate limit reached' }
    expect(overflowFacts(new AggregateError([throttled, new Error(MESSAGE)]), CONTEXT)).toEqual(FACTS)
    expect(overflowFacts(new AggregateError([new Error(MESSAGE), throttled]), CONTEXT)).toBeUndefined()
  })

  test('a long message is read at both ends only', () => {
    const long = 'x'.repeat(2_000_000)
    expect(overflowFacts(`${MESSAGE} ${long}`, CONTEXT)?.limit).toBe(200_000)
    expect(overflowFacts(`Traceback ${long} ${MESSAGE}`, CONTEXT)?.limit).toBe(200_000)
    expect(overflowFacts(`${long} ${MESSAGE} ${long}`, CONTEXT)).toBeUndefined()
  })
})

describe('the request is never read', () => {
  test('words of the request do not count', () => {
    const request = { messages: [{ role: 'user', content: MESSAGE }] }
    const failure = Object.assign(new Error('Internal server error'), {
      requestBodyValues: request,
      request: { body: JSON.stringify(request) },
      config: { data: JSON.stringify(request) },
      input: request,
    })
    expect(overflowFacts(failure, CONTEXT)).toBeUndefined()
  })

  test('nor is it touched', () => {
    const failure = new Error('Internal server error')
    for (const key of ['requestBodyValues', 'request', 'config', 'headers', 'url', 'stack']) {
      Object.defineProperty(failure, key, {
        get: () => {
          throw new Error(`read ${key}`)
        },
      })
    }
    expect(overflowFacts(failure, CONTEXT)).toBeUndefined()
  })
})

describe('the detail', () => {
  test('is at most 300 characters and well-formed', () => {
    const detail = overflowFacts(`${MESSAGE} ${'𝔘'.repeat(300)} \ud83d`, CONTEXT)?.detail ?? ''
    expect(detail.length).toBeLessThanOrEqual(300)
    expect(detail.length).toBeGreaterThan(290)
    expect(() => encodeURIComponent(detail)).not.toThrow()
  })

  test.each([
    'Authorization: Bearer abc.def',
    'authorization: Basic dXNlcjpwYXNz',
    'sk-ant-api03-abcdefghijklmnop',
    'gsk_0123456789abcdefghij',
    'AIzaSyA0123456789abcdefghijklmnopqrstuv',
    'AKIAIOSFODNN7EXAMPLE',
    '?key=short1&alt=sse',
    '"api_key": "short2"',
    'x-api-key: short3',
    'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVPmB92K27uhbUJU1p1r',
  ])('masks what looks like a key: %s', (secret) => {
    const detail = overflowFacts(`${MESSAGE} for ${secret} today`, CONTEXT)?.detail ?? ''
    const parts = secret.split(/[ ."=&:?]+/).filter((part) => /\d|abc|dXN/.test(part))
    expect(parts.length).toBeGreaterThan(0)
    for (const part of parts) expect(detail).not.toContain(part)
    expect(detail).toContain('today')
  })

  test('a key that the cut would split is masked before it is cut', () => {
    const failure = `${MESSAGE} ${'.'.repeat(230)} sk-ant-api03-abcdefghijklmnopqrstuvwxyz`
    expect(overflowFacts(failure, CONTEXT)?.detail).not.toContain('sk-ant')
  })
})

describe('never throws', () => {
  test('on any JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        overflowFacts(value, CONTEXT)
        overflowFacts(JSON.stringify(value), CONTEXT)
        overflowFacts({ error: { message: JSON.stringify(value), data: value } }, CONTEXT)
      }),
      { numRuns: 1000 },
    )
  })

  test('on any object built of the keys that are read', () => {
    const keys = fc.constantFrom(
      'message',
      'error',
      'cause',
      'errors',
      'lastError',
      'data',
      'code',
      'status',
      'type',
      'body',
    )
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom<unknown>(MESSAGE, 'rate limit', 400, 429, null, undefined, '{"error":', '[{', 'data: {}'),
        fc.anything(),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(keys, tie('value'), { maxKeys: 4 }),
      ),
    }))
    fc.assert(
      fc.property(value, (failure) => {
        const facts = overflowFacts(failure, CONTEXT)
        expect(facts === undefined || facts.detail.length <= 300).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })

  test('on hostile objects', () => {
    const throwing = {
      get message(): string {
        throw new Error('no')
      },
      error: { message: MESSAGE },
    }
    const refuses = new Proxy(
      {},
      {
        get: () => {
          throw new Error('no')
        },
        ownKeys: () => {
          throw new Error('no')
        },
        getPrototypeOf: () => {
          throw new Error('no')
        },
      },
    )
    const { proxy: revoked, revoke } = Proxy.revocable({}, {})
    revoke()
    const endless: object = new Proxy({}, { get: () => new Proxy({}, { get: () => endless }) })
    expect(overflowFacts(throwing, CONTEXT)).toEqual(FACTS)
    for (const hostile of [
      refuses,
      revoked,
      endless,
      { errors: refuses },
      { cause: revoked },
      () => 1,
      Symbol('x'),
      1n,
    ]) {
      expect(overflowFacts(hostile, CONTEXT)).toBeUndefined()
    }
  })

  test('on any answer', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.double(), fc.constant(undefined)),
        fc.string(),
        fc.nat(),
        (usageInput, finishReason, size) => {
          silentOverflow({ usageInput, finishReason }, { size, window: 8_192 })
        },
      ),
      { numRuns: 1000 },
    )
  })
})
