import { describe, expect, it } from 'vitest'
import type { CompactorEvent } from '../../compactor/events.ts'
import { presetByName } from '../../engine/presets/preset-codec.ts'
import { memoryStores } from '../../stores/memory-stores.ts'
import { type WireExchangeOptions, type WireWarning, wireExchange } from './index.ts'
import { json, SUMMARY, TASK, toolSteps } from './messages-server.test-data.ts'

interface Sent {
  readonly url: string
  readonly body: Readonly<Record<string, unknown>>
  readonly text: string
  readonly purpose: 'main' | 'summary' | 'count'
  readonly headers: Headers
}

/** An exchange whose server answers everything with what `answer` says. */
function exchangeWith(options: WireExchangeOptions, answer: (sent: Sent) => unknown = () => ({})) {
  const sent: Sent[] = []
  const events: CompactorEvent[] = []
  const exchange = wireExchange({ onEvent: (event) => events.push(event), ...options })
  const post = (path: string, body: object | string, headers: Record<string, string> = { authorization: 'Bearer k' }) =>
    exchange(
      {
        method: 'POST',
        url: `https://host.example${path}`,
        headers: new Headers(headers),
        body: typeof body === 'string' ? body : JSON.stringify(body),
      },
      async ({ url, body: bytes, headers: sentHeaders }, { purpose }) => {
        const text = typeof bytes === 'string' ? bytes : new TextDecoder().decode(bytes as Uint8Array)
        const one = { url, text, body: JSON.parse(text) as Sent['body'], purpose, headers: sentHeaders }
        sent.push(one)
        const answered = answer(one)
        return answered instanceof Response ? answered : json(answered)
      },
    )
  return { post, sent, events, main: () => sent.filter(({ purpose }) => purpose === 'main') }
}

const KEEN = presetByName('keen')
const RESULT = 'a line of the file that was read\n'.repeat(100)

const ANTHROPIC = { model: 'claude-sonnet-4-5', max_tokens: 4_000, tools: [{ name: 'read', input_schema: {} }] }
const MESSAGES = { ...ANTHROPIC, messages: [TASK, ...toolSteps(40, 3_000)] }

const RESPONSES = {
  model: 'gpt-5',
  instructions: 'You fix bugs.',
  store: false,
  stream: true,
  include: ['reasoning.encrypted_content'],
  input: [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Fix the bug.' }] },
    ...Array.from({ length: 40 }, (_, at) => [
      { type: 'function_call', call_id: `c${at}`, name: 'read', arguments: `{"path":"src/file-${at}.ts"}` },
      { type: 'function_call_output', call_id: `c${at}`, output: RESULT },
    ]).flat(),
  ],
}

const GEMINI = {
  contents: [
    { role: 'user', parts: [{ text: 'Fix the bug.' }] },
    ...Array.from({ length: 40 }, (_, at) => [
      { role: 'model', parts: [{ functionCall: { name: 'read', args: { path: `src/file-${at}.ts` } } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'read', response: { output: RESULT } } }] },
    ]).flat(),
  ],
  tools: [{ functionDeclarations: [{ name: 'read' }] }],
}

const CONVERSE = {
  messages: [
    { role: 'user', content: [{ text: 'Fix the bug.' }] },
    ...Array.from({ length: 40 }, (_, at) => [
      { role: 'assistant', content: [{ toolUse: { toolUseId: `t${at}`, name: 'read', input: { path: `f${at}` } } }] },
      { role: 'user', content: [{ toolResult: { toolUseId: `t${at}`, content: [{ text: RESULT }] } }] },
    ]).flat(),
  ],
  toolConfig: { tools: [{ toolSpec: { name: 'read', inputSchema: { json: {} } } }] },
}

interface CountBody {
  readonly generateContentRequest: typeof GEMINI & { readonly model: string }
  readonly input: { readonly converse: typeof CONVERSE }
}

const sized = (value: unknown) => JSON.stringify(value).length

describe('other calls', () => {
  it('a count is answered for the request as it would go out', async () => {
    const { post, main } = exchangeWith({ window: 32_000, summarizer: 'extractive' }, () => ({ input_tokens: 7 }))
    await post('/v1/messages', MESSAGES)
    const { max_tokens: _, ...counted } = MESSAGES
    expect(await (await post('/v1/messages/count_tokens', counted)).json()).toEqual({ input_tokens: 7 })
    const [generate, count] = main()
    expect(count?.url).toBe('https://host.example/v1/messages/count_tokens')
    expect(count?.body.messages).toEqual(generate?.body.messages)
    expect(sized(count?.body.messages)).toBeLessThan(sized(MESSAGES.messages))
  })

  it('a count that could not fit is answered all the same', async () => {
    const { post, sent } = exchangeWith({ window: 8_000 }, () => ({ input_tokens: 60_000 }))
    const body = { ...MESSAGES, system: 'A rule of the house. '.repeat(10_000), messages: [TASK, ...toolSteps(1, 10)] }
    expect(await (await post('/v1/messages/count_tokens', body)).json()).toEqual({ input_tokens: 60_000 })
    expect(sent.map(({ text }) => text === JSON.stringify(body))).toEqual([true])
  })

  it('counts of Gemini and Bedrock are unwrapped and wrapped again', async () => {
    const { post, main } = exchangeWith({ window: 32_000, summarizer: 'extractive' })
    await post('/v1beta/models/g:countTokens', { generateContentRequest: { model: 'models/g', ...GEMINI } })
    await post('/model/m/count-tokens', { input: { converse: CONVERSE } })
    const [gemini, converse] = main().map(({ text }) => JSON.parse(text)) as [CountBody, CountBody]
    expect(gemini.generateContentRequest.model).toBe('models/g')
    expect(sized(gemini.generateContentRequest.contents)).toBeLessThan(sized(GEMINI.contents))
    expect(sized(converse.input.converse.messages)).toBeLessThan(sized(CONVERSE.messages))
  })

  it('the provider’s own compaction gets the prepared items', async () => {
    const { post, main } = exchangeWith({ window: 32_000, summarizer: 'extractive' })
    const { stream: _, include: __, store: ___, ...compact } = RESPONSES
    await post('/v1/responses/compact', compact)
    expect(main()).toHaveLength(1)
    expect(sized(main()[0]?.body.input)).toBeLessThan(sized(RESPONSES.input))
  })

  it('a client’s own summary call asks no model for another one', async () => {
    const { post, sent } = exchangeWith({ window: 32_000 })
    const prompt = 'Your task is to create a detailed summary of the conversation so far.'
    const messages = [...MESSAGES.messages, { role: 'assistant', content: 'Read.' }, { role: 'user', content: prompt }]
    await post('/v1/messages', { ...MESSAGES, messages })
    expect(sent.map(({ purpose }) => purpose)).toEqual(['main'])
    expect(sized(sent[0]?.body.messages)).toBeLessThan(sized(messages))
    expect(sent[0]?.text.includes(prompt)).toBe(true)
  })

  it('a first question goes out as it is, however long', async () => {
    const { post, sent } = exchangeWith({ window: 8_000 })
    const { max_tokens: _, ...uncapped } = ANTHROPIC
    const body = JSON.stringify({ ...uncapped, messages: [{ role: 'user', content: 'word '.repeat(9_000) }] })
    await post('/v1/messages', body)
    expect(sent.map(({ text }) => text === body)).toEqual([true])
  })
})

describe('the model stands in the path', () => {
  it('and its profile decides', async () => {
    const profiles = { 'tiny-model': { window: 32_000 }, 'large-model': { window: 1_000_000 } }
    const { post, main } = exchangeWith({ profiles, summarizer: 'extractive' })
    for (const model of ['large-model', 'tiny-model']) await post(`/v1beta/models/${model}:generateContent`, GEMINI)
    for (const model of ['large-model', 'tiny-model']) await post(`/model/${model}/converse`, CONVERSE)
    const smaller = main().map(({ body }) => sized(body) < Math.min(sized(GEMINI), sized(CONVERSE)))
    expect(smaller).toEqual([false, true, false, true])
  })

  it('in the envelope of Code Assist, which stays as it is', async () => {
    const profiles = { 'tiny-model': { window: 32_000 } }
    const { post, main } = exchangeWith({ profiles, summarizer: 'extractive' })
    await post('/v1internal:generateContent', { model: 'tiny-model', project: 'p', request: GEMINI })
    const body = main()[0]?.body as { model: string; project: string; request: typeof GEMINI }
    expect([body.model, body.project]).toEqual(['tiny-model', 'p'])
    expect(sized(body.request.contents)).toBeLessThan(sized(GEMINI.contents))
  })
})

describe('the summary call', () => {
  const gemini = { candidates: [{ content: { parts: [{ text: SUMMARY }] }, finishReason: 'STOP' }] }
  const converse = { output: { message: { content: [{ text: SUMMARY }] } }, stopReason: 'end_turn' }

  it.each([
    ['/v1beta/models/g:streamGenerateContent?alt=sse', GEMINI, gemini, '/v1beta/models/g:generateContent'],
    ['/model/m/converse-stream', CONVERSE, converse, '/model/m/converse'],
  ])('of %s goes to the path of a whole answer', async (path, body, summary, to) => {
    const answer = ({ purpose }: Sent) => (purpose === 'summary' ? summary : {})
    const { post, sent, main } = exchangeWith({ window: 32_000, preset: KEEN }, answer)
    await post(path, body)
    const summaries = sent.filter(({ purpose }) => purpose === 'summary')
    expect(new Set(summaries.map(({ url }) => url))).toEqual(new Set([`https://host.example${to}`]))
    expect(main().map(({ text }) => text.includes('src/file-11.ts was read to its end'))).toEqual([true])
  })

  it('of Code Assist is wrapped as the call was', async () => {
    const answer = ({ purpose }: Sent) => (purpose === 'summary' ? { response: gemini } : {})
    const { post, sent, main } = exchangeWith({ window: 32_000, preset: KEEN }, answer)
    await post('/v1internal:generateContent', { model: 'g', project: 'p', request: GEMINI })
    expect(sent[0]).toMatchObject({ purpose: 'summary', body: { model: 'g', project: 'p', request: {} } })
    expect(main()[0]?.text.includes('src/file-11.ts was read to its end')).toBe(true)
  })

  it('of Codex is a stream, and read as one', async () => {
    const output = [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: SUMMARY }] }]
    const done = { type: 'response.completed', response: { status: 'completed', output } }
    const stream = () =>
      new Response(`event: response.completed\ndata: ${JSON.stringify(done)}\n\n`, {
        headers: { 'content-type': 'text/event-stream' },
      })
    const { post, sent, main } = exchangeWith({ window: 32_000, preset: KEEN }, stream)
    await post('/backend-api/codex/responses', RESPONSES)
    expect(sent[0]).toMatchObject({ purpose: 'summary', body: { stream: true, store: false, model: 'gpt-5' } })
    expect(sent[0]?.headers.get('accept')).toBe('text/event-stream')
    expect(sent[0]?.body.max_output_tokens).toBeUndefined()
    expect(main()[0]?.text.includes('src/file-11.ts was read to its end')).toBe(true)
  })

  it('goes to another model where one is named', async () => {
    const answer = () => ({ content: [{ type: 'text', text: SUMMARY }], stop_reason: 'end_turn' })
    const { post, sent, main } = exchangeWith({ window: 32_000, preset: KEEN, summarizer: { model: 'small' } }, answer)
    await post('/v1/messages', MESSAGES)
    expect(sent[0]).toMatchObject({ purpose: 'summary', body: { model: 'small' } })
    expect(main()[0]?.body.model).toBe('claude-sonnet-4-5')
  })

  it('A5 goes to the model that the profile of the run’s own names, unless the caller names another', async () => {
    const answer = () => ({ content: [{ type: 'text', text: SUMMARY }], stop_reason: 'end_turn' })
    const profiles = { 'claude-sonnet-4-5': { summarizerModel: 'cheap' } }
    const profiled = exchangeWith({ window: 32_000, preset: KEEN, profiles }, answer)
    await profiled.post('/v1/messages', MESSAGES)
    expect(profiled.sent[0]).toMatchObject({ purpose: 'summary', body: { model: 'cheap' } })
    const told = exchangeWith({ window: 32_000, preset: KEEN, profiles, summarizer: { model: 'small' } }, answer)
    await told.post('/v1/messages', MESSAGES)
    expect(told.sent[0]).toMatchObject({ purpose: 'summary', body: { model: 'small' } })
  })

  it('that is refused leaves the summary to the deterministic summariser', async () => {
    const answer = ({ purpose }: Sent) =>
      purpose === 'summary' ? json({ type: 'error', error: { type: 'authentication_error', message: 'no' } }, 401) : {}
    const { post, main, events } = exchangeWith({ window: 32_000, preset: presetByName('hango') }, answer)
    expect((await post('/v1/messages', MESSAGES)).status).toBe(200)
    expect(sized(main()[0]?.body)).toBeLessThan(sized(MESSAGES))
    expect(events.filter(({ type }) => type === 'summarizer-called')).toMatchObject([{ by: 'extractive' }])
  })

  it('carries the key of the call that it is for, never that of another', async () => {
    const answer = () => ({ content: [{ type: 'text', text: SUMMARY }], stop_reason: 'end_turn' })
    const { post, sent } = exchangeWith({ window: 32_000, preset: KEEN }, answer)
    await Promise.all(['a', 'b', 'c'].map((key) => post('/v1/messages', MESSAGES, { 'x-api-key': `key-${key}` })))
    const keys = (purpose: Sent['purpose']) =>
      [...new Set(sent.filter((one) => one.purpose === purpose).map(({ headers }) => headers.get('x-api-key')))].sort()
    expect(keys('summary')).toEqual(['key-a', 'key-b', 'key-c'])
    expect(keys('main')).toEqual(['key-a', 'key-b', 'key-c'])
  })
})

describe('two keys', () => {
  it('never share a record, and no store holds either', async () => {
    const stores = memoryStores()
    const namespaces: string[] = []
    const history: typeof stores.history = {
      ...stores.history,
      append: (session, ...rest) => {
        namespaces.push(session.namespace)
        return stores.history.append(session, ...rest)
      },
    }
    const options = { window: 32_000, summarizer: 'extractive', stores: { ...stores, history } } as const
    const { post, events } = exchangeWith(options)
    for (const key of ['key-one', 'key-two', 'key-one']) await post('/v1/messages', MESSAGES, { 'x-api-key': key })
    expect(events.filter(({ type }) => type === 'compaction-applied')).toHaveLength(2)
    expect(new Set(namespaces).size).toBe(2)
    expect(JSON.stringify([events, namespaces])).not.toMatch(/key-one|key-two/)
  })
})

it('a named session is a conversation of its own, whatever others say', async () => {
  const session = ({ headers }: { readonly headers: Headers }) => headers.get('x-session') ?? undefined
  const { post, events } = exchangeWith({ window: 32_000, summarizer: 'extractive', session })
  for (const name of ['one', 'two', 'one']) await post('/v1/messages', MESSAGES, { 'x-session': name })
  const applied = events.filter(({ type }) => type === 'compaction-applied')
  expect(applied.map((event) => event.session)).toEqual(['one', 'two'])
})

describe('arguments that nest very deep', () => {
  const bodies = {
    '/v1/messages': JSON.stringify(MESSAGES),
    '/v1beta/models/g:generateContent': JSON.stringify(GEMINI),
    '/model/m/converse': JSON.stringify(CONVERSE),
  }
  const deeps = ['[]', '{}'].map(([open, close]) => {
    const opening = open === '{' ? '{"a":' : '['
    return `${opening.repeat(3_000)}12345678901234567890${(close as string).repeat(3_000)}`
  })

  it.each(
    Object.entries(bodies).flatMap(([path, body]) =>
      deeps.map((deep) => [path, deep.slice(0, 5), body, deep] as const),
    ),
  )('are the newest call’s in a request that is compacted, call after call: %s %s', async (path, _, body, deep) => {
    const { post, main } = exchangeWith({ window: 40_000, summarizer: 'extractive' })
    const last = body.lastIndexOf('"path":"')
    const written = `${body.slice(0, last)}"path":${deep}${body.slice(body.indexOf('}', last))}`
    for (let call = 0; call < 2; call++) {
      await post(path, written)
      expect(main()[call]?.text.includes(deep)).toBe(true)
      expect((main()[call]?.text.length ?? 0) < written.length / 1.5).toBe(true)
    }
  })
})

it('what fails on the way does not stop the call', async () => {
  const warnings: WireWarning[] = []
  const session = () => {
    throw new Error('no sessions today')
  }
  const { post, sent } = exchangeWith({ window: 32_000, session, onWarning: (warning) => warnings.push(warning) })
  await post('/v1/messages?key=secret', MESSAGES)
  expect(sent.map(({ text }) => text === JSON.stringify(MESSAGES))).toEqual([true])
  expect(warnings).toMatchObject([{ type: 'not-prepared', error: { cause: { message: 'no sessions today' } } }])
  expect(warnings[0]?.url).not.toContain('secret')
})

it('two conversations with one opening at once get each its own view', async () => {
  const { post, main } = exchangeWith({ window: 32_000, summarizer: 'extractive' })
  const fork = (mark: string) => ({
    ...MESSAGES,
    messages: [...MESSAGES.messages.slice(0, 21), ...toolSteps(30, 3_000).map((item) => marked(item, mark))],
  })
  const bodies = [fork('left'), fork('right')]
  await Promise.all(bodies.map((body) => post('/v1/messages', body)))
  for (const mark of ['left', 'right']) {
    const own = main().filter(({ text }) => text.includes(`toolu_29_${mark}`))
    expect(own).toHaveLength(1)
    expect(own[0]?.text.includes(`_${mark === 'left' ? 'right' : 'left'}`)).toBe(false)
    expect(sized(own[0]?.body)).toBeLessThan(sized(bodies[0]))
  }
})

function marked(item: object, mark: string): never {
  return JSON.parse(JSON.stringify(item).replace(/toolu_(\d+)/g, `toolu_$1_${mark}`)) as never
}

it('options that no call could be prepared with are refused at once', () => {
  expect(() => wireExchange({ window: Number.NaN })).toThrow(/window must be a number of tokens/)
})
