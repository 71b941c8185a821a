import { EventStreamCodec } from '@smithy/eventstream-codec'
import { describe, expect, it } from 'vitest'
import { anthropicMessages, bedrockConverse, gemini, openaiChat } from '../dialects/index.ts'
import { bytes } from './framing.test-data.ts'
import { joinBytes } from './framing.ts'
import { arrayStreamEvents, frameStreamEvents, type StreamEvents, sseStreamEvents } from './stream-events.ts'

interface Reader {
  push(event: unknown): void
}

/** The reader after the whole stream, which comes byte by byte. */
function readAll<R extends Reader>(reader: R, events: StreamEvents, stream: Uint8Array): R {
  const pieces = Array.from(stream, (_, at) => stream.subarray(at, at + 1))
  for (const event of [...pieces.flatMap((piece) => events.push(piece)), ...events.end()]) reader.push(event)
  return reader
}

const sse = (...events: readonly object[]): string =>
  events.map((event) => `event: x\ndata: ${JSON.stringify(event)}\n\n`).join('')

describe('an answer read from its bytes', () => {
  it('of Anthropic', () => {
    const stream = sse(
      { type: 'message_start', message: { usage: { input_tokens: 5, output_tokens: 1 } } },
      { type: 'content_block_delta', delta: { type: 'text_delta', text: 'Grüße' } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7 } },
    )
    const reader = readAll(anthropicMessages.reader(), sseStreamEvents(), bytes(`: hello\n\n${stream}`))
    expect([reader.started, reader.finished]).toEqual([true, true])
    expect(reader.usage()).toEqual({ input: 5, cacheRead: 0, cacheWrite: 0, output: 7 })
  })

  it('of OpenAI Chat, up to [DONE]', () => {
    const stream = `${sse({ choices: [], usage: { prompt_tokens: 5, completion_tokens: 1 } })}data: [DONE]`
    const reader = readAll(openaiChat.reader(), sseStreamEvents(), bytes(stream))
    expect([reader.started, reader.finished, reader.usage()?.input]).toEqual([false, true, 5])
  })

  it('of Gemini without server-sent events', () => {
    const chunk = { candidates: [{ content: { parts: [{ text: 'a' }] }, finishReason: 'STOP' }] }
    const usage = { usageMetadata: { promptTokenCount: 5 } }
    const reader = readAll(gemini.reader(), arrayStreamEvents(), bytes(JSON.stringify([chunk, usage], undefined, 2)))
    expect([reader.started, reader.finished, reader.usage()?.input]).toEqual([true, true, 5])
  })

  it('of Bedrock, with an exception inside', () => {
    const codec = new EventStreamCodec(String, bytes)
    const frame = (kind: 'event' | 'exception', name: string, body: object): Uint8Array =>
      codec.encode({
        headers: {
          ':message-type': { type: 'string', value: kind },
          [`:${kind}-type`]: { type: 'string', value: name },
        },
        body: bytes(JSON.stringify(body)),
      })
    const stream = joinBytes([
      frame('event', 'messageStart', { role: 'assistant' }),
      frame('exception', 'validationException', { message: 'Input is too long for requested model.' }),
    ])
    const reader = readAll(bedrockConverse.reader(), frameStreamEvents(), stream)
    expect([reader.started, reader.finished]).toEqual([false, false])
    expect(reader.overflow({ size: 1, window: 2 })).toMatchObject({ kind: 'tokens' })
  })
})

describe('an event that is an error by its name alone', () => {
  const message = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."

  it.each([[{ message }], [{ error: { message } }], [message]])('is a failure: %j', (data) => {
    const reader = readAll(
      openaiChat.reader(),
      sseStreamEvents(),
      bytes(`event: error\ndata: ${JSON.stringify(data)}\n\n`),
    )
    expect(reader.failure).toBeDefined()
    expect(reader.overflow({ size: 1, window: 9999 })).toMatchObject({ kind: 'tokens', limit: 8192 })
  })
})
