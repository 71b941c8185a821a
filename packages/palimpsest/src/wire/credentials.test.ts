import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  credentialOf,
  isSensitiveHeader,
  REDACTED,
  redactHeaders,
  redactUrl,
  SENSITIVE_HEADERS,
} from './credentials.ts'

const secrets = fc
  .array(fc.constantFrom(...'abcXYZ0123456789-_.+/'), { minLength: 12, maxLength: 60 })
  .map((characters) => `S3cr3t${characters.join('')}`)

const SCHEMES = ['', 'Bearer ', 'bearer  ', 'Basic ', 'Token ', 'ApiKey ']

describe('no secret survives', () => {
  it('in headers of whatever kind, nor where another header repeats it', () => {
    const names = fc.constantFrom(...SENSITIVE_HEADERS, 'X-My-Token', 'X-Client-Secret', 'MyApiKey', 'X-Access-Key')
    const shapes = fc.constantFrom('record', 'list', 'Headers', 'node')
    fc.assert(
      fc.property(secrets, names, fc.constantFrom(...SCHEMES), shapes, (secret, name, scheme, shape) => {
        const value = `${scheme}${secret}`
        const pairs: [string, string][] = [
          [name, value],
          ['Referer', `https://example.com/?a=1&key=${secret}#x`],
          ['x-note', `sent ${secret} twice: ${value}`],
          ['content-type', 'application/json'],
        ]
        const headers =
          shape === 'record'
            ? Object.fromEntries(pairs)
            : shape === 'list'
              ? pairs
              : shape === 'Headers'
                ? new Headers(pairs)
                : Object.fromEntries(pairs.map(([known, text]) => [known.toLowerCase(), [text]]))
        const redacted = redactHeaders(headers)
        expect(JSON.stringify(redacted)).not.toContain(secret)
        expect(redacted['content-type']).toBe('application/json')
        expect(redacted[name.toLowerCase()]).toBe(REDACTED)
      }),
    )
  })

  it('in cookies that another header repeats', () => {
    const redacted = redactHeaders({ cookie: 'a=1; session=S3cr3tSession; b=2', 'x-copy': 'S3cr3tSession' })
    expect(redacted).toEqual({ cookie: REDACTED, 'x-copy': REDACTED })
  })

  it('in parameters, user names, passwords and fragments of URLs', () => {
    const places = fc.constantFrom<(secret: string) => string>(
      (secret) => `https://h/v1beta/models/m:generateContent?alt=sse&key=${secret}`,
      (secret) => `/v1?api_key=${secret}&x=1`,
      (secret) => `/v1?a=b;access_token=${secret};c`,
      (secret) => `/v1?a=b?key=${secret}`,
      (secret) => `/v1?%6Bey=${secret}`,
      (secret) => `/v1?X-Amz-Signature=${secret}&X-Amz-Credential=${secret}`,
      (secret) => `/v1?url=${encodeURI('https://h/')}&token=${secret}?${secret};${secret}`,
      (secret) => `/cb#access_token=${secret}&state=1`,
      (secret) => `https://user:${secret.replaceAll('/', '')}@h/v1`,
      (secret) => `https://${secret.replaceAll('/', '')}@h/v1?key=${secret}`,
    )
    fc.assert(
      fc.property(secrets, places, (secret, place) => {
        const url = redactUrl(place(secret))
        expect(url).not.toContain(secret)
        expect(url).not.toContain(secret.replaceAll('/', ''))
        expect(url).toContain(REDACTED)
      }),
    )
  })

  it('in a path that holds a key of a known shape', () => {
    expect(redactUrl('/gateway/sk-ant-api03-abcdefghijklmnop/v1/messages')).toBe(`/gateway/${REDACTED}/v1/messages`)
  })
})

describe('what is no secret stays', () => {
  it.each([
    '/v1/messages?beta=true',
    'https://h:8080/openai/deployments/x/chat/completions?api-version=2025-04-01',
    '/v1beta/models/m:streamGenerateContent?alt=sse&key=',
    'https://h/a@b/c?d=e@f',
  ])('%s', (url) => {
    expect(redactUrl(url)).toBe(url)
  })

  it('headers', () => {
    const headers = {
      'anthropic-version': '2023-06-01',
      'user-agent': 'x/1',
      'anthropic-ratelimit-tokens-remaining': '5',
      session_id: 'abc',
    }
    expect(redactHeaders(headers)).toEqual(headers)
    expect(
      redactHeaders([
        ['Accept', 'a'],
        ['accept', 'b'],
      ]),
    ).toEqual({ accept: 'a, b' })
    expect(isSensitiveHeader('Proxy-Authorization')).toBe(true)
  })
})

describe('the credential of a request', () => {
  it.each([
    ['a bearer token', { authorization: 'Bearer abc' }, '/', 'abc'],
    ['a key in a header', new Headers({ 'X-Api-Key': 'abc' }), '/', 'abc'],
    ['the same key in the URL', {}, 'https://h/v1?alt=sse&key=abc#x', 'abc'],
    ['the same key twice', { authorization: 'bearer abc', 'api-key': 'abc' }, '/?key=abc', 'abc'],
    ['a list of values', { 'x-goog-api-key': ['abc'] }, '/', 'abc'],
    [
      'a signature, by its access key',
      { authorization: 'AWS4-HMAC-SHA256 Credential=AKIA1/20260101/us-east-1/bedrock/aws4_request, Signature=f00' },
      '/model/x/converse',
      'AKIA1',
    ],
    ['a signed URL, by its access key', {}, '/?X-Amz-Credential=AKIA1%2F20260101%2Fus&X-Amz-Signature=1', 'AKIA1'],
    ['cookies where there is nothing else', { cookie: 'a=1' }, '/', 'a=1'],
    ['none', { authorization: 'Bearer ', cookie: undefined, 'proxy-authorization': 'Basic abc' }, '/?key=', undefined],
  ])('is %s', (_, headers, url, credential) => {
    expect(credentialOf(headers, url)).toBe(credential)
  })

  it('tells tenants apart that share a dummy', () => {
    const one = credentialOf({ authorization: 'Bearer dummy', 'x-api-key': 'a' }, '/')
    const other = credentialOf({ authorization: 'Bearer dummy', 'x-api-key': 'b' }, '/')
    expect(one).not.toBe(other)
    expect(credentialOf({ authorization: 'Bearer dummy', 'x-api-key': 'a', cookie: 'x=1' }, '/')).toBe(one)
  })
})
