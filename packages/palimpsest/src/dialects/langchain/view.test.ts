import { ChatAnthropic } from '@langchain/anthropic'
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { langchain } from './index.ts'
import type { LangChainMessage, LangChainRequest } from './items.ts'

function viewOf(message: unknown) {
  const { parts, ...view } = langchain.view(message as LangChainMessage)
  return {
    ...view,
    parts: parts.map(({ kind, callId, toolName, isError, injected, editable, text }) => ({
      kind,
      callId,
      toolName,
      isError,
      injected,
      editable,
      text: text(),
    })),
  }
}

test('a result says what it answers and whether it failed', () => {
  const message = new ToolMessage({ content: 'ENOENT', tool_call_id: 'c1', name: 'read', status: 'error' })
  expect(viewOf(message)).toEqual({
    role: 'tool',
    parts: [
      {
        kind: 'tool-result',
        callId: 'c1',
        toolName: 'read',
        isError: true,
        injected: undefined,
        editable: true,
        text: 'ENOENT',
      },
    ],
  })
})

test('thinking stands apart and is not editable; an answer of the provider’s own tool is opaque', () => {
  const message = new AIMessage({
    content: [
      { type: 'thinking', thinking: 'Hm.', signature: 's' },
      { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'x' } },
      { type: 'text', text: 'Found.' },
    ],
  })
  expect(viewOf(message).parts.map(({ kind, editable, text }) => [kind, editable, text])).toEqual([
    ['reasoning', false, 'Hm.'],
    ['opaque', false, '{"input":{"query":"x"}}'],
    ['text', true, 'Found.'],
  ])
})

test('a summary of LangChain’s own middleware is not taken for the user’s words', () => {
  const message = new HumanMessage({ content: 'So far …', additional_kwargs: { lc_source: 'summarization' } })
  expect(viewOf(message).parts[0]?.injected).toBe(true)
})

test('model, system message and tools are read of the real classes, tools with their schema', () => {
  const read = tool(() => '', { name: 'read', description: 'Reads a file.', schema: z.object({ path: z.string() }) })
  const openai = new ChatOpenAI({ model: 'gpt-5.6', apiKey: 'x' })
  const request = {
    model: openai,
    systemMessage: new SystemMessage('Be careful.'),
    messages: [new HumanMessage('Hi.')],
    tools: [read],
  } as unknown as LangChainRequest
  const opened = langchain.open(request)
  expect([opened.model, opened.system.length, opened.items.length]).toEqual(['gpt-5.6', 1, 1])
  expect(JSON.stringify(opened.tools)).toContain('"path"')
  const anthropic = new ChatAnthropic({ model: 'claude-sonnet-5-5', apiKey: 'x' })
  expect(langchain.open({ ...request, model: anthropic, systemMessage: new SystemMessage('') } as never)).toMatchObject(
    {
      model: 'claude-sonnet-5-5',
      system: [],
    },
  )
  expect(langchain.recognises(request)).toBe(1)
})

test('usage counts the whole prompt, whatever part a cache served', () => {
  const usage_metadata = {
    input_tokens: 1200,
    output_tokens: 7,
    total_tokens: 1207,
    input_token_details: { cache_read: 1000, cache_creation: 100 },
  }
  const answer = Object.assign(new AIMessage('Yes.'), { usage_metadata })
  expect(langchain.usage(answer)).toEqual({ input: 1200, cacheRead: 1000, cacheWrite: 100, output: 7 })
  expect(langchain.usage(new AIMessage('Yes.'))).toBeUndefined()
})

test('a tool whose schema has no JSON counts its names and descriptions all the same', () => {
  const schema = z.object({ when: z.date().describe('The day of the visit.'), who: z.array(z.string()) })
  const read = tool(() => '', { name: 'visit', description: 'Books a visit.', schema })
  const [described] = langchain.open({ messages: [], tools: [read] }).tools ?? []
  expect(JSON.stringify(described)).toContain('The day of the visit.')
  expect(JSON.stringify(described)).toContain('"who"')
})
