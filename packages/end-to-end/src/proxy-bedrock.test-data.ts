import {
  BedrockRuntimeClient,
  type ContentBlock,
  ConverseStreamCommand,
  type ConverseStreamOutput,
  type Message,
} from '@aws-sdk/client-bedrock-runtime'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import type { AgentClient, Tool } from './fetch-clients.test-data.ts'

/** The SDK of AWS with a Bedrock API key: no signature covers its requests. */
export function bedrockClient(url: string, token = 'any'): BedrockRuntimeClient {
  return new BedrockRuntimeClient({
    region: 'us-east-1',
    endpoint: url,
    token: { token },
    authSchemePreference: ['httpBearerAuth'],
    maxAttempts: 1,
    // by default it speaks HTTP/2, for which a server must be known to do so
    requestHandler: new NodeHttpHandler(),
  })
}

/** An agent with one tool, answered in streams. */
export function bedrockAgent(client: BedrockRuntimeClient, tool: Tool): AgentClient {
  const messages: Message[] = []
  const ask = async () => {
    const { stream } = await client.send(
      new ConverseStreamCommand({
        modelId: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
        inferenceConfig: { maxTokens: 2_000 },
        toolConfig: { tools: [{ toolSpec: { name: 'read_file', inputSchema: { json: { type: 'object' } } } }] },
        messages,
      }),
    )
    const content = await blocksOf(stream ?? [])
    messages.push({ role: 'assistant', content })
    return content
  }
  return {
    async run(words) {
      messages.push({ role: 'user', content: [{ text: words }] })
      for (;;) {
        const content = await ask()
        const uses = content.flatMap(({ toolUse }) => toolUse ?? [])
        if (uses.length === 0) return content.map(({ text }) => text ?? '').join('')
        messages.push({
          role: 'user',
          content: uses.map(({ toolUseId, input }) => ({
            toolResult: { toolUseId, content: [{ text: tool(input as object) }] },
          })),
        })
      }
    },
  }
}

async function blocksOf(
  events: AsyncIterable<ConverseStreamOutput> | Iterable<ConverseStreamOutput>,
): Promise<ContentBlock[]> {
  const blocks: {
    text?: string
    use?: { toolUseId?: string | undefined; name?: string | undefined }
    input?: string
  }[] = []
  for await (const { contentBlockStart, contentBlockDelta } of events) {
    const index = contentBlockStart?.contentBlockIndex ?? contentBlockDelta?.contentBlockIndex
    if (index === undefined) continue
    blocks[index] ??= {}
    const block = blocks[index]
    if (contentBlockStart?.start?.toolUse) block.use = contentBlockStart.start.toolUse
    const { text, toolUse } = contentBlockDelta?.delta ?? {}
    if (text !== undefined) block.text = (block.text ?? '') + text
    if (toolUse !== undefined) block.input = (block.input ?? '') + (toolUse.input ?? '')
  }
  return blocks.map(({ text, use, input }) =>
    use === undefined
      ? { text: text ?? '' }
      : { toolUse: { toolUseId: use.toolUseId, name: use.name, input: JSON.parse(input ?? '{}') } },
  )
}
