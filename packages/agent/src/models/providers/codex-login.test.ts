import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { madeToken } from '../models.test-data.ts'
import { modelOpener } from '../open-model.ts'
import { codexLogin } from './codex-login.ts'

const NOW = Date.UTC(2026, 10, 30)
const VALID = madeToken({ exp: NOW / 1_000 + 60, 'https://api.openai.com/auth': { chatgpt_account_id: 'of-access' } })

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'home-'))
  await mkdir(join(home, '.codex'))
})
afterEach(() => rm(home, { recursive: true }))

function login(env: Record<string, string> = {}) {
  return codexLogin({ env, home, now: () => NOW })
}

function write(content: object | string, folder = join(home, '.codex')): Promise<void> {
  return writeFile(join(folder, 'auth.json'), typeof content === 'string' ? content : JSON.stringify(content))
}

describe('F1 the Codex login', () => {
  test('is read from the user’s folder, or from CODEX_HOME', async () => {
    await write({ OPENAI_API_KEY: null, tokens: { access_token: VALID, refresh_token: 'r', account_id: 'acc' } })
    expect(await login()).toEqual({ token: VALID, account: 'acc' })
    const other = join(home, 'other')
    await mkdir(other)
    await write({ tokens: { access_token: VALID, account_id: 'acc-2' }, last_refresh: '2026-11-01' }, other)
    expect(await login({ CODEX_HOME: other })).toMatchObject({ account: 'acc-2' })
  })

  test('names its account in the tokens where it does not beside them', async () => {
    await write({ tokens: { access_token: VALID } })
    expect((await login()).account).toBe('of-access')
    const id_token = madeToken({ 'https://api.openai.com/auth': { chatgpt_account_id: 'of-id' } })
    await write({ tokens: { access_token: VALID, id_token, account_id: '' } })
    expect((await login()).account).toBe('of-id')
    await write({ tokens: { access_token: 'opaque' } })
    expect(await login()).toEqual({ token: 'opaque', account: undefined })
  })

  const EXPIRED = madeToken({ exp: NOW / 1_000 })
  test.each<[string, object | string, RegExp]>([
    ['expired', { tokens: { access_token: EXPIRED } }, /has expired/],
    ['of an API key', { OPENAI_API_KEY: 'sk-secret' }, /holds an API key instead/],
    ['empty', {}, /holds no tokens/],
    ['no JSON', `{"tokens": {"access_token": "${VALID}"`, /cannot be understood/],
    ['of another shape', { tokens: { access_token: 7, id_token: VALID } }, /cannot be understood/],
  ])('that is %s is one line without any token', async (_kind, content, message) => {
    await write(content)
    const error = await login().catch((failure: unknown) => failure)
    expect(error).toMatchObject({
      code: 'not-found',
      message: expect.stringMatching(message),
      hint: expect.stringContaining('codex login'),
    })
    for (const secret of [VALID, EXPIRED, 'sk-secret']) expect(inspect(error, { depth: 9 })).not.toContain(secret)
  })

  test('that expires while a session goes on fails its next call with what to do', async () => {
    let now = NOW
    await write({ tokens: { access_token: VALID, account_id: 'acc' } })
    const tokens: (string | null)[] = []
    const fetch: typeof globalThis.fetch = async (_url, init) => {
      tokens.push(new Headers(init?.headers).get('authorization'))
      return new Response('', { status: 500 })
    }
    const model = await modelOpener({ env: {}, home, fetch, now: () => now })('codex:gpt-5-codex')
    const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }]
    const call = () => Promise.resolve(model.language.doStream({ prompt })).catch((failure: unknown) => failure)
    await call()
    now += 120_000
    expect(await call()).toMatchObject({ message: expect.stringContaining('has expired') })
    // the Codex CLI has renewed it
    const renewed = madeToken({ exp: NOW / 1_000 + 600 })
    await write({ tokens: { access_token: renewed, account_id: 'acc' } })
    await call()
    expect(tokens).toEqual([`Bearer ${VALID}`, `Bearer ${renewed}`])
  })
})
