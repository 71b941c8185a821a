import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { anthropicMessages, type Dialect, type OverflowFacts, openaiChat } from 'palimpsest'
import { afterEach, describe, expect, test } from 'vitest'
import { OVERFLOW_WORDINGS, overflowWording } from './overflow-wordings.ts'
import { startWirelab, type Wirelab } from './wirelab.ts'

let running: Wirelab | undefined
afterEach(() => running?.close())

const WINDOW = 1000
/** By words: `user:` and 1,499 more. The library's own estimate is the same. */
const CONTEXT = { size: 1500, window: WINDOW }
const CONTENT = 'word '.repeat(1499)

async function start(wording: string): Promise<Wirelab> {
  running = await startWirelab({
    window: WINDOW,
    wording,
    counter: (text) => text.split(/\s+/).filter((word) => word !== '').length,
  })
  return running
}

const messages = [{ role: 'user' as const, content: CONTENT }]

function askAnthropic({ url }: Wirelab): Promise<unknown> {
  const client = new Anthropic({ baseURL: url, apiKey: 'any', maxRetries: 0 })
  return client.messages.create({ model: 'claude-opus-5', max_tokens: 100, messages })
}

function askOpenai({ url }: Wirelab): Promise<unknown> {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'any', maxRetries: 0 })
  return client.chat.completions.create({ model: 'gpt-5', max_tokens: 100, messages })
}

/** What the library makes of a provider that answers like this, over HTTP and through the official SDK. */
async function factsOf(wording: string, by: 'anthropic' | 'openai'): Promise<OverflowFacts | 'ok' | undefined> {
  const lab = await start(wording)
  const dialect = (by === 'anthropic' ? anthropicMessages : openaiChat) as Pick<Dialect, 'overflow' | 'outcome'>
  const asked = by === 'anthropic' ? askAnthropic(lab) : askOpenai(lab)
  return asked.then(
    (response) => dialect.outcome(response, CONTEXT),
    (failure: unknown) => dialect.overflow(failure, CONTEXT),
  )
}

describe('every row is an overflow to the library, through two SDKs', () => {
  test.each(OVERFLOW_WORDINGS.map(({ name }) => name))('%s', async (name) => {
    for (const by of ['anthropic', 'openai'] as const) {
      const facts = await factsOf(name, by)
      await running?.close()
      expect(facts).toMatchObject({ kind: KINDS[name] ?? 'tokens' })
      if (typeof facts !== 'object') throw new Error('an overflow has facts')
      if (facts.limit !== undefined && facts.kind !== 'bytes') expect(facts.limit).toBe(WINDOW)
      if (facts.size !== undefined) expect([1500, WINDOW]).toContain(facts.size)
    }
  })

  const KINDS: Readonly<Record<string, OverflowFacts['kind']>> = {
    'anthropic-bytes': 'bytes',
    'openai-rate-bucket': 'rate-bucket',
    'groq-rate-bucket': 'rate-bucket',
    'ollama-silent': 'silent',
    'z-ai': 'silent',
    'z-ai-silent': 'silent',
    'stop-reason': 'silent',
  }

  test('names are unique, and one that does not exist lists them', () => {
    const names = OVERFLOW_WORDINGS.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(() => overflowWording('acme')).toThrow('There is no overflow wording "acme".')
  })

  test('the same prompt in a window that it fits is answered', async () => {
    running = await startWirelab({ window: 10_000, wording: 'kimi' })
    const response = await askOpenai(running)
    expect(openaiChat.outcome(response as never, { size: 1500, window: 10_000 })).toBe('ok')
  })
})
