import Anthropic from '@anthropic-ai/sdk'
import { afterEach, describe, expect, test } from 'vitest'
import type { Reply } from '../format.ts'
import { startWirelab, type Wirelab } from '../wirelab.ts'
import { playSession } from './play-session.ts'

let running: Wirelab | undefined
afterEach(() => running?.close())

/** `think:… | text:… | read{"a":1}#id` for each answer. */
function notation(replies: readonly Reply[]): readonly string[] {
  return replies.map(({ parts }) =>
    parts
      .map((part) => {
        if (part.kind === 'tool-call') return `${part.name}${JSON.stringify(part.input)}#${part.id}`
        return part.kind === 'text' ? `text:${part.text}` : `think:${part.text}`
      })
      .join(' | '),
  )
}

const EXPECTED = ['think:Hm. | text:I look. | read{"path":"a.ts"}#c1', 'text:Done.']

const ANTHROPIC: Anthropic.MessageParam[] = [
  { role: 'user', content: 'Look.' },
  { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm.', signature: 'recorded' }] },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'c1', name: 'read', input: { path: 'a.ts' } },
    ],
  },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'x' }] },
  { role: 'assistant', content: 'Done.' },
]

const SESSIONS: Readonly<Record<string, readonly unknown[]>> = {
  'anthropic-messages': ANTHROPIC,
  'openai-chat': [
    { role: 'user', content: 'Look.' },
    {
      role: 'assistant',
      reasoning_content: 'Hm.',
      content: 'I look.',
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'read', arguments: '{"path":"a.ts"}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'x' },
    { role: 'assistant', content: 'Done.' },
  ],
  'openai-responses': [
    { role: 'user', content: 'Look.' },
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'x' },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
    { type: 'function_call', call_id: 'c1', name: 'read', arguments: '{"path":"a.ts"}' },
    { type: 'function_call_output', call_id: 'c1', output: 'x' },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] },
  ],
  gemini: [
    { role: 'user', parts: [{ text: 'Look.' }] },
    {
      role: 'model',
      parts: [
        { text: 'Hm.', thought: true },
        { text: 'I look.' },
        { functionCall: { id: 'c1', name: 'read', args: { path: 'a.ts' } } },
      ],
    },
    { role: 'user', parts: [{ functionResponse: { id: 'c1', name: 'read', response: {} } }] },
    { role: 'model', parts: [{ text: 'Done.' }] },
  ],
  'bedrock-converse': [
    { role: 'user', content: [{ text: 'Look.' }] },
    {
      role: 'assistant',
      content: [
        { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'recorded' } } },
        { text: 'I look.' },
        { toolUse: { toolUseId: 'c1', name: 'read', input: { path: 'a.ts' } } },
      ],
    },
    { role: 'user', content: [{ toolResult: { toolUseId: 'c1', content: [{ text: 'x' }] } }] },
    { role: 'assistant', content: [{ text: 'Done.' }] },
  ],
}

describe('a recorded session', () => {
  test.each(Object.entries(SESSIONS))('%s: its answers, in order', (_format, items) => {
    expect(notation(playSession(items))).toEqual(EXPECTED)
  })

  test('its signatures stay only where that is asked for', () => {
    const signature = (replies: readonly Reply[]) => JSON.stringify(replies).includes('recorded')
    expect(signature(playSession(ANTHROPIC))).toBe(false)
    expect(signature(playSession(ANTHROPIC, { signatures: 'recorded' }))).toBe(true)
  })

  test('arguments that are no JSON are kept as text', () => {
    const cut = [{ type: 'function_call', call_id: 'c', name: 'run', arguments: '{"cmd": "ls' }]
    expect(notation(playSession(cut))).toEqual(['run{"text":"{\\"cmd\\": \\"ls"}#c'])
    const free = [{ type: 'custom_tool_call', call_id: 'c', name: 'apply_patch', input: '*** Begin' }]
    expect(notation(playSession(free))).toEqual(['apply_patch{"input":"*** Begin"}#c'])
  })

  test('played over HTTP, its thinking is bound to the conversation as it is played', async () => {
    running = await startWirelab({ script: playSession(ANTHROPIC), rules: { thinkingBinding: 'prefix' } })
    const client = new Anthropic({ baseURL: running.url, apiKey: 'any', maxRetries: 0 })
    const ask = (messages: Anthropic.MessageParam[], system: string) =>
      client.messages.create({
        model: 'claude-opus-5-5',
        max_tokens: 1000,
        system,
        tools: [{ name: 'read', input_schema: { type: 'object' } }],
        messages,
      })
    const [question, , , result] = ANTHROPIC as [Anthropic.MessageParam, unknown, unknown, Anthropic.MessageParam]
    const { content } = await ask([question], 'Be careful.')
    const next: Anthropic.MessageParam[] = [question, { role: 'assistant', content }, result]
    await expect(ask(next, 'Be quick.')).rejects.toThrow('bound to a different conversation')
    expect((await ask(next, 'Be careful.')).content).toEqual([{ type: 'text', text: 'Done.' }])
  })
})
