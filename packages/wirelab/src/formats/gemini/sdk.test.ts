import { type Content, type GenerateContentConfig, GoogleGenAI, type Part } from '@google/genai'
import { afterEach, describe, expect, test } from 'vitest'
import { toolLoop } from '../../script/script.ts'
import { startWirelab, type Wirelab, type WirelabOptions } from '../../wirelab.ts'

let lab: Wirelab | undefined
afterEach(() => lab?.close())

async function start(options: WirelabOptions): Promise<{ readonly lab: Wirelab; readonly client: GoogleGenAI }> {
  lab = await startWirelab(options)
  return { lab, client: new GoogleGenAI({ apiKey: 'any', httpOptions: { baseUrl: lab.url } }) }
}

const MODEL = 'gemini-3-pro-preview'
const CONFIG: GenerateContentConfig = {
  systemInstruction: 'Be brief.',
  tools: [{ functionDeclarations: [{ name: 'read_file' }] }],
  thinkingConfig: { includeThoughts: true },
}
const LOOP = toolLoop({
  steps: 2,
  tool: 'read_file',
  parallel: 2,
  input: (step) => ({ path: `src/a file with ümlauts 😀 ${step}.ts` }),
  reasoning: (step) => `I should read file ${step}, and then the next one.`,
  text: (step) => `I read file ${step}.`,
  final: 'All files are read.',
})

/** An agent loop as one writes it with the SDK: the parts go back as they came. */
async function runLoop(send: (contents: Content[]) => Promise<Part[]>): Promise<readonly Content[]> {
  const contents: Content[] = [{ role: 'user', parts: [{ text: 'Read the files.' }] }]
  for (;;) {
    const parts = await send(contents)
    contents.push({ role: 'model', parts })
    const calls = parts.flatMap(({ functionCall }) => functionCall ?? [])
    if (calls.length === 0) return contents
    const answer = ({ id, name }: (typeof calls)[number]): Part => ({
      functionResponse: { ...(id && { id }), ...(name && { name }), response: { output: 'export {}' } },
    })
    contents.push({ role: 'user', parts: calls.map(answer) })
  }
}

function told(contents: readonly Content[]): readonly string[] {
  return contents.map(({ role, parts }) => {
    const texts = parts?.map(({ text, functionCall }) => text ?? functionCall?.name ?? '')
    return `${role} ${texts?.join('')}`
  })
}

describe('the official SDK', () => {
  test('runs a tool loop, streaming and not', async () => {
    const { lab, client } = await start({ script: LOOP })
    const ask = (contents: Content[]) => ({ model: MODEL, contents, config: CONFIG })
    const whole = await runLoop(async (contents) => {
      const { candidates } = await client.models.generateContent(ask(contents))
      return candidates?.[0]?.content?.parts ?? []
    })
    const streamed = await runLoop(async (contents) => {
      const parts: Part[] = []
      for await (const { candidates } of await client.models.generateContentStream(ask(contents))) {
        parts.push(...(candidates?.[0]?.content?.parts ?? []))
      }
      return parts
    })
    expect(whole).toHaveLength(6)
    expect(told(streamed)).toEqual(told(whole))
    expect(lab.calls.map(({ outcome, message }) => message ?? outcome)).toEqual(Array(6).fill('answered'))
  })

  test('keeps a chat whose history stays valid', async () => {
    const { lab, client } = await start({})
    const chat = client.chats.create({ model: MODEL })
    for (const message of ['One?', 'Two?']) {
      for await (const chunk of await chat.sendMessageStream({ message })) expect(chunk.text).toBeDefined()
    }
    expect((await chat.sendMessage({ message: 'Three?' })).text).toBe('Done.')
    expect(lab.calls.map(({ outcome }) => outcome)).toEqual(Array(3).fill('answered'))
  })

  test('usage keeps thoughts apart and tells what the cache served', async () => {
    const { client } = await start({ script: LOOP })
    const ask = { model: MODEL, contents: 'Read this. '.repeat(1000), config: CONFIG }
    await client.models.generateContent(ask)
    const { usageMetadata } = await client.models.generateContent(ask)
    const { promptTokenCount = 0, candidatesTokenCount = 0, thoughtsTokenCount = 0 } = usageMetadata ?? {}
    expect(usageMetadata?.cachedContentTokenCount).toBeGreaterThan(1024)
    expect(thoughtsTokenCount).toBeGreaterThan(0)
    expect(usageMetadata?.totalTokenCount).toBe(promptTokenCount + candidatesTokenCount + thoughtsTokenCount)
    const { totalTokens = 0 } = await client.models.countTokens({ model: MODEL, contents: ask.contents })
    expect(totalTokens).toBeGreaterThan(1024)
    expect(totalTokens).toBeLessThan(promptTokenCount)
  })

  test('finish reasons', async () => {
    const { client } = await start({
      script: [
        { parts: [{ kind: 'text', text: 'All of' }], finish: 'length' },
        { parts: [], finish: 'refusal' },
      ],
    })
    const ask = () => client.models.generateContent({ model: MODEL, contents: 'Go.' })
    expect((await ask()).candidates?.[0]?.finishReason).toBe('MAX_TOKENS')
    expect((await ask()).candidates?.[0]?.finishReason).toBe('SAFETY')
  })

  test('a broken rule and a full window are errors with their status', async () => {
    const { client } = await start({ window: 100 })
    const ask = (contents: Content[] | string) => client.models.generateContent({ model: MODEL, contents })
    await expect(ask([{ role: 'model', parts: [{ text: 'x' }] }])).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('INVALID_ARGUMENT'),
    })
    await expect(ask('word '.repeat(500))).rejects.toThrow(
      /input token count \(\d+\) exceeds the maximum number of tokens allowed \(100\)/,
    )
  })

  test.each(['before-content', 'mid-stream'] as const)('an error object inside a good stream: %s', async (when) => {
    const { client } = await start({ faults: [{ kind: 'overflow', when, window: 100 }] })
    const read = async () => {
      for await (const _ of await client.models.generateContentStream({ model: MODEL, contents: 'Hi' }));
    }
    await expect(read()).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('maximum number of tokens allowed (100)'),
    })
  })
})

describe('a stream without alt=sse', () => {
  async function list(options: WirelabOptions): Promise<readonly Record<string, unknown>[]> {
    lab = await startWirelab(options)
    const body = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] })
    const response = await fetch(`${lab.url}/v1beta/models/${MODEL}:streamGenerateContent`, { method: 'POST', body })
    return (await response.json()) as readonly Record<string, unknown>[]
  }

  test('is one JSON list', async () => {
    const chunks = await list({})
    expect(chunks.length).toBeGreaterThan(1)
    expect(chunks.at(-1)).toMatchObject({ candidates: [{ finishReason: 'STOP' }] })
  })

  test.each(['before-content', 'mid-stream'] as const)('ends with an error object: %s', async (when) => {
    const chunks = await list({ faults: [{ kind: '529', when }] })
    expect(chunks.at(-1)).toMatchObject({ error: { code: 503, status: 'UNAVAILABLE' } })
  })

  test('is refused with a list', async () => {
    expect(await list({ window: 1 })).toMatchObject([{ error: { code: 400, status: 'INVALID_ARGUMENT' } }])
  })
})
