import type OpenAI from 'openai'
import { openaiClient } from './openai-chat.test-data.ts'
import type { Step } from './steps.test-data.ts'
import {
  type Answer,
  type ClientSetup,
  type Manner,
  outputCap,
  SYSTEM,
  TOOL,
  type Way,
  type WayClient,
} from './way.test-data.ts'

/** Responses by `openai`, the whole input in every request. */
export const openaiResponses: Way = {
  name: 'openai responses',
  format: 'openai-responses',
  dialect: 'openai-responses',
  model: 'gpt-4.1',
  manners: ['generate', 'stream'],
  connect: (setup) => responsesClient(setup, { path: '/v1', more: { max_output_tokens: outputCap(setup) } }),
}

/** Codex: Responses that must stream, and that has no output cap. */
export const openaiCodex: Way = {
  name: 'openai codex',
  format: 'openai-codex',
  dialect: 'openai-codex',
  model: 'gpt-5-codex',
  manners: ['stream'],
  connect: (setup) => responsesClient({ model: openaiCodex.model, ...setup }, { path: '/backend-api/codex', more: {} }),
}

const tools: OpenAI.Responses.Tool[] = [
  { type: 'function', name: TOOL, parameters: { type: 'object', properties: {} }, strict: false },
]

function responsesClient(setup: ClientSetup, { path, more }: { path: string; more: object }): WayClient {
  const client = openaiClient(setup, path)
  const { model = openaiResponses.model, system = SYSTEM } = setup
  return {
    ask: (steps, manner) => {
      const body = { model, instructions: system, store: false, tools, input: inputOf(steps), ...more }
      return askResponses(client, body, manner)
    },
  }
}

async function askResponses(
  client: OpenAI,
  body: Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'stream'>,
  manner: Manner,
): Promise<Answer> {
  const shown: string[] = []
  const { output, error } =
    manner === 'generate'
      ? await client.responses.create(body)
      : await client.responses
          .stream(body)
          .on('response.output_text.delta', ({ delta }) => shown.push(delta))
          .finalResponse()
  // a stream that failed is a response for this SDK
  if (error) throw new Error(`${error.code}: ${error.message}`)
  const text = output.flatMap(saidIn).join('')
  const calls = output.flatMap((item) =>
    item.type === 'function_call'
      ? [{ id: item.call_id, name: item.name, input: JSON.parse(item.arguments) as never }]
      : [],
  )
  return { text, calls, shown: manner === 'stream' ? shown.join('') : text }
}

function saidIn(item: OpenAI.Responses.ResponseOutputItem): readonly string[] {
  if (item.type !== 'message') return []
  return item.content.map((part) => (part.type === 'output_text' ? part.text : ''))
}

function inputOf(steps: readonly Step[]): OpenAI.Responses.ResponseInputItem[] {
  return steps.flatMap((step): OpenAI.Responses.ResponseInputItem[] => {
    if ('user' in step) return [{ role: 'user', content: step.user }]
    const said = step.say === undefined ? [] : [{ role: 'assistant' as const, content: step.say }]
    if (!('calls' in step)) return said
    const calls = step.calls.map(({ id, name, input }) => ({
      type: 'function_call' as const,
      call_id: id,
      name,
      arguments: JSON.stringify(input),
    }))
    const outputs = step.calls.map(({ id, result }) => ({
      type: 'function_call_output' as const,
      call_id: id,
      output: result,
    }))
    return [...said, ...calls, ...outputs]
  })
}
