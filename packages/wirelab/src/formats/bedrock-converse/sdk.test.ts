import {
  BedrockRuntimeClient,
  type ContentBlock,
  ConverseCommand,
  type ConverseCommandInput,
  ConverseStreamCommand,
  CountTokensCommand,
  type Message,
} from '@aws-sdk/client-bedrock-runtime'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { afterEach, describe, expect, test } from 'vitest'
import { toolLoop } from '../../script/script.ts'
import { startWirelab, type Wirelab, type WirelabOptions } from '../../wirelab.ts'

let lab: Wirelab | undefined
let client: BedrockRuntimeClient | undefined
afterEach(() => {
  client?.destroy()
  return lab?.close()
})

async function start(options: WirelabOptions) {
  lab = await startWirelab(options)
  client = new BedrockRuntimeClient({
    region: 'us-east-1',
    endpoint: lab.url,
    credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
    maxAttempts: 1,
    // The client speaks HTTP/2 by default, which needs TLS or prior knowledge; the simulator speaks HTTP/1.1.
    requestHandler: new NodeHttpHandler(),
  })
  return { lab, client }
}

const BASE = {
  modelId: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
  system: [{ text: 'Be brief.' }],
  toolConfig: { tools: [{ toolSpec: { name: 'read_file', inputSchema: { json: { type: 'object' } } } }] },
} satisfies ConverseCommandInput
const LOOP = toolLoop({
  steps: 2,
  tool: 'read_file',
  parallel: 2,
  input: (step) => ({ path: `src/a file with ümlauts 😀 ${step}.ts` }),
  reasoning: (step) => `I should read file ${step}, and then the next one.`,
  text: (step) => `I read file ${step}.`,
  final: 'All files are read.',
})
const HELLO: Message[] = [{ role: 'user', content: [{ text: 'Hello' }] }]

/** An agent loop as one writes it with the SDK: the message goes back as it came. */
async function runLoop(send: (messages: Message[]) => Promise<ContentBlock[]>): Promise<readonly Message[]> {
  const messages: Message[] = [{ role: 'user', content: [{ text: 'Read the files.' }] }]
  for (;;) {
    const content = await send(messages)
    messages.push({ role: 'assistant', content })
    const uses = content.flatMap(({ toolUse }) => toolUse ?? [])
    if (uses.length === 0) return messages
    messages.push({
      role: 'user',
      content: uses.map(({ toolUseId }) => ({ toolResult: { toolUseId, content: [{ text: 'export {}' }] } })),
    })
  }
}

/** The blocks of a streamed message, put together from its events. */
async function streamed(client: BedrockRuntimeClient, messages: Message[]): Promise<ContentBlock[]> {
  const { stream } = await client.send(new ConverseStreamCommand({ ...BASE, messages }))
  const blocks: { text?: string; signature?: string; thought?: string; use?: object; input?: string }[] = []
  for await (const event of stream ?? []) {
    const index = event.contentBlockStart?.contentBlockIndex ?? event.contentBlockDelta?.contentBlockIndex
    if (index === undefined) continue
    const block = blocks[index] ?? {}
    blocks[index] = block
    const delta = event.contentBlockDelta?.delta
    if (event.contentBlockStart?.start?.toolUse) block.use = event.contentBlockStart.start.toolUse
    if (delta?.text !== undefined) block.text = (block.text ?? '') + delta.text
    if (delta?.toolUse) block.input = (block.input ?? '') + delta.toolUse.input
    if (delta?.reasoningContent?.text !== undefined) block.thought = (block.thought ?? '') + delta.reasoningContent.text
    if (delta?.reasoningContent?.signature !== undefined) block.signature = delta.reasoningContent.signature
  }
  return blocks.map(({ text, thought, signature, use, input }) => {
    if (text !== undefined) return { text }
    if (use !== undefined) return { toolUse: { ...use, input: JSON.parse(input ?? '{}') } } as ContentBlock
    return { reasoningContent: { reasoningText: { text: thought, signature } } }
  })
}

describe('the official SDK', () => {
  test('runs a tool loop, streaming and not', async () => {
    const { lab, client } = await start({ script: LOOP, rules: { thinkingBinding: 'prefix' } })
    const whole = await runLoop(async (messages) => {
      const { output } = await client.send(new ConverseCommand({ ...BASE, messages }))
      return output?.message?.content ?? []
    })
    const pieces = await runLoop((messages) => streamed(client, messages))
    expect(whole).toHaveLength(6)
    expect(pieces.map(told)).toEqual(whole.map(told))
    expect(lab.calls.map(({ outcome, message }) => message ?? outcome)).toEqual(Array(6).fill('answered'))
  })

  test('usage leaves out of the input what the cache reads and takes in', async () => {
    const { client } = await start({ script: LOOP })
    const messages: Message[] = [
      { role: 'user', content: [{ text: 'Read this. '.repeat(1000) }, { cachePoint: { type: 'default' } }] },
    ]
    const ask = async () => (await client.send(new ConverseCommand({ ...BASE, messages }))).usage
    const [first, second] = [await ask(), await ask()]
    expect(first?.cacheWriteInputTokens).toBeGreaterThan(1024)
    expect(second?.cacheReadInputTokens).toBe(first?.cacheWriteInputTokens)
    expect(second?.inputTokens).toBe(0)
    const counted = await client.send(
      new CountTokensCommand({
        modelId: BASE.modelId,
        input: { converse: { messages, system: BASE.system, toolConfig: BASE.toolConfig } },
      }),
    )
    expect(counted.inputTokens).toBe(second?.cacheReadInputTokens)
  })

  test('stop reasons', async () => {
    const finishes = ['length', 'refusal', 'context-window'] as const
    const { client } = await start({
      script: finishes.map((finish) => ({ parts: [{ kind: 'text', text: 'All of' }], finish })),
    })
    const reasons: unknown[] = []
    for (const _ of finishes) {
      reasons.push((await client.send(new ConverseCommand({ ...BASE, messages: HELLO }))).stopReason)
    }
    expect(reasons).toEqual(['max_tokens', 'content_filtered', 'model_context_window_exceeded'])
  })

  test('a broken rule and a full window are validation exceptions', async () => {
    const { client } = await start({ window: 200 })
    const converse = (messages: Message[]) => client.send(new ConverseCommand({ ...BASE, messages }))
    await expect(converse([...HELLO, ...HELLO])).rejects.toMatchObject({
      name: 'ValidationException',
      message: expect.stringContaining('must alternate between user and assistant roles'),
    })
    await expect(converse([{ role: 'user', content: [{ text: 'word '.repeat(500) }] }])).rejects.toMatchObject({
      name: 'ValidationException',
      message: expect.stringMatching(/prompt is too long: \d+ tokens > 200 maximum/),
    })
  })

  test.each([
    [{ kind: 'overflow', when: 'mid-stream', window: 100 }, 'ValidationException'],
    [{ kind: 'overflow', when: 'before-content', window: 100 }, 'ValidationException'],
    [{ kind: '529', when: 'mid-stream' }, 'ServiceUnavailableException'],
  ] as const)('an exception inside a good stream: %o', async (fault, name) => {
    const { client } = await start({ faults: [fault] })
    await expect(streamed(client, HELLO)).rejects.toMatchObject({ name })
  })

  test.each([
    [{ kind: 'rate-limit', body: true }, 'ThrottlingException'],
    [{ kind: 'rate-limit', body: false }, 'ThrottlingException'],
    [{ kind: '529' }, 'ServiceUnavailableException'],
  ] as const)('an exception instead of an answer: %o', async (fault, name) => {
    const { client } = await start({ faults: [fault] })
    await expect(client.send(new ConverseCommand({ ...BASE, messages: HELLO }))).rejects.toMatchObject({ name })
  })
})

/** A message without ids and signatures, which differ from run to run. */
function told({ role, content }: Message): unknown {
  const blocks = content?.map(({ text, toolUse, reasoningContent }) => [
    text,
    toolUse?.input,
    reasoningContent?.reasoningText?.text,
  ])
  return [role, blocks]
}
