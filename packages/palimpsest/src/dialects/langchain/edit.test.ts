import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  isAIMessage,
  isAIMessageChunk,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  ToolMessage,
} from '@langchain/core/messages'
import { convertMessagesToCompletionsMessageParams, convertMessagesToResponsesInput } from '@langchain/openai'
import { describe, expect, test } from 'vitest'
import { deepFreeze } from '../../deep-freeze.test-data.ts'
import type { PartEdit } from '../../engine/messages/message.ts'
import { langchain } from './index.ts'
import type { LangChainMessage } from './items.ts'

/** The frozen message, edited. */
function edited<T extends BaseMessage>(message: T, ...edits: readonly PartEdit[]): T {
  return langchain.edit(deepFreeze(message) as unknown as LangChainMessage, edits) as unknown as T
}

function partsOf(message: BaseMessage): readonly string[] {
  return langchain.view(message as unknown as LangChainMessage).parts.map((part) => `${part.kind}: ${part.text()}`)
}

const TOOL = { tool_call_id: 'c1', name: 'read' }

describe('an edited message is another instance of its class', () => {
  test('a tool message keeps its class, its fields and the artifact that is not for the model', () => {
    const message = new ToolMessage({ content: 'long output', artifact: { rows: [1, 2] }, id: 't1', ...TOOL })
    const shorter = edited(message, { kind: 'replace-text', part: 0, text: 'short' })
    expect(ToolMessage.isInstance(shorter)).toBe(true)
    expect(shorter).toBeInstanceOf(ToolMessage)
    expect(Object.getPrototypeOf(shorter)).toBe(ToolMessage.prototype)
    expect(shorter.getType()).toBe('tool')
    expect(shorter.text).toBe('short')
    expect(shorter).toMatchObject({ artifact: { rows: [1, 2] }, id: 't1', ...TOOL })
    expect(message.content).toBe('long output')
  })

  test('it is written to JSON and read again with the new text', () => {
    const shorter = edited(new ToolMessage({ content: 'long output', ...TOOL }), {
      kind: 'replace-text',
      part: 0,
      text: 'short',
    })
    expect(JSON.parse(JSON.stringify(shorter)).kwargs).toMatchObject({ content: 'short', tool_call_id: 'c1' })
    const [again] = mapStoredMessagesToChatMessages(mapChatMessagesToStoredMessages([shorter]))
    expect(again).toBeInstanceOf(ToolMessage)
    expect(again?.content).toBe('short')
  })

  test('an id that LangChain gives to the copy does not reach the original', () => {
    const message = new HumanMessage('a long question')
    const shorter = langchain.edit(message as unknown as LangChainMessage, [
      { kind: 'replace-text', part: 0, text: 'a question' },
    ]) as unknown as HumanMessage
    shorter._updateId('new')
    expect([shorter.id, shorter.lc_kwargs.id]).toEqual(['new', 'new'])
    expect([message.id, message.lc_kwargs.id]).toEqual([undefined, undefined])
  })

  test('a chunk stays one: its calls, its pieces and a sum with another chunk say the new arguments', () => {
    const chunk = new AIMessageChunk({
      content: '',
      tool_call_chunks: [{ type: 'tool_call_chunk', index: 0, id: 'c1', name: 'write', args: '{"text":"very long"}' }],
    })
    const shorter = edited(chunk, { kind: 'replace-text', part: 0, text: '{"text":"v"}' })
    expect(isAIMessageChunk(shorter)).toBe(true)
    expect(shorter).toBeInstanceOf(AIMessageChunk)
    expect(shorter.tool_calls?.[0]?.args).toEqual({ text: 'v' })
    expect(shorter.concat(new AIMessageChunk('')).tool_calls?.[0]?.args).toEqual({ text: 'v' })
    expect(chunk.tool_calls?.[0]?.args).toEqual({ text: 'very long' })
  })
})

describe('a call is edited wherever its message repeats it', () => {
  const call = { id: 'c1', name: 'write', args: { text: 'very long' }, type: 'tool_call' as const }
  const SHORT: PartEdit = { kind: 'replace-text', part: 1, text: '{"text":"v"}' }

  test('in the content block of Anthropic', () => {
    const block = { type: 'tool_use', id: 'c1', name: 'write', input: { text: 'very long' } }
    const message = new AIMessage({ content: [{ type: 'text', text: 'Writing.' }, block], tool_calls: [call] })
    expect(partsOf(message)).toEqual(['text: Writing.', 'tool-call: {"text":"very long"}'])
    const shorter = edited(message, SHORT)
    expect(JSON.stringify(shorter)).not.toContain('very long')
    expect(partsOf(shorter)).toEqual(['text: Writing.', 'tool-call: {"text":"v"}'])
    expect(isAIMessage(shorter)).toBe(true)
  })

  test('in the raw call of OpenAI', () => {
    const raw = { id: 'c1', type: 'function' as const, function: { name: 'write', arguments: '{"text":"very long"}' } }
    const message = new AIMessage({ content: 'Writing.', tool_calls: [call], additional_kwargs: { tool_calls: [raw] } })
    const shorter = edited(message, SHORT)
    expect(JSON.stringify(shorter)).not.toContain('very long')
    expect(convertMessagesToCompletionsMessageParams({ messages: [shorter] })).toMatchObject([
      { tool_calls: [{ id: 'c1', function: { arguments: '{"text":"v"}' } }] },
    ])
  })

  test('in the standard content block', () => {
    const message = new AIMessage({ contentBlocks: [{ type: 'text', text: 'Writing.' }, call] })
    const shorter = edited(message, SHORT)
    expect(shorter.contentBlocks).toEqual([
      { type: 'text', text: 'Writing.' },
      { ...call, args: { text: 'v' } },
    ])
  })

  test('and leaves everywhere', () => {
    const block = { type: 'tool_use', id: 'c1', name: 'write', input: { text: 'very long' } }
    const message = new AIMessage({ content: [{ type: 'text', text: 'Writing.' }, block], tool_calls: [call] })
    const without = edited(message, { kind: 'remove', part: 1 })
    expect([without.tool_calls, without.content]).toEqual([[], [{ type: 'text', text: 'Writing.' }]])
  })

  test('but not where its provider signed it', () => {
    const message = new AIMessage({
      content: 'Writing.',
      tool_calls: [call],
      additional_kwargs: { __gemini_function_call_thought_signatures__: { c1: 'c2ln' } },
    })
    expect(edited(message, SHORT)).toBe(message)
  })
})

describe('what the provider stored is not sent in place of an edit', () => {
  const message = () =>
    new AIMessage({
      id: 'msg_1',
      content: [{ type: 'text', text: 'Writing.' }],
      tool_calls: [
        { id: 'c1', name: 'write', args: { text: 'very long' }, type: 'tool_call' },
        { id: 'c2', name: 'read', args: {}, type: 'tool_call' },
      ],
      additional_kwargs: {
        reasoning: { id: 'rs_1', type: 'reasoning', summary: [] },
        __openai_function_call_ids__: { c1: 'fc_1', c2: 'fc_2' },
      },
      response_metadata: { output: [{ type: 'function_call', id: 'fc_1', call_id: 'c1', arguments: 'very long' }] },
    })
  const sent = (one: AIMessage) =>
    convertMessagesToResponsesInput({ messages: [one], zdrEnabled: false, model: 'gpt-5.6' }) as readonly object[]

  test('an edited call goes out without its id, and without the answer as it came', () => {
    const shorter = edited(message(), { kind: 'replace-text', part: 2, text: '{"text":"v"}' })
    const calls = sent(shorter).filter((item) => 'call_id' in item)
    expect(calls).toEqual([
      { type: 'function_call', name: 'write', arguments: '{"text":"v"}', call_id: 'c1', id: undefined },
      { type: 'function_call', name: 'read', arguments: '{}', call_id: 'c2', id: 'fc_2' },
    ])
  })

  test('behind removed reasoning no id stays', () => {
    const loose = edited(message(), { kind: 'remove', part: 0 })
    expect(JSON.stringify(sent(loose))).not.toMatch(/"(?:rs|fc|msg)_\d"/)
    expect(sent(message())).toHaveLength(1)
  })
})

test('a summary is a message of the class that the human messages of the conversation have', () => {
  const items = [
    new HumanMessage({ content: 'Go on.', id: 'h1', additional_kwargs: { by: 'ann' } }),
    new AIMessage('Yes.'),
  ]
  const summary = (around: readonly BaseMessage[]) =>
    langchain.layOut(
      [
        { kind: 'summary', insertAfter: -1, text: 'In short.' },
        ...around.map((item, position) => ({
          kind: 'item' as const,
          position,
          item: item as unknown as LangChainMessage,
          edited: false,
        })),
      ],
      { from: 0, before: 4 },
      { thinkingBinding: 'none', strictAlternation: false },
    )[0] as unknown as BaseMessage
  const made = summary(items)
  expect(made).toEqual(new HumanMessage('In short.'))
  expect(JSON.stringify(made)).toBe(JSON.stringify(new HumanMessage('In short.')))
  // without a human message around, all that is told by `type` holds
  const other = summary([new AIMessage('Yes.')])
  expect(HumanMessage.isInstance(other)).toBe(true)
  expect([other.getType(), other.text]).toEqual(['human', 'In short.'])
  expect(convertMessagesToCompletionsMessageParams({ messages: [other] })).toEqual([
    { role: 'user', content: 'In short.' },
  ])
})
