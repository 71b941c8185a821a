import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LanguageModelV3Prompt } from '@ai-sdk/provider'
import {
  type CallRecord,
  type LabCall,
  type Reply,
  type Script,
  startWirelab,
  toolLoop,
  type Wirelab,
  type WirelabOptions,
} from '@palimpsest/wirelab'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { labEnvironment, MODEL_NAMES, madeToken, runLoop, streamedStep } from './models.test-data.ts'
import { modelOpener } from './open-model.ts'

const TOKEN = madeToken({
  exp: 4_000_000_000,
  'https://api.openai.com/auth': { chatgpt_account_id: 'account-of-token' },
})
const LOOP = toolLoop({
  steps: 2,
  tool: 'read_file',
  parallel: 2,
  input: (step) => ({ path: `src/${step}.ts` }),
  reasoning: (step) => `I should read file ${step}.`,
  text: (step) => `I read file ${step}.`,
  final: 'All is read.',
})
/** The same from a server that numbers its calls from 0 in every answer, as some do, and says nothing beside them. */
const NUMBERED: Script = async (call) => {
  const reply = await replyOf(call)
  const parts = reply.parts.filter(({ kind }) => kind !== 'text' || reply.parts.length < 4)
  return {
    ...reply,
    parts: parts.map((part, at) => (part.kind === 'tool-call' ? { ...part, id: `functions.read_file:${at}` } : part)),
  }
}
const replyOf = (call: LabCall): Reply | Promise<Reply> => (typeof LOOP === 'function' ? LOOP(call) : { parts: [] })
const START: LanguageModelV3Prompt = [
  { role: 'system', content: 'You are a careful programmer.' },
  { role: 'system', content: 'The project has these rules.' },
  { role: 'user', content: [{ type: 'text', text: 'Read the files.' }] },
]

let codexHome: string
let lab: Wirelab
const labs: Wirelab[] = []
beforeAll(async () => {
  codexHome = await mkdtemp(join(tmpdir(), 'codex-'))
  await writeFile(
    join(codexHome, 'auth.json'),
    JSON.stringify({ tokens: { access_token: TOKEN, account_id: 'acc-1' } }),
  )
})
afterAll(() => rm(codexHome, { recursive: true }))
afterEach(async () => {
  await Promise.all(labs.splice(0).map((one) => one.close()))
})

async function open(name: string, options: WirelabOptions = { script: LOOP }) {
  lab = await startWirelab(options)
  labs.push(lab)
  return opener()(name)
}

function opener(effort?: 'low' | 'medium' | 'high') {
  return modelOpener({ env: labEnvironment(lab.url, codexHome), home: '/nowhere', ...(effort && { effort }) })
}

describe.each(MODEL_NAMES)('F1 %s', (name) => {
  test('streams a tool loop that is answered at every step', async () => {
    const model = await open(name)
    const prompt = await runLoop(model, START)
    expect(refusals(lab.calls)).toEqual([])
    expect(lab.calls.map(({ stream, outcome }) => [stream, outcome])).toEqual(Array(3).fill([true, 'answered']))
    expect(prompt.map(({ role }) => role).join(' ')).toBe('system system user assistant tool assistant tool assistant')
    expect(prompt.at(-1)?.content.at(-1)).toMatchObject({ text: expect.stringMatching(/All is read\.$/) })
    // both blocks of the system prompt arrive, whatever this API calls them
    for (const { bodyText } of lab.calls) {
      expect(bodyText).toContain('You are a careful programmer.')
      expect(bodyText).toContain('The project has these rules.')
    }
    // its own answers go back to it as they came
    expect(model.fit(prompt)).toBe(prompt)
  })

  test.each(MODEL_NAMES.filter((other) => other !== name))('takes over what %s wrote', async (other) => {
    // Claude's thinking is bound to the ids of the calls behind it, which are its own
    const model = await open(name, { script: other.includes('claude') ? LOOP : NUMBERED })
    const written = await runLoop(await opener()(other), START)
    const seen = lab.calls.length
    // an answer that broke off while it thought
    const thought = written.flatMap(({ role, content }) => (role === 'assistant' ? content : [])).slice(0, 1)
    const broken: LanguageModelV3Prompt = thought.every(({ type }) => type === 'reasoning')
      ? [{ role: 'assistant', content: thought }]
      : []
    const question = { role: 'user' as const, content: [{ type: 'text' as const, text: 'And now?' }] }
    await streamedStep(model, [...written, question, ...broken, question])
    expect(refusals(lab.calls.slice(seen))).toEqual([])
    if (!name.includes('claude')) return
    const ids = [...(lab.calls.at(-1)?.bodyText ?? '').matchAll(/"(?:tool_use","id|toolUseId)":"([^"]*)"/g)]
    expect(ids.length).toBeGreaterThan(3)
    for (const [, id] of ids) expect(id).toMatch(/^[a-zA-Z0-9_-]+$/)
  })

  test.each(['low', 'medium', 'high'] as const)('is told to think with effort %s, and is answered', async (effort) => {
    await open(name)
    await runLoop(await opener(effort)(name), START)
    expect(refusals(lab.calls)).toEqual([])
    const told = EFFORT_FIELDS.exec(JSON.stringify(lab.calls[0]?.body)) !== null
    expect(told).toBe(name !== 'openai-chat:some/local-model:7b')
  })
})

const EFFORT_FIELDS = /"(?:budget_tokens|effort|thinkingLevel|reasoning_effort)":/

describe('F1 a request to', () => {
  test('Responses stores nothing there, and carries its reasoning itself', async () => {
    await runLoop(await open('openai:gpt-5'), START)
    for (const { body } of lab.calls) {
      expect(body).toMatchObject({ store: false, include: ['reasoning.encrypted_content'], max_output_tokens: 32_000 })
      expect(itemTypes(body)).not.toContain('item_reference')
    }
    const reasoning = itemsOf(lab.calls.at(-1)?.body).filter(({ type }) => type === 'reasoning')
    expect(reasoning).toHaveLength(2)
    for (const item of reasoning) expect(item.encrypted_content).toEqual(expect.any(String))
  })

  test('Codex has its instructions, the account of the login, and no output cap', async () => {
    const model = await open('codex:gpt-5-codex')
    await streamedStep(model, START, { maxOutputTokens: 1_000, temperature: 0 })
    const [call] = lab.calls
    expect(call?.path).toBe('/backend-api/codex/responses')
    expect(call?.headers).toMatchObject({
      authorization: `Bearer ${TOKEN}`,
      'chatgpt-account-id': 'acc-1',
      originator: 'palimpsest',
    })
    expect(call?.body).toMatchObject({
      instructions: 'You are a careful programmer.\n\nThe project has these rules.',
      store: false,
      stream: true,
    })
    expect(call?.body).not.toHaveProperty('max_output_tokens')
    expect(call?.body).not.toHaveProperty('temperature')
    expect(itemsOf(call?.body).map(({ role }) => role)).toEqual(['user'])
  })

  test('Codex is a stream even where the whole answer is asked for', async () => {
    const model = await open('codex:gpt-5-codex')
    const answer = await model.language.doGenerate({ ...model.settings, tools: [], prompt: START })
    expect(lab.calls.map(({ stream, outcome }) => [stream, outcome])).toEqual([[true, 'answered']])
    expect(answer.content.map(({ type }) => type)).toEqual(['reasoning', 'text', 'tool-call', 'tool-call'])
    expect(answer.content[0]).toMatchObject({ providerMetadata: { codex: { itemId: expect.any(String) } } })
    expect(answer).toMatchObject({
      finishReason: { unified: 'tool-calls' },
      usage: { inputTokens: { total: expect.any(Number) } },
    })
  })

  test('a keyless server has no credential, and asks for the usage of streams', async () => {
    lab = await startWirelab({ script: LOOP })
    labs.push(lab)
    const env = { OPENAI_API_KEY: 'sk-of-somebody-else', OPENAI_COMPATIBLE_BASE_URL: `${lab.url}/v1` }
    const model = await modelOpener({ env, home: '/nowhere' })('openai-chat:qwen3-coder:30b')
    await streamedStep(model, START)
    expect(refusals(lab.calls)).toEqual([])
    expect(lab.calls[0]?.headers).not.toHaveProperty('authorization')
    expect(lab.calls[0]?.body).toMatchObject({ model: 'qwen3-coder:30b', stream_options: { include_usage: true } })
  })

  test('Bedrock is signed with the keys of AWS, or carries its API key', async () => {
    await streamedStep(await open('bedrock:anthropic.claude-sonnet-4-5-20250929-v1:0'), START)
    expect(lab.calls[0]?.headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=any\/\d+\/us-east-1\/bedrock\//)
    const env = { ...labEnvironment(lab.url), AWS_BEARER_TOKEN_BEDROCK: 'bedrock-key' }
    const model = await modelOpener({ env, home: '/nowhere' })('bedrock:anthropic.claude-sonnet-4-5-20250929-v1:0')
    await streamedStep(model, START)
    expect(lab.calls[1]?.headers.authorization).toBe('Bearer bedrock-key')
    expect(refusals(lab.calls)).toEqual([])
  })

  test('Anthropic may carry a bearer token for a gateway', async () => {
    await open('anthropic:claude-sonnet-5')
    const env = { ANTHROPIC_AUTH_TOKEN: 'gateway', ANTHROPIC_BASE_URL: `${lab.url}/v1` }
    await streamedStep(await modelOpener({ env, home: '/nowhere' })('anthropic:claude-sonnet-5'), START)
    expect(lab.calls[0]).toMatchObject({ path: '/v1/messages', headers: { authorization: 'Bearer gateway' } })
    expect(lab.calls[0]?.headers).not.toHaveProperty('x-api-key')
  })
})

interface Item {
  readonly type?: string
  readonly role?: string
  readonly encrypted_content?: string
}

function itemsOf(body: unknown): readonly Item[] {
  return (body as { readonly input: readonly Item[] }).input
}

function itemTypes(body: unknown): readonly (string | undefined)[] {
  return itemsOf(body).map(({ type }) => type)
}

function refusals(calls: readonly CallRecord[]): readonly string[] {
  return calls
    .filter(({ outcome }) => outcome !== 'answered')
    .map(({ status, path, reason, message }) => `${status} ${path} ${reason} ${message}`)
}
