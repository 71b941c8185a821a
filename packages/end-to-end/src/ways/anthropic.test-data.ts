import Anthropic from '@anthropic-ai/sdk'
import type { Step } from './steps.test-data.ts'
import { type Answer, type ClientSetup, type Manner, outputCap, SYSTEM, TOOL, type Way } from './way.test-data.ts'

/** Anthropic Messages by `@anthropic-ai/sdk`. */
export const anthropic: Way = {
  name: '@anthropic-ai/sdk',
  format: 'anthropic-messages',
  dialect: 'anthropic-messages',
  model: 'claude-opus-5',
  manners: ['generate', 'stream'],
  connect: (setup) => {
    const client = anthropicClient(setup)
    const { model = anthropic.model, system = SYSTEM } = setup
    // this format demands one
    const maxOutput = outputCap(setup) ?? 4_096
    return {
      ask: (steps, manner) =>
        askAnthropic(client, { model, max_tokens: maxOutput, system, tools, messages: messagesOf(steps) }, manner),
    }
  },
}

export function anthropicClient({ url, keeper, apiKey = 'any', maxRetries = 0 }: ClientSetup): Anthropic {
  return new Anthropic({ baseURL: url, apiKey, fetch: keeper.fetch, maxRetries })
}

export const tools: Anthropic.Tool[] = [{ name: TOOL, input_schema: { type: 'object' } }]

/** One call in this manner. */
export async function askAnthropic(
  client: Anthropic,
  body: Anthropic.MessageCreateParamsNonStreaming,
  manner: Manner,
): Promise<Answer & { readonly content: Anthropic.ContentBlock[] }> {
  const shown: string[] = []
  const stream = manner === 'stream' ? client.messages.stream(body) : undefined
  stream?.on('text', (text) => shown.push(text)).on('thinking', (text) => shown.push(text))
  const { content } = await (stream?.finalMessage() ?? client.messages.create(body))
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('')
  const calls = content.flatMap((block) =>
    block.type === 'tool_use' ? [{ id: block.id, name: block.name, input: block.input as object as never }] : [],
  )
  return { text, calls, shown: stream === undefined ? text : shown.join(''), content }
}

export function messagesOf(steps: readonly Step[]): Anthropic.MessageParam[] {
  return steps.flatMap((step): Anthropic.MessageParam[] => {
    if ('user' in step) return [{ role: 'user', content: step.user }]
    if (!('calls' in step)) return [{ role: 'assistant', content: step.say }]
    const said = step.say === undefined ? [] : [{ type: 'text' as const, text: step.say }]
    const uses = step.calls.map(({ id, name, input }) => ({ type: 'tool_use' as const, id, name, input }))
    const results = step.calls.map(({ id, result }) => ({
      type: 'tool_result' as const,
      tool_use_id: id,
      content: result,
    }))
    return [
      { role: 'assistant', content: [...said, ...uses] },
      { role: 'user', content: results },
    ]
  })
}
