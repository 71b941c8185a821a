import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { APICallError, LoadAPIKeyError } from '@ai-sdk/provider'
import { type Fault, startWirelab, type Wirelab } from '@palimpsest/wirelab'
import fc from 'fast-check'
import { PalimpsestError } from 'palimpsest'
import { afterEach, describe, expect, test } from 'vitest'
import type { AgentModel } from './agent-model.ts'
import { BrokenStream } from './failure/broken-stream.ts'
import { labEnvironment, MODEL_NAMES, streamedStep } from './models.test-data.ts'
import { modelOpener } from './open-model.ts'
import { type ProviderFailure, providerFailure } from './provider-failure.ts'

const MODEL = {
  name: 'anthropic:claude-sonnet-5',
  provider: 'anthropic',
  id: 'claude-sonnet-5',
  upstream: 'api.anthropic.com',
}

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function lab(fault?: Fault): Promise<Wirelab> {
  const started = await startWirelab(fault === undefined ? {} : { faults: [fault] })
  closing.push(() => started.close())
  return started
}

function opened(url: string, name = 'anthropic:claude-sonnet-5'): Promise<AgentModel> {
  return modelOpener({ env: labEnvironment(url), home: '/nowhere' })(name)
}

/** What comes of a call that fails, thrown or in the stream. */
async function failureOf(model: AgentModel, words = 'Hello'): Promise<ProviderFailure> {
  const call = streamedStep(model, [{ role: 'user', content: [{ type: 'text', text: words }] }])
  return call.then(
    () => expect.fail('the call does not fail'),
    (error: unknown) => providerFailure(error, model),
  )
}

const WITH_KEYS = MODEL_NAMES.filter((name) => !name.startsWith('codex:'))

describe.each(WITH_KEYS)('a call of %s', (name) => {
  const faults: readonly (readonly [Fault, expected: Partial<ProviderFailure>])[] = [
    [
      { kind: 'rate-limit', body: true },
      { status: 429, retryable: true },
    ],
    [
      { kind: 'rate-limit', body: false },
      { status: 429, retryable: true },
    ],
    [{ kind: '529' }, { retryable: true }],
    [{ kind: '529', when: 'before-content' }, { retryable: true }],
    [{ kind: '529', when: 'mid-stream' }, { retryable: true }],
    [{ kind: 'disconnect' }, { retryable: true }],
    [{ kind: '413' }, { retryable: false }],
    [{ kind: '413-html' }, { status: 413, retryable: false }],
  ]
  test.each(faults.map(([fault, expected]) => [JSON.stringify(fault), fault, expected] as const))(
    'that fails with %s is told in one line, and whether to try again',
    async (_text, fault, expected) => {
      const { url } = await lab(fault)
      const model = await opened(url, name)
      const failure = await failureOf(model)
      expect(failure).toMatchObject({ code: 'effect-failed', ...expected })
      expect(failure.message).toMatch(new RegExp(`^${name.replace(/[.]/g, '\\.')}: .*${new URL(url).host}`))
      expectFitForLogs(failure)
    },
  )
})

function expectFitForLogs(failure: ProviderFailure): void {
  expect(failure.message).not.toContain('\n')
  expect(failure.message.length).toBeLessThan(500)
  expect(failure.cause).toBeUndefined()
}

describe('what would help', () => {
  test('where no server listens, its address is named', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    const failure = await failureOf(await opened(`http://127.0.0.1:${port}`))
    expect(failure).toMatchObject({
      retryable: true,
      hint: `Is the server at 127.0.0.1:${port} running?`,
      message: expect.stringMatching(new RegExp(`127\\.0\\.0\\.1:${port} cannot be reached \\(ECONNREFUSED\\)$`)),
    })
  })

  test('where a host is not known', async () => {
    const failure = await failureOf(await opened('http://no-such-host.invalid'))
    expect(failure).toMatchObject({
      retryable: true,
      message: expect.stringMatching(/no-such-host\.invalid cannot be found/),
    })
  })

  test.each([
    ['anthropic:claude-sonnet-5', /ANTHROPIC_API_KEY/],
    ['openai:gpt-5', /OPENAI_API_KEY/],
    ['google:gemini-2.5-pro', /GEMINI_API_KEY/],
    ['bedrock:us.amazon.nova-pro-v1:0', /AWS_ACCESS_KEY_ID/],
    ['openai-chat:some-model', /OPENAI_COMPATIBLE_API_KEY/],
  ])('%s: a key that is not taken is named by its variable', async (name, variable) => {
    const url = await answering(401, { error: { message: 'invalid x-api-key', type: 'authentication_error' } })
    const failure = await failureOf(await opened(url, name))
    expect(failure).toMatchObject({ status: 401, retryable: false, hint: expect.stringMatching(variable) })
  })

  test('a model that is not known', async () => {
    const url = await answering(404, {
      type: 'error',
      error: { type: 'not_found_error', message: 'model: claude-sonnet-5' },
    })
    expect(await failureOf(await opened(url))).toMatchObject({
      status: 404,
      retryable: false,
      message: expect.stringMatching(/does not know claude-sonnet-5 \(404\): model: claude-sonnet-5$/),
      hint: expect.stringContaining('Check the model'),
    })
    expect((await failureOf(await opened(url, 'openai-chat:qwen3:4b'))).hint).toContain('ollama pull qwen3:4b')
  })

  test('credit that is used up is not worth another try, whatever its status', async () => {
    const quota = {
      error: { message: 'You exceeded your current quota.', type: 'insufficient_quota', code: 'insufficient_quota' },
    }
    const url = await answering(429, quota)
    expect(await failureOf(await opened(url, 'openai:gpt-5'))).toMatchObject({ status: 429, retryable: false })
    const low = {
      error: { type: 'invalid_request_error', message: 'Your credit balance is too low to access the API.' },
    }
    expect(await failureOf(await opened(await answering(400, low)))).toMatchObject({
      retryable: false,
      message: expect.stringContaining('has no more for this account'),
    })
  })

  test.each<[string, Parameters<typeof apiError>[0], Partial<ProviderFailure>]>([
    [
      'the plan of Codex is used up for a while',
      {
        statusCode: 429,
        responseBody: '{"error":{"type":"usage_limit_reached","message":"The limit.","resets_in_seconds":90}}',
      },
      {
        retryable: false,
        retryAfter: 90_000,
        message: expect.stringMatching(/no more for this account \(429\): The limit\.$/),
      },
    ],
    [
      'a detail is all there is',
      { statusCode: 400, responseBody: '{"detail":"Store must be false"}' },
      { message: expect.stringMatching(/: Store must be false$/) },
    ],
    ['nothing is paid', { statusCode: 402 }, { retryable: false, hint: expect.stringContaining('billing') }],
    [
      'Google has a word of its own for a wrong key',
      { statusCode: 400, message: 'API key not valid. Please pass a valid API key.' },
      { retryable: false, hint: expect.stringContaining('ANTHROPIC_API_KEY') },
    ],
    [
      'Bedrock wants an inference profile',
      { statusCode: 400, message: 'Invocation of model ID x with on-demand throughput isn’t supported.' },
      { hint: expect.stringContaining('us.anthropic.') },
    ],
    [
      'a certificate is not trusted',
      { cause: Object.assign(new Error('self-signed'), { code: 'SELF_SIGNED_CERT_IN_CHAIN' }) },
      { retryable: false, hint: expect.stringContaining('NODE_EXTRA_CA_CERTS') },
    ],
  ])('%s', (_case, fields, expected) => {
    expect(providerFailure(apiError(fields), MODEL)).toMatchObject(expected)
  })

  test('a missing key, and an error that says itself what would help', () => {
    const missing = new LoadAPIKeyError({ message: 'Anthropic API key is missing.' })
    expect(providerFailure(missing, MODEL)).toMatchObject({
      retryable: false,
      hint: expect.stringContaining('ANTHROPIC_API_KEY'),
    })
    const own = new PalimpsestError('not-found', 'The Codex login has expired.', { hint: 'Run `codex login`.' })
    expect(providerFailure(new Error('wrapped', { cause: own }), MODEL)).toMatchObject({
      message: 'The Codex login has expired.',
      hint: 'Run `codex login`.',
      retryable: false,
    })
  })

  test('a failure stays what it is', () => {
    const failure = providerFailure(new Error('x'), MODEL)
    expect(providerFailure(failure, MODEL)).toBe(failure)
  })
})

describe('what stands in a stream', () => {
  test.each<[unknown, Partial<ProviderFailure>]>([
    [
      { type: 'overloaded_error', message: 'Overloaded' },
      { status: 529, retryable: true },
    ],
    [
      { type: 'rate_limit_error', message: 'Slow down.' },
      { status: 429, retryable: true },
    ],
    [
      { type: 'response.failed', response: { error: { code: 'server_error', message: 'Oops.' } } },
      { status: 500, retryable: true },
    ],
    [
      { type: 'error', code: 'insufficient_quota', message: 'No more.' },
      { status: 429, retryable: false },
    ],
    [
      { type: 'invalid_request_error', message: 'No.' },
      { status: 400, retryable: false },
    ],
    ['upstream connect error: connection closed', { retryable: true }],
    [new BrokenStream('cut-off'), { retryable: true }],
    [new BrokenStream('silent'), { retryable: true }],
    [
      Object.assign(new TypeError('terminated'), {
        cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }),
      }),
      { retryable: true },
    ],
    [new Error('Cannot read this.'), { retryable: false }],
    [undefined, { retryable: false }],
    [{ message: 'Bedrock is unable to process your request.' }, { retryable: true }],
    [{ message: 'The value of temperature is invalid.' }, { retryable: false }],
  ])('%j', (error, expected) => {
    const failure = providerFailure(error, MODEL)
    expect(failure).toMatchObject(expected)
    expectFitForLogs(failure)
  })
})

describe('when to come back', () => {
  test.each<[Record<string, string>, number]>([
    [{ 'retry-after': '12' }, 12_000],
    [{ 'retry-after-ms': '1500', 'retry-after': '2' }, 1_500],
    [{ 'retry-after': 'Mon, 30 Nov 2026 12:00:30 GMT', date: 'Mon, 30 Nov 2026 12:00:00 GMT' }, 30_000],
    [{ 'retry-after': 'Mon, 30 Nov 2026 12:00:00 GMT', date: 'Mon, 30 Nov 2026 12:00:30 GMT' }, 0],
    [{ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '6m0s' }, 360_000],
    [
      {
        'x-ratelimit-remaining-tokens': '0',
        'x-ratelimit-reset-tokens': '120ms',
        'x-ratelimit-remaining-requests': '5',
        'x-ratelimit-reset-requests': '1h',
      },
      120,
    ],
    [
      {
        'anthropic-ratelimit-input-tokens-remaining': '0',
        'anthropic-ratelimit-input-tokens-reset': '2026-11-30T12:01:00Z',
        date: 'Mon, 30 Nov 2026 12:00:00 GMT',
      },
      60_000,
    ],
  ])('%j', (responseHeaders, wait) => {
    expect(providerFailure(apiError({ statusCode: 429, responseHeaders }), MODEL).retryAfter).toBe(wait)
  })

  test('as the body or the words have it', () => {
    const google =
      '{"error":{"code":429,"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.5s"}]}}'
    expect(providerFailure(apiError({ statusCode: 429, responseBody: google }), MODEL).retryAfter).toBe(34_500)
    const words = { statusCode: 429, message: 'Rate limit reached. Please try again in 1m2.5s. Visit …' }
    expect(providerFailure(apiError(words), MODEL).retryAfter).toBe(62_500)
    expect(providerFailure(apiError({ statusCode: 429 }), MODEL).retryAfter).toBeUndefined()
  })

  test('and whether at all, where the server says it', () => {
    const told = (answer: string, statusCode: number) =>
      providerFailure(apiError({ statusCode, responseHeaders: { 'x-should-retry': answer } }), MODEL).retryable
    expect([told('false', 529), told('true', 400)]).toEqual([false, true])
  })
})

describe('nothing of what was sent, and no secret', () => {
  const KEY = ['sk', 'ant', 'api03', 'aB3dE5gH7jK9'.repeat(5)].join('-')

  test('is in a failure, whatever the provider quotes', () => {
    const prompt = fc
      .string({ unit: 'grapheme', minLength: 30, maxLength: 400 })
      .filter((text) => text.trim().length > 30)
    fc.assert(
      fc.property(prompt, fc.string(), fc.string(), (text, before, after) => {
        const message = `${before}${text}${after} with the key ${KEY}`
        const error = apiError({
          message,
          statusCode: 400,
          requestBodyValues: { messages: [{ role: 'user', content: [{ type: 'text', text }] }] },
          responseBody: JSON.stringify({ error: { message } }),
          responseHeaders: { 'x-echo': text },
        })
        const failure = providerFailure(error, MODEL)
        // the line reads white space as one blank
        const quoted = text.replace(/\s+/g, ' ').trim()
        for (const shown of [inspect(failure, { depth: 9 }), JSON.stringify(failure), failure.message]) {
          expect(shown).not.toContain(quoted)
          expect(shown).not.toContain(KEY)
        }
        expectFitForLogs(failure)
      }),
    )
  })

  test('but what the provider says of it', () => {
    const error = apiError({
      statusCode: 400,
      message: `messages.3: the text "the secret plan of the launch is to start at noon" is refused (claude-sonnet-5)`,
      requestBodyValues: { model: 'claude-sonnet-5', messages: ['the secret plan of the launch is to start at noon'] },
    })
    expect(providerFailure(error, MODEL).message).toBe(
      'anthropic:claude-sonnet-5: api.anthropic.com refused the call (400): messages.3: the text "…" is refused (claude-sonnet-5)',
    )
  })
})

function apiError(fields: Partial<ConstructorParameters<typeof APICallError>[0]>): APICallError {
  return new APICallError({
    message: 'No.',
    url: 'https://api.anthropic.com/v1/messages',
    requestBodyValues: {},
    ...fields,
  })
}

/** A server that always answers like this. */
async function answering(status: number, body: object): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
