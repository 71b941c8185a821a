import OpenAI from 'openai'
import { afterEach, describe, expect, test } from 'vitest'
import { toolLoop } from '../../script/script.ts'
import { startWirelab, type Wirelab, type WirelabOptions } from '../../wirelab.ts'

let lab: Wirelab | undefined
afterEach(() => lab?.close())

async function start(options: WirelabOptions): Promise<{ readonly lab: Wirelab; readonly client: OpenAI }> {
  lab = await startWirelab(options)
  return { lab, client: new OpenAI({ baseURL: `${lab.url}/v1`, apiKey: 'any', maxRetries: 0 }) }
}

type Message = OpenAI.ChatCompletionMessageParam

const TOOLS: OpenAI.ChatCompletionTool[] = [{ type: 'function', function: { name: 'read_file', parameters: {} } }]
const BASE = { model: 'gpt-5', tools: TOOLS }
const LOOP = toolLoop({
  steps: 2,
  tool: 'read_file',
  parallel: 2,
  input: (step) => ({ path: `src/a file with ümlauts 😀 ${step}.ts` }),
  text: (step) => `I read file ${step}.`,
  final: 'All files are read.',
})

/** An agent loop as one writes it with the SDK. */
async function runLoop(send: (messages: Message[]) => Promise<OpenAI.ChatCompletion>): Promise<readonly Message[]> {
  const messages: Message[] = [{ role: 'user', content: 'Read the files.' }]
  for (;;) {
    const choice = (await send(messages)).choices[0]
    if (choice === undefined) throw new Error('an answer has a choice')
    messages.push(choice.message)
    if (choice.finish_reason !== 'tool_calls') return messages
    const calls = choice.message.tool_calls ?? []
    messages.push(...calls.map(({ id }): Message => ({ role: 'tool', tool_call_id: id, content: 'export {}' })))
  }
}

describe('the official SDK', () => {
  test('runs a tool loop, streaming and not', async () => {
    const { lab, client } = await start({ script: LOOP, rules: { strictAlternation: true } })
    const whole = await runLoop((messages) => client.chat.completions.create({ ...BASE, messages }))
    const streamed = await runLoop((messages) =>
      client.chat.completions.stream({ ...BASE, messages }).finalChatCompletion(),
    )
    expect(whole.at(-1)).toMatchObject({ role: 'assistant', content: 'I read file 2.All files are read.' })
    expect(whole.map(({ role }) => role).join(' ')).toBe('user assistant tool tool assistant tool tool assistant')
    expect(streamed.map(told)).toEqual(whole.map(told))
    expect(lab.calls.map(({ outcome }) => outcome)).toEqual(Array(6).fill('answered'))
  })

  test('a stream reports usage only where it is asked for', async () => {
    const { client } = await start({})
    const ask = { ...BASE, messages: [{ role: 'user' as const, content: 'Hello' }], stream: true as const }
    const usages = async (options: { readonly stream_options?: OpenAI.ChatCompletionStreamOptions }) => {
      const seen: unknown[] = []
      for await (const chunk of await client.chat.completions.create({ ...ask, ...options })) seen.push(chunk.usage)
      return seen
    }
    expect(await usages({})).toEqual([undefined, undefined, undefined])
    const asked = await usages({ stream_options: { include_usage: true } })
    expect(asked.slice(0, -1)).toEqual([null, null, null])
    expect(asked.at(-1)).toMatchObject({
      prompt_tokens: expect.any(Number),
      prompt_tokens_details: { cached_tokens: 0 },
    })
  })

  test('a refusal and its error reach the client in its own terms', async () => {
    const { client } = await start({ script: [{ parts: [{ kind: 'text', text: 'I will not.' }], finish: 'refusal' }] })
    const ask = { ...BASE, messages: [{ role: 'user', content: 'Hello' }] } as const
    const { choices } = await client.chat.completions.create({ ...ask, messages: [...ask.messages] })
    expect(choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: null, refusal: 'I will not.' } })
    const bad = client.chat.completions.create({
      ...BASE,
      messages: [{ role: 'tool', tool_call_id: 'x', content: '' }],
    })
    await expect(bad).rejects.toMatchObject({ status: 400, type: 'invalid_request_error', param: 'messages.[0].role' })
  })

  test('models are listed', async () => {
    const { client } = await start({})
    expect((await client.models.list()).data[0]?.id).toBe('lab-model')
    expect((await client.models.retrieve('gpt-5')).id).toBe('gpt-5')
  })
})

/** A message without ids, which differ from run to run. */
function told(message: Message): unknown {
  if (message.role !== 'assistant') return { role: message.role, content: message.content }
  const calls = message.tool_calls?.map((call) => (call.type === 'function' ? call.function : call.custom))
  return { content: message.content, calls: calls?.map(({ name, ...rest }) => [name, Object.values(rest)[0]]) }
}
