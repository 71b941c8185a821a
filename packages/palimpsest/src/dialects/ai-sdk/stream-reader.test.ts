import type { LanguageModelV3StreamPart } from '@ai-sdk/provider'
import type { LanguageModelV4StreamPart } from 'ai7-provider'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryCounts, arbitraryTexts, type StreamedAnswer, streamLaws } from '../stream-laws.test-data.ts'
import { aiSdk } from './index.ts'

const CONTEXT = { size: 1_000, window: 200_000 }

const answers: fc.Arbitrary<StreamedAnswer> = fc
  .record({
    texts: arbitraryTexts,
    counts: arbitraryCounts,
    raw: fc.constantFrom('end_turn', 'model_context_window_exceeded'),
    version: fc.constantFrom(2, 3),
  })
  .map(({ texts, counts, raw, version }) => {
    const flat = { inputTokens: counts.input, outputTokens: counts.output, cachedInputTokens: counts.cacheRead }
    const nested = {
      inputTokens: { total: counts.input, noCache: 0, cacheRead: counts.cacheRead, cacheWrite: counts.cacheWrite },
      outputTokens: { total: counts.output, text: counts.output, reasoning: undefined },
    }
    const end = {
      usage: version === 2 ? flat : nested,
      finishReason: version === 2 ? raw : { unified: 'other', raw },
      providerMetadata: { anthropic: { cacheCreationInputTokens: counts.cacheWrite } },
    }
    return {
      before: [
        { type: 'stream-start', warnings: [] },
        { type: 'response-metadata', id: 'r' },
        { type: 'raw', rawValue: { delta: 'x' } },
        { type: 'ping' },
        { type: 'text-start', id: '0' },
        { type: 'text-delta', id: '0', delta: '' },
      ],
      content: texts.map((delta) => ({ type: 'text-delta', id: '0', delta })),
      after: [{ type: 'finish', ...end }],
      response: { content: texts.map((text) => ({ type: 'text', text })), ...end },
    }
  })

streamLaws(aiSdk, answers)

describe('parts', () => {
  const parts: readonly (LanguageModelV3StreamPart | LanguageModelV4StreamPart)[] = [
    { type: 'reasoning-start', id: '0' },
    { type: 'tool-input-start', id: 'a', toolName: 'read' },
    { type: 'tool-call', toolCallId: 'a', toolName: 'read', input: '{}' },
    { type: 'source', sourceType: 'url', id: 's', url: 'https://example.com' },
  ]
  it.each(parts)('$type has started', (part) => {
    const reader = aiSdk.reader()
    reader.push(part)
    expect(reader.started).toBe(true)
  })

  it('a stream of envelopes, as the SDK types them, has not', () => {
    const silent: readonly (LanguageModelV3StreamPart | LanguageModelV4StreamPart)[] = [
      { type: 'stream-start', warnings: [] },
      { type: 'custom', kind: 'anthropic.message_start' },
      { type: 'ping' },
      { type: 'text-start', id: '0' },
      { type: 'text-end', id: '0' },
    ]
    const reader = aiSdk.reader()
    for (const part of silent) reader.push(part)
    expect(reader.started).toBe(false)
  })
})

describe('an error part', () => {
  it('is an overflow by its words, and the finish part behind it is no end', () => {
    const reader = aiSdk.reader()
    const part = { type: 'error', error: new Error('prompt is too long: 210000 tokens > 200000 maximum') }
    reader.push(part)
    reader.push({ type: 'finish', finishReason: { unified: 'error', raw: undefined }, usage: {} })
    expect([reader.started, reader.finished, reader.failure]).toEqual([false, false, part])
    expect(reader.overflow(CONTEXT)).toMatchObject({ kind: 'tokens', size: 210_000, limit: 200_000 })
  })

  it('of another kind is a failure and no overflow', () => {
    const reader = aiSdk.reader()
    reader.push({ type: 'error', error: 'overloaded' })
    expect(reader.failure).toBeDefined()
    expect(reader.overflow(CONTEXT)).toBeUndefined()
  })
})
