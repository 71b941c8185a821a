import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryCounts, arbitraryTexts, type StreamedAnswer, streamLaws } from '../stream-laws.test-data.ts'
import { bedrockConverse } from './index.ts'

const CONTEXT = { size: 1_000, window: 200_000 }

const answers: fc.Arbitrary<StreamedAnswer> = fc
  .record({
    texts: arbitraryTexts,
    counts: arbitraryCounts,
    stopReason: fc.constantFrom('end_turn', 'tool_use', 'max_tokens', 'model_context_window_exceeded'),
  })
  .map(({ texts, counts, stopReason }) => {
    const usage = {
      inputTokens: counts.input,
      cacheReadInputTokens: counts.cacheRead,
      cacheWriteInputTokens: counts.cacheWrite,
      outputTokens: counts.output,
    }
    return {
      before: [
        { messageStart: { role: 'assistant' } },
        { contentBlockDelta: { contentBlockIndex: 0, delta: { text: '' } } },
      ],
      content: texts.map((text) => ({ contentBlockDelta: { contentBlockIndex: 0, delta: { text } } })),
      after: [{ messageStop: { stopReason } }, { metadata: { usage, metrics: { latencyMs: 1 } } }],
      response: { output: { message: { content: texts.map((text) => ({ text })) } }, stopReason, usage },
    }
  })

streamLaws(bedrockConverse, answers)

describe('what has started', () => {
  it.each([
    ['reasoning', { contentBlockDelta: { delta: { reasoningContent: { text: 'Hm' } } } }],
    ['a call', { contentBlockStart: { start: { toolUse: { toolUseId: 'a', name: 'read' } } } }],
    ['arguments of a call', { contentBlockDelta: { delta: { toolUse: { input: '{' } } } }],
  ])('%s has', (_, event) => {
    const reader = bedrockConverse.reader()
    reader.push(event)
    expect(reader.started).toBe(true)
  })
})

describe('an exception inside a stream', () => {
  it('is an overflow by its words', () => {
    const reader = bedrockConverse.reader()
    reader.push({ messageStart: { role: 'assistant' } })
    const event = { validationException: { message: 'Input is too long for requested model.' } }
    reader.push(event)
    expect([reader.started, reader.finished, reader.failure]).toEqual([false, false, event])
    expect(reader.overflow(CONTEXT)).toMatchObject({ kind: 'tokens' })
  })

  it.each([
    [{ throttlingException: { message: 'Too many tokens, please wait before trying again.' } }],
    [{ internalServerException: { message: 'Sorry.' } }],
    [{ ':error-code': 'InternalFailure', ':error-message': 'Sorry.' }],
  ])('of another kind is a failure and no overflow: %j', (event) => {
    const reader = bedrockConverse.reader()
    reader.push(event)
    expect(reader.failure).toBe(event)
    expect(reader.overflow(CONTEXT)).toBeUndefined()
  })
})
