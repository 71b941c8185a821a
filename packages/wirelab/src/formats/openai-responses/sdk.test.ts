import OpenAI from 'openai'
import { afterEach, describe, expect, test } from 'vitest'
import { answer, toolLoop } from '../../script/script.ts'
import { startWirelab, type Wirelab, type WirelabOptions } from '../../wirelab.ts'

let lab: Wirelab | undefined
afterEach(() => lab?.close())

async function start(
  options: WirelabOptions,
  path = '/v1',
): Promise<{ readonly lab: Wirelab; readonly client: OpenAI }> {
  lab = await startWirelab(options)
  return { lab, client: new OpenAI({ baseURL: lab.url + path, apiKey: 'any', maxRetries: 0 }) }
}

type Item = OpenAI.Responses.ResponseInputItem
type Response = OpenAI.Responses.Response

const BASE = {
  model: 'gpt-5',
  store: false,
  include: ['reasoning.encrypted_content'] as OpenAI.Responses.ResponseIncludable[],
  tools: [{ type: 'function', name: 'read_file', parameters: {}, strict: false }] as OpenAI.Responses.Tool[],
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

/** An agent loop as one writes it with the SDK: the output goes back as it came. */
async function runLoop(send: (input: Item[]) => Promise<Pick<Response, 'output'>>): Promise<readonly Item[]> {
  const input: Item[] = [{ role: 'user', content: 'Read the files.' }]
  for (;;) {
    const { output } = await send(input)
    input.push(...(output as Item[]))
    const calls = output.filter((item) => item.type === 'function_call')
    if (calls.length === 0) return input
    input.push(...calls.map(({ call_id }): Item => ({ type: 'function_call_output', call_id, output: 'export {}' })))
  }
}

function types(items: readonly object[]): string {
  return items.map((item) => ('type' in item ? item.type : 'message')).join(' ')
}

const STEP = 'reasoning message function_call function_call function_call_output function_call_output'

describe('the official SDK', () => {
  test('runs a tool loop, streaming and not', async () => {
    const { lab, client } = await start({ script: LOOP })
    const whole = await runLoop((input) => client.responses.create({ ...BASE, input }))
    const streamed = await runLoop((input) => client.responses.stream({ ...BASE, input }).finalResponse())
    expect(types(whole)).toBe(`message ${STEP} ${STEP} reasoning message message`)
    expect(types(streamed)).toBe(types(whole))
    expect(lab.calls.map(({ outcome }) => outcome)).toEqual(Array(6).fill('answered'))
  })

  test('hears the events in their order, each with the next number', async () => {
    const { client } = await start({ script: LOOP })
    const seen: OpenAI.Responses.ResponseStreamEvent[] = []
    for await (const event of await client.responses.create({ ...BASE, input: 'Read.', stream: true })) seen.push(event)
    const names = seen.map(({ type }) => type.replace('response.', ''))
    const item = (...inner: string[]) => ['output_item.added', ...inner, 'output_item.done']
    const call = item('function_call_arguments.delta', 'function_call_arguments.done')
    expect(names.filter((name, at) => name !== names[at - 1])).toEqual([
      'created',
      'in_progress',
      ...item(
        'reasoning_summary_part.added',
        'reasoning_summary_text.delta',
        'reasoning_summary_text.done',
        'reasoning_summary_part.done',
      ),
      ...item('content_part.added', 'output_text.delta', 'output_text.done', 'content_part.done'),
      ...call,
      ...call,
      'completed',
    ])
    expect(seen.map(({ sequence_number }) => sequence_number)).toEqual(seen.map((_, number) => number))
  })

  test('a free text tool and a cut answer have their own forms', async () => {
    const { client } = await start({
      script: [
        { parts: [{ kind: 'tool-call', id: 'call_1', name: 'patch', input: { input: '*** Begin Patch' } }] },
        { parts: [{ kind: 'text', text: 'All of' }], finish: 'length' },
        { parts: [{ kind: 'text', text: 'I will not.' }], finish: 'refusal' },
      ],
    })
    const tools: OpenAI.Responses.Tool[] = [{ type: 'custom', name: 'patch' }]
    const ask = () => client.responses.stream({ model: 'gpt-5', input: 'Go.', tools }).finalResponse()
    expect((await ask()).output[0]).toMatchObject({ type: 'custom_tool_call', input: '*** Begin Patch' })
    expect(await ask()).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
    expect((await ask()).output[0]).toMatchObject({ content: [{ type: 'refusal', refusal: 'I will not.' }] })
  })

  test('usage tells what the cache served and what reasoning took', async () => {
    const { client } = await start({ script: LOOP })
    const input = 'Read this. '.repeat(1000)
    await client.responses.create({ ...BASE, input })
    const { usage } = await client.responses.create({ ...BASE, input })
    expect(usage?.input_tokens_details.cached_tokens).toBeGreaterThan(1024)
    expect(usage?.output_tokens_details.reasoning_tokens).toBeGreaterThan(0)
    expect(usage?.total_tokens).toBe((usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0))
    const counted = await client.responses.inputTokens.count({ model: 'gpt-5', input, tools: BASE.tools })
    expect(counted.input_tokens).toBe(usage?.input_tokens)
  })

  test('a broken rule and a full window are errors with their codes', async () => {
    const { client } = await start({ window: 100 })
    const lone: Item = { type: 'function_call_output', call_id: 'c1', output: 'x' }
    await expect(client.responses.create({ ...BASE, input: [lone] })).rejects.toMatchObject({
      status: 400,
      param: 'input',
      message: expect.stringContaining('No tool call found for function call output with call_id c1.'),
    })
    await expect(client.responses.create({ ...BASE, input: 'word '.repeat(500) })).rejects.toMatchObject({
      status: 400,
      code: 'context_length_exceeded',
    })
  })

  test('an overflow inside a stream is a failed response', async () => {
    const { client } = await start({ faults: [{ kind: 'overflow', when: 'before-content' }] })
    const seen: OpenAI.Responses.ResponseStreamEvent[] = []
    for await (const event of await client.responses.create({ ...BASE, input: 'Hi', stream: true })) seen.push(event)
    expect(seen.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'context_length_exceeded' } },
    })
  })

  test('an overloaded server inside a stream is an error event', async () => {
    const { client } = await start({ faults: [{ kind: '529', when: 'mid-stream' }] })
    const seen: OpenAI.Responses.ResponseStreamEvent[] = []
    for await (const event of await client.responses.create({ ...BASE, input: 'Hi', stream: true })) seen.push(event)
    expect(seen.at(-1)).toMatchObject({ type: 'error', code: 'server_is_overloaded' })
  })

  test('a conversation is compacted, and goes on from the compaction alone', async () => {
    const { client } = await start({ script: answer('So far: all is well.') })
    const input: Item[] = [{ role: 'user', content: 'Read this. '.repeat(500) }]
    const long = await client.responses.compact({ model: 'gpt-5', input })
    expect(types(long.output)).toBe('message compaction')
    const next = [...(long.output as Item[]), { role: 'user', content: 'Go on.' } as Item]
    const { usage } = await client.responses.create({ ...BASE, tools: [], input: next })
    expect(usage?.input_tokens).toBeGreaterThan(0)
    expect(usage?.input_tokens).toBeLessThan(50)
  })

  test('Codex: a stateless stream behind its own path', async () => {
    const { client, lab } = await start({ script: LOOP }, '/backend-api/codex')
    const items = await runLoop((input) =>
      client.responses.stream({ ...BASE, instructions: 'Be brief.', input }).finalResponse(),
    )
    expect(types(items)).toBe(`message ${STEP} ${STEP} reasoning message message`)
    expect(new Set(lab.calls.map(({ format }) => format))).toEqual(new Set(['openai-codex']))
    const capped = client.responses.create({
      ...BASE,
      instructions: 'x',
      input: 'x',
      stream: true,
      max_output_tokens: 9,
    })
    await expect(capped).rejects.toMatchObject({ status: 400 })
  })
})
