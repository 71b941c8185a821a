import { ContextOverflowError } from '@langchain/core/errors'
import { AIMessage, AIMessageChunk } from '@langchain/core/messages'
import { MiddlewareError } from 'langchain'
import { expect, test } from 'vitest'
import { langchain } from './index.ts'

const SENT = { size: 100, window: 1000 }

test('an error that LangChain calls an overflow is one, whatever its words and whoever wrapped it', () => {
  const own = new ContextOverflowError('Der Text ist zu lang.')
  expect(langchain.overflow(own, SENT)).toMatchObject({ kind: 'tokens' })
  expect(langchain.overflow(MiddlewareError.wrap(own, 'Other'), SENT)).toMatchObject({ kind: 'tokens' })
  expect(langchain.overflow(new Error('Der Text ist zu lang.'), SENT)).toBeUndefined()
})

test('the numbers of the provider inside are read', () => {
  const inner = new Error('prompt is too long: 210000 tokens > 200000 maximum')
  expect(langchain.overflow(ContextOverflowError.fromError(inner), SENT)).toMatchObject({
    kind: 'tokens',
    size: 210_000,
    limit: 200_000,
  })
})

test('a stop at the window is an overflow of an answer that is no error', () => {
  const cut = new AIMessage({ content: 'And th', response_metadata: { stop_reason: 'model_context_window_exceeded' } })
  expect(langchain.outcome(cut, SENT)).toMatchObject({ kind: 'silent' })
  expect(langchain.outcome(new AIMessage('Done.'), SENT)).toBe('ok')
})

test('a stream begins with the first content, not with the chunk that opens it', () => {
  const reader = langchain.reader()
  reader.push(new AIMessageChunk({ content: [] }))
  expect(reader.started).toBe(false)
  reader.push(new AIMessageChunk('Hi'))
  expect([reader.started, reader.finished]).toEqual([true, false])
  const last = new AIMessageChunk({ content: '', response_metadata: { stop_reason: 'end_turn' } })
  reader.push(Object.assign(last, { usage_metadata: { input_tokens: 12, output_tokens: 3, total_tokens: 15 } }))
  expect([reader.finished, reader.usage()?.input, reader.failure]).toEqual([true, 12, undefined])
})
