import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock'
import Anthropic from '@anthropic-ai/sdk'
import { type Content, GoogleGenAI, type Part } from '@google/genai'
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai'
import OpenAI from 'openai'

/** An SDK, as an application sets it up, in a conversation with one tool. */
export interface AgentClient {
  /** Says something and runs the tool until the model is done; gives its last words. */
  run(words: string): Promise<string>
}

export interface ClientSetup {
  readonly url: string
  readonly fetch: typeof globalThis.fetch
  readonly apiKey?: string
}

/** What the tool answers to the arguments of a call. */
export type Tool = (input: { readonly step?: number; readonly tokens?: number }) => string

/** Every SDK and way of answering, by name. */
export const CLIENTS: Readonly<Record<string, (setup: ClientSetup, tool: Tool) => AgentClient>> = {
  '@anthropic-ai/sdk': (setup, tool) => anthropicAgent(setup, tool, 'whole'),
  '@anthropic-ai/sdk streaming': (setup, tool) => anthropicAgent(setup, tool, 'stream'),
  'openai chat': (setup, tool) => chatAgent(setup, tool, 'whole'),
  'openai chat streaming': (setup, tool) => chatAgent(setup, tool, 'stream'),
  'openai responses': (setup, tool) => responsesAgent(setup, tool, 'whole'),
  'openai responses streaming': (setup, tool) => responsesAgent(setup, tool, 'stream'),
  'openai codex streaming': (setup, tool) => responsesAgent(setup, tool, 'codex'),
  '@google/genai': (setup, tool) => geminiAgent(setup, tool, 'whole'),
  '@google/genai streaming': (setup, tool) => geminiAgent(setup, tool, 'stream'),
  'bedrock of the AI SDK': (setup, tool) => bedrockAgent(setup, tool, 'whole'),
  'bedrock of the AI SDK streaming': (setup, tool) => bedrockAgent(setup, tool, 'stream'),
}

const TOOL = 'read_file'
const SYSTEM = 'You are a careful programmer.'

export function anthropicClient({ url, fetch, apiKey = 'any' }: ClientSetup): Anthropic {
  return new Anthropic({ baseURL: url, apiKey, fetch, maxRetries: 0 })
}

function anthropicAgent(setup: ClientSetup, tool: Tool, way: 'whole' | 'stream'): AgentClient {
  const client = anthropicClient(setup)
  const messages: Anthropic.MessageParam[] = []
  const tools: Anthropic.Tool[] = [{ name: TOOL, input_schema: { type: 'object' } }]
  const ask = async () => {
    const body = { model: 'claude-opus-5', max_tokens: 2_000, system: SYSTEM, tools, messages }
    const { content } =
      way === 'stream' ? await client.messages.stream(body).finalMessage() : await client.messages.create(body)
    messages.push({ role: 'assistant', content })
    return content
  }
  return {
    async run(words) {
      messages.push({ role: 'user', content: words })
      for (;;) {
        const content = await ask()
        const calls = content.filter((block) => block.type === 'tool_use')
        if (calls.length === 0) return content.map((block) => (block.type === 'text' ? block.text : '')).join('')
        messages.push({
          role: 'user',
          content: calls.map(({ id, input }) => ({
            type: 'tool_result',
            tool_use_id: id,
            content: tool(input as object),
          })),
        })
      }
    },
  }
}

export function openaiClient({ url, fetch, apiKey = 'any' }: ClientSetup, path = '/v1'): OpenAI {
  return new OpenAI({ baseURL: `${url}${path}`, apiKey, fetch, maxRetries: 0 })
}

function chatAgent(setup: ClientSetup, tool: Tool, way: 'whole' | 'stream'): AgentClient {
  const client = openaiClient(setup)
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'system', content: SYSTEM }]
  const tools: OpenAI.ChatCompletionTool[] = [{ type: 'function', function: { name: TOOL, parameters: {} } }]
  const ask = async () => {
    const body = { model: 'gpt-5', tools, messages }
    const { choices } =
      way === 'stream'
        ? await client.chat.completions.stream(body).finalChatCompletion()
        : await client.chat.completions.create(body)
    const message = choices[0]?.message
    if (message === undefined) throw new Error('an answer has a choice')
    messages.push(message)
    return message
  }
  return {
    async run(words) {
      messages.push({ role: 'user', content: words })
      for (;;) {
        const { tool_calls: calls = [], content } = await ask()
        if (calls.length === 0) return content ?? ''
        for (const call of calls) {
          const input = call.type === 'function' ? call.function.arguments : '{}'
          messages.push({ role: 'tool', tool_call_id: call.id, content: tool(JSON.parse(input)) })
        }
      }
    },
  }
}

function responsesAgent(setup: ClientSetup, tool: Tool, way: 'whole' | 'stream' | 'codex'): AgentClient {
  const client = openaiClient(setup, way === 'codex' ? '/backend-api/codex' : '/v1')
  const input: OpenAI.Responses.ResponseInputItem[] = []
  const tools: OpenAI.Responses.Tool[] = [{ type: 'function', name: TOOL, parameters: {}, strict: false }]
  const ask = async (): Promise<OpenAI.Responses.ResponseOutputItem[]> => {
    const include: OpenAI.Responses.ResponseIncludable[] = ['reasoning.encrypted_content']
    const body = { model: 'gpt-5', instructions: SYSTEM, store: false, include, tools, input }
    const { output } =
      way === 'whole' ? await client.responses.create(body) : await client.responses.stream(body).finalResponse()
    input.push(...(output as OpenAI.Responses.ResponseInputItem[]))
    return output
  }
  return {
    async run(words) {
      input.push({ role: 'user', content: words })
      for (;;) {
        const output = await ask()
        const calls = output.flatMap((item) => (item.type === 'function_call' ? [item] : []))
        if (calls.length === 0) return output.flatMap(saidIn).join('')
        for (const { call_id, arguments: given } of calls) {
          input.push({ type: 'function_call_output', call_id, output: tool(JSON.parse(given)) })
        }
      }
    },
  }
}

function saidIn(item: OpenAI.Responses.ResponseOutputItem): readonly string[] {
  if (item.type !== 'message') return []
  return item.content.map((part) => (part.type === 'output_text' ? part.text : ''))
}

export function geminiClient({ url, fetch, apiKey = 'any' }: ClientSetup): GoogleGenAI {
  return new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url, fetch } })
}

function geminiAgent(setup: ClientSetup, tool: Tool, way: 'whole' | 'stream'): AgentClient {
  const client = geminiClient(setup)
  const contents: Content[] = []
  const config = { systemInstruction: SYSTEM, tools: [{ functionDeclarations: [{ name: TOOL }] }] }
  const ask = async () => {
    const body = { model: 'gemini-3-pro-preview', contents, config }
    const chunks =
      way === 'stream' ? await client.models.generateContentStream(body) : [await client.models.generateContent(body)]
    const parts: Part[] = []
    for await (const { candidates } of chunks) parts.push(...(candidates?.[0]?.content?.parts ?? []))
    contents.push({ role: 'model', parts })
    return parts
  }
  return {
    async run(words) {
      contents.push({ role: 'user', parts: [{ text: words }] })
      for (;;) {
        const parts = await ask()
        const calls = parts.flatMap(({ functionCall }) => functionCall ?? [])
        if (calls.length === 0) return parts.map(({ text }) => text ?? '').join('')
        contents.push({
          role: 'user',
          parts: calls.map(({ id, name, args }) => ({
            functionResponse: { ...(id && { id }), ...(name && { name }), response: { output: tool(args ?? {}) } },
          })),
        })
      }
    },
  }
}

/** With an API key: what is signed cannot be changed on the wire. */
function bedrockAgent({ url, fetch, apiKey = 'any' }: ClientSetup, toolOf: Tool, way: 'whole' | 'stream'): AgentClient {
  const provider = createAmazonBedrock({ baseURL: url, apiKey, region: 'us-east-1', fetch })
  const model = provider('anthropic.claude-sonnet-4-5-20250929-v1:0')
  const inputSchema = jsonSchema<Parameters<Tool>[0]>({ type: 'object' })
  const tools = { [TOOL]: tool({ inputSchema, execute: async (input) => toolOf(input) }) }
  return {
    async run(prompt) {
      const call = { model, tools, system: SYSTEM, prompt, stopWhen: stepCountIs(100), maxRetries: 0 }
      return way === 'stream' ? await streamText(call).text : (await generateText(call)).text
    },
  }
}
