import { dialectByName, type OverflowFacts } from 'palimpsest'
import { afterEach, describe, expect, test } from 'vitest'
import type { Fault } from '../faults.ts'
import type { FormatName } from '../format.ts'
import { answer } from '../script/script.ts'
import { startWirelab, type Wirelab, type WirelabOptions } from '../wirelab.ts'

let running: Wirelab | undefined
afterEach(() => running?.close())

interface Speaking {
  readonly path: string
  readonly streamPath: string
  readonly body: object
  readonly streamBody: object
}

const SAID = 'The answer is forty-two, of course.'
const RESPONSES = { model: 'gpt-5', input: [{ role: 'user', content: 'Hello' }] }
const MESSAGES = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] }
const CODEX = { ...RESPONSES, instructions: 'Be brief.', store: false, stream: true }
const GEMINI = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }
const BEDROCK = { messages: [{ role: 'user', content: [{ text: 'Hello' }] }] }

/** A short question in each format, and where it goes. */
const FORMATS: readonly (readonly [FormatName, Speaking])[] = [
  ['anthropic-messages', streamedBy('/v1/messages', { ...MESSAGES, max_tokens: 10 })],
  ['openai-chat', streamedBy('/v1/chat/completions', MESSAGES)],
  ['openai-responses', streamedBy('/v1/responses', RESPONSES)],
  ['openai-codex', { ...streamedBy('/backend-api/codex/responses', CODEX), body: CODEX }],
  [
    'gemini',
    {
      path: '/v1beta/models/gemini-3-pro:generateContent',
      streamPath: '/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse',
      body: GEMINI,
      streamBody: GEMINI,
    },
  ],
  [
    'bedrock-converse',
    {
      path: '/model/anthropic.claude-opus-5/converse',
      streamPath: '/model/anthropic.claude-opus-5/converse-stream',
      body: BEDROCK,
      streamBody: BEDROCK,
    },
  ],
]

function streamedBy(path: string, body: object): Speaking {
  return { path, streamPath: path, body, streamBody: { ...body, stream: true } }
}

async function start(options: WirelabOptions = {}): Promise<Wirelab> {
  running = await startWirelab({ script: answer(SAID), window: 1000, ...options })
  return running
}

interface Heard {
  readonly status: number
  readonly body: string
}

/** Asks by plain HTTP; a stream's bytes are read as text, its JSON stands in it unchanged. */
async function ask(lab: Wirelab, { path, body }: { readonly path: string; readonly body: object }): Promise<Heard> {
  const response = await fetch(lab.url + path, { method: 'POST', body: JSON.stringify(body) })
  return { status: response.status, body: Buffer.from(await response.arrayBuffer()).toString('latin1') }
}

function whole(lab: Wirelab, { path, body }: Speaking): Promise<Heard> {
  return ask(lab, { path, body })
}

function streamed(lab: Wirelab, { streamPath, streamBody }: Speaking): Promise<Heard> {
  return ask(lab, { path: streamPath, body: streamBody })
}

/** What the library makes of it. */
function factsOf(format: FormatName, heard: Heard): OverflowFacts | undefined {
  return dialectByName(format).overflow(heard, { size: 100, window: 1000 })
}

describe.each(FORMATS)('%s', (format, speaking) => {
  test('answers, whole and streamed, at its own paths', async () => {
    const lab = await start()
    expect((await whole(lab, speaking)).body).toContain('forty')
    expect((await streamed(lab, speaking)).body).toContain('forty')
    expect(lab.calls.map((call) => [call.format, call.outcome, call.status])).toEqual([
      [format, 'answered', 200],
      [format, 'answered', 200],
    ])
    expect(lab.calls[0]?.tokens).toBeGreaterThan(0)
  })

  test('its overflow is one to the library, before the first byte and in a stream', async () => {
    const lab = await start({ window: 1 })
    const refused = await whole(lab, speaking)
    expect(refused.status).toBe(400)
    expect(factsOf(format, refused)).toMatchObject({ kind: 'tokens' })
    await lab.close()
    for (const when of ['before-content', 'mid-stream'] as const) {
      const injecting = await start({ faults: [{ kind: 'overflow', when }] })
      const broken = await streamed(injecting, speaking)
      expect(broken.status).toBe(200)
      expect(broken.body.includes('The answer')).toBe(when === 'mid-stream')
      expect(factsOf(format, { status: 400, body: lastJson(broken.body) })).toMatchObject({ kind: 'tokens' })
      await injecting.close()
    }
  })

  test.each<readonly [string, Fault, readonly number[]]>([
    ['a rate limit', { kind: 'rate-limit', body: true }, [429]],
    ['a rate limit without a word', { kind: 'rate-limit', body: false }, [429]],
    ['overload', { kind: '529' }, [503, 529]],
  ])('%s is no overflow', async (_what, fault, statuses) => {
    const heard = await whole(await start({ faults: [fault] }), speaking)
    expect(statuses).toContain(heard.status)
    expect(factsOf(format, heard)).toBeUndefined()
  })

  test('a body that a proxy finds too large is too many bytes', async () => {
    const lab = await start({ faults: [{ kind: '413-html' }] })
    const heard = await whole(lab, speaking)
    expect(heard.body).toContain('<html>')
    expect(factsOf(format, heard)).toMatchObject({ kind: 'bytes' })
  })

  test('a body above the limit is refused', async () => {
    const heard = await whole(await start({ bytesLimit: 10 }), speaking)
    expect([400, 413]).toContain(heard.status)
    // Amazon documents no words for it, and a message that is not known tells the library nothing.
    if (format !== 'bedrock-converse') expect(factsOf(format, heard)).toMatchObject({ kind: 'bytes' })
  })

  test('what is no JSON is refused as this API refuses', async () => {
    const lab = await start()
    const response = await fetch(lab.url + speaking.path, { method: 'POST', body: '{' })
    expect(response.status).toBe(400)
    expect(typeof (await response.json())).toBe('object')
  })

  test('a stall ends with the client', async () => {
    const lab = await start({ faults: [{ kind: 'stall' }] })
    const leaving = new AbortController()
    const response = await fetch(lab.url + speaking.streamPath, {
      method: 'POST',
      body: JSON.stringify(speaking.streamBody),
      signal: leaving.signal,
    })
    const reader = response.body?.getReader()
    await reader?.read()
    leaving.abort()
    expect(await lab.calls[0]?.end).toBe('client-gone')
  })
})

/** The last JSON object in a stream of events or frames. */
function lastJson(stream: string): string {
  return /\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}(?=[^{}]*$)/.exec(stream)?.[0] ?? ''
}
