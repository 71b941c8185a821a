import Anthropic from '@anthropic-ai/sdk'
import { afterEach, describe, expect, test } from 'vitest'
import { toolLoop } from '../../script/script.ts'
import { startWirelab, type Wirelab, type WirelabOptions } from '../../wirelab.ts'

let lab: Wirelab | undefined
afterEach(() => lab?.close())

async function start(options: WirelabOptions): Promise<{ readonly lab: Wirelab; readonly client: Anthropic }> {
  lab = await startWirelab(options)
  return { lab, client: new Anthropic({ baseURL: lab.url, apiKey: 'any', maxRetries: 0 }) }
}

const LOOP = toolLoop({
  steps: 3,
  tool: 'read_file',
  input: (step) => ({ path: `src/file-${step}.ts` }),
  reasoning: (step) => `Step ${step} needs a look at one more file.`,
  final: 'All three files are read.',
})

const TOOLS: Anthropic.Tool[] = [{ name: 'read_file', input_schema: { type: 'object' } }]
const BASE = { model: 'claude-opus-5', max_tokens: 1000, tools: TOOLS }

/** An agent loop as one writes it with the SDK. */
async function runLoop(
  send: (messages: Anthropic.MessageParam[]) => Promise<Anthropic.Message>,
): Promise<{ readonly messages: Anthropic.MessageParam[]; readonly last: Anthropic.Message }> {
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Read the files.' }]
  for (;;) {
    const last = await send(messages)
    messages.push({ role: 'assistant', content: last.content })
    if (last.stop_reason !== 'tool_use') return { messages, last }
    const calls = last.content.filter((block) => block.type === 'tool_use')
    messages.push({
      role: 'user',
      content: calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'export const x = 1' })),
    })
  }
}

describe('the official SDK', () => {
  test.each(['turn', 'prefix'] as const)(
    'runs a tool loop with signed thinking (%s), streaming and not',
    async (thinkingBinding) => {
      const { lab, client } = await start({ script: LOOP, rules: { thinkingBinding } })
      const whole = await runLoop((messages) => client.messages.create({ ...BASE, messages }))
      const streamed = await runLoop((messages) => client.messages.stream({ ...BASE, messages }).finalMessage())
      expect(whole.last.content.at(-1)).toMatchObject({ type: 'text', text: 'All three files are read.' })
      expect(lab.calls.map(({ outcome, stream }) => `${outcome} ${stream}`)).toEqual([
        ...Array(4).fill('answered false'),
        ...Array(4).fill('answered true'),
      ])
      expect(texts(streamed.messages)).toEqual(texts(whole.messages))
      expect(streamed.last.usage).toMatchObject({ output_tokens: whole.last.usage.output_tokens })
    },
  )
})

/** Everything said, without ids and signatures, which differ from call to call. */
function texts(messages: readonly Anthropic.MessageParam[]): readonly unknown[] {
  const told = (block: Anthropic.ContentBlockParam) => {
    if (block.type === 'thinking') return block.thinking
    if (block.type === 'tool_use') return block.input
    return block.type === 'text' ? block.text : block.type
  }
  return messages.map(({ content }) => (typeof content === 'string' ? content : content.map(told)))
}
