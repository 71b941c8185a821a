import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PalimpsestError } from 'palimpsest'
import { describe, expect, test } from 'vitest'
import type { AgentModel } from './agent-model.ts'
import { labEnvironment, MODEL_NAMES } from './models.test-data.ts'
import { modelOpener } from './open-model.ts'
import { providerFailure } from './provider-failure.ts'

const HOME = '/nowhere'

function opening(name: string, env: Record<string, string> = {}, more: { baseUrls?: Record<string, string> } = {}) {
  return modelOpener({ env, home: HOME, ...more })(name)
}

async function failureOf(name: string, env: Record<string, string> = {}): Promise<PalimpsestError> {
  const error = await opening(name, env).catch((failure: unknown) => failure)
  if (!(error instanceof PalimpsestError)) throw new Error(`${name} is opened`)
  return error
}

describe('F1 a key that is missing', () => {
  test.each([
    ['anthropic:claude-sonnet-5', {}, 'ANTHROPIC_API_KEY is not set'],
    ['openai:gpt-5', {}, 'OPENAI_API_KEY is not set'],
    ['openai:gpt-5', { OPENAI_API_KEY: '  ' }, 'OPENAI_API_KEY is not set'],
    ['google:gemini-2.5-pro', {}, 'GOOGLE_GENERATIVE_AI_API_KEY (or GEMINI_API_KEY, GOOGLE_API_KEY) is not set'],
    ['bedrock:us.amazon.nova-pro-v1:0', {}, 'AWS_ACCESS_KEY_ID (or AWS_BEARER_TOKEN_BEDROCK) is not set'],
    ['bedrock:us.amazon.nova-pro-v1:0', { AWS_ACCESS_KEY_ID: 'any' }, 'AWS_SECRET_ACCESS_KEY is not set'],
    ['bedrock:us.amazon.nova-pro-v1:0', { AWS_BEARER_TOKEN_BEDROCK: 'any' }, 'AWS_REGION is not set'],
    ['openai-chat:gpt-4.1', {}, 'OPENAI_API_KEY (or OPENAI_COMPATIBLE_API_KEY) is not set'],
    [
      'openai-chat:m',
      { OPENAI_BASE_URL: 'https://api.groq.com/openai/v1', OPENAI_COMPATIBLE_API_KEY: '' },
      'GROQ_API_KEY',
    ],
    ['codex:gpt-5-codex', {}, 'There is no Codex login: /nowhere/.codex/auth.json cannot be read.'],
  ])('%s %j is one line that names the variable, and what works without', async (name, env, message) => {
    const error = await failureOf(name, env as Record<string, string>)
    expect(error).toMatchObject({ code: 'not-found', hint: expect.stringContaining('--model wirelab:demo') })
    expect(error.message).toContain(message)
    expect(`${error.message} ${error.hint}`).not.toContain('\n')
  })
})

describe('F1 a key', () => {
  test('of whatever shape is taken out of what a server refuses with', async () => {
    const env = { OPENAI_COMPATIBLE_API_KEY: 'plain-9-key', OPENAI_BASE_URL: 'http://localhost:1', MODEL_TOKENS: '5' }
    const model = await opening('openai-chat:m', env)
    const failure = providerFailure(new Error('Incorrect API key provided: plain-9-key (5).'), model)
    expect(failure.message).toContain('Incorrect API key provided: … (5).')
  })
})

describe('F1 a base URL', () => {
  test.each([
    ['https://gw.example', 'https://gw.example/v1/messages'],
    ['https://gw.example/v1/', 'https://gw.example/v1/messages'],
    ['https://gw.example/anthropic', 'https://gw.example/anthropic/v1/messages'],
  ])('anthropic: %s', async (baseUrl, url) => {
    expect(await calledUrl('anthropic:claude-sonnet-5', { ANTHROPIC_BASE_URL: baseUrl })).toBe(url)
  })

  test.each([
    ['https://gw.example', 'https://gw.example/v1/responses'],
    ['https://gw.example/v1', 'https://gw.example/v1/responses'],
    ['https://gw.example/openai/', 'https://gw.example/openai/responses'],
  ])('openai: %s', async (baseUrl, url) => {
    expect(await calledUrl('openai:gpt-5', { OPENAI_BASE_URL: baseUrl })).toBe(url)
  })

  test.each([
    ['http://localhost:11434', 'http://localhost:11434/v1/chat/completions'],
    ['http://localhost:11434/v1', 'http://localhost:11434/v1/chat/completions'],
    ['https://openrouter.example/api/v1', 'https://openrouter.example/api/v1/chat/completions'],
  ])('openai-chat: %s', async (baseUrl, url) => {
    expect(await calledUrl('openai-chat:m', { OPENAI_COMPATIBLE_BASE_URL: baseUrl })).toBe(url)
  })

  test.each(['https://gw.example', 'https://gw.example/v1beta'])('google: %s', async (baseUrl) => {
    const url = await calledUrl('google:gemini-2.5-pro', { GOOGLE_GEMINI_BASE_URL: baseUrl })
    expect(url).toMatch(/^https:\/\/gw\.example\/v1beta\/models\/gemini-2\.5-pro:/)
  })

  test('is the provider’s own where nobody names one, and the one of the configuration where that does', async () => {
    expect(await calledUrl('anthropic:claude-sonnet-5', {})).toBe('https://api.anthropic.com/v1/messages')
    expect(await calledUrl('openai:gpt-5', {})).toBe('https://api.openai.com/v1/responses')
    expect(await calledUrl('openai-chat:gpt-4.1', {})).toBe('https://api.openai.com/v1/chat/completions')
    expect(await calledUrl('bedrock:us.amazon.nova-pro-v1:0', {})).toMatch(
      /^https:\/\/bedrock-runtime\.us-east-1\.amazonaws\.com\/model\//,
    )
    const env = { ANTHROPIC_BASE_URL: 'https://weaker.example' }
    const baseUrls = { anthropic: 'https://stronger.example' }
    expect(await calledUrl('anthropic:claude-sonnet-5', env, baseUrls)).toBe('https://stronger.example/v1/messages')
  })

  test.each(['localhost:11434', 'nonsense', 'file:///etc'])('%s is none', async (OPENAI_COMPATIBLE_BASE_URL) => {
    expect(await failureOf('openai-chat:m', { OPENAI_COMPATIBLE_BASE_URL })).toMatchObject({
      code: 'invalid-input',
      message: expect.stringContaining('OPENAI_COMPATIBLE_BASE_URL is no URL'),
    })
  })

  test('names the server that answers', async () => {
    const model = await opening('openai:gpt-5', { OPENAI_API_KEY: 'any', OPENAI_BASE_URL: 'http://localhost:8080/v1' })
    expect(model.upstream).toBe('localhost:8080')
  })
})

describe('F1 a chat server', () => {
  const sent = (host: string, env: Record<string, string>) =>
    sentRequest('openai-chat:gpt-5', { OPENAI_COMPATIBLE_BASE_URL: `https://${host}/v1`, ...env })

  test('gets its own key, and never OpenAI’s', async () => {
    const keys = { OPENAI_API_KEY: 'openai', GROQ_API_KEY: 'groq' }
    const key = async (host: string, env: Record<string, string>) =>
      (await sent(host, env)).headers.get('authorization')
    expect(await key('api.groq.com', keys)).toBe('Bearer groq')
    expect(await key('unknown.example', keys)).toBeNull()
    expect(await key('unknown.example', { ...keys, OPENAI_COMPATIBLE_API_KEY: 'own' })).toBe('Bearer own')
    expect(await key('api.openai.com', keys)).toBe('Bearer openai')
    const pointed = await sentRequest('openai-chat:m', { ...keys, OPENAI_BASE_URL: 'https://unknown.example/v1' })
    expect(pointed.headers.get('authorization')).toBe('Bearer openai')
  })

  test('of OpenAI is told the output cap under its newer name', async () => {
    expect((await sent('api.openai.com', { OPENAI_API_KEY: 'any' })).body).toMatchObject({
      max_completion_tokens: 32_000,
    })
    expect((await sent('local.example', {})).body).toMatchObject({ max_tokens: 32_000 })
  })

  test('that refuses unknown fields sees no reasoning', async () => {
    const reasoned = await opening('openai-chat:m', { OPENAI_COMPATIBLE_BASE_URL: 'http://localhost:1/v1' })
    const strict = await opening('openai-chat:m', {
      OPENAI_COMPATIBLE_BASE_URL: 'https://api.mistral.ai/v1',
      MISTRAL_API_KEY: 'x',
    })
    const prompt: Parameters<AgentModel['fit']>[0] = [
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Hm.' },
          { type: 'text', text: 'I see.' },
        ],
      },
    ]
    expect(reasoned.fit(prompt)).toBe(prompt)
    expect(strict.fit(prompt)).toEqual([{ role: 'assistant', content: [{ type: 'text', text: 'I see.' }] }])
  })

  test('gets back the signatures that it gave to calls, and none of Google’s own', async () => {
    const model = await opening('openai-chat:gemini-3-pro', { OPENAI_COMPATIBLE_BASE_URL: 'http://localhost:1/v1' })
    const call = (providerOptions: Record<string, Record<string, string>>) => [
      {
        role: 'assistant' as const,
        content: [{ type: 'tool-call' as const, toolCallId: 'c', toolName: 'read', input: {}, providerOptions }],
      },
    ]
    const optionsOf = (prompt: ReturnType<AgentModel['fit']>) =>
      prompt[0]?.role === 'assistant' ? prompt[0].content[0]?.providerOptions : undefined
    expect(optionsOf(model.fit(call({ google: { thoughtSignature: 'foreign' } })))).toEqual({})
    expect(optionsOf(model.fit(call({ 'openai-chat': { thoughtSignature: 'own' } })))).toMatchObject({
      google: { thoughtSignature: 'own' },
    })
  })
})

describe('F1 opening a model', () => {
  test('by a name without its provider gives the whole name', async () => {
    const model = await opening('claude-sonnet-5', { ANTHROPIC_API_KEY: 'any' })
    expect(model).toMatchObject({ name: 'anthropic:claude-sonnet-5', provider: 'anthropic', id: 'claude-sonnet-5' })
  })

  test('of another provider is that one’s to do', async () => {
    const other = { name: 'wirelab:demo' } as AgentModel
    const open = modelOpener({ env: {}, home: HOME, others: { wirelab: async (id) => ({ ...other, id }) } })
    expect(await open('wirelab:some:session')).toEqual({ name: 'wirelab:demo', id: 'some:session' })
    await expect(open('nothing:x')).rejects.toMatchObject({ hint: expect.stringContaining('wirelab:demo') })
  })

  test.each(MODEL_NAMES.filter((name) => !name.startsWith('codex:')))(
    '%s reads no variable but those it is given',
    async (name) => {
      const model = await opening(name, labEnvironment('http://localhost:1'))
      expect(model.upstream).toBe('localhost:1')
    },
  )

  test('loads the SDKs of the providers only then', () => {
    for (const file of readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts') || file.includes('.test')) continue
      const text = readFileSync(join(import.meta.dirname, file), 'utf8')
      expect(text, file).not.toMatch(/^import (?!type ).*from '@ai-sdk\/(?!provider')/m)
    }
  })
})

/** What goes out, to a server that is not there. */
async function sentRequest(
  name: string,
  env: Record<string, string>,
  baseUrls: Record<string, string> = {},
): Promise<{ readonly url: string; readonly headers: Headers; readonly body: unknown }> {
  const sent: { url: string; headers: Headers; body: unknown }[] = []
  const fetch: typeof globalThis.fetch = async (url, init) => {
    sent.push({ url: String(url), headers: new Headers(init?.headers), body: JSON.parse(String(init?.body)) })
    throw new Error('seen')
  }
  const model = await modelOpener({ env, home: HOME, baseUrls, fetch })(name)
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }]
  await Promise.resolve(model.language.doGenerate({ ...model.settings, prompt })).catch(() => undefined)
  const [request] = sent
  if (request === undefined) throw new Error('nothing was sent')
  return request
}

const KEYS = {
  ANTHROPIC_API_KEY: 'any',
  OPENAI_API_KEY: 'any',
  GEMINI_API_KEY: 'any',
  AWS_BEARER_TOKEN_BEDROCK: 'any',
  AWS_REGION: 'us-east-1',
}

async function calledUrl(
  name: string,
  env: Record<string, string>,
  baseUrls?: Record<string, string>,
): Promise<string> {
  return (await sentRequest(name, { ...KEYS, ...env }, baseUrls)).url
}
