import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryRequest } from './arbitrary-request.test-data.ts'
import { bedrockConverse } from './index.ts'
import type { BedrockMessage } from './items.ts'

const { fingerprint } = bedrockConverse

/** The message as it may stand in another request: more cache points, bytes as base64, keys in reverse. */
function restyled(message: BedrockMessage): BedrockMessage {
  const content = (message.content ?? []).flatMap((block) => [block, { cachePoint: { type: 'default' } }])
  const wire = JSON.parse(
    JSON.stringify({ ...message, content }, (_, value) => (value instanceof Uint8Array ? toBase64(value) : value)),
  )
  return Object.fromEntries(Object.entries(wire).reverse()) as BedrockMessage
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
}

describe('fingerprint', () => {
  it('LAW: does not see cache points, the order of keys, or whether data is bytes or base64 text', () => {
    fc.assert(
      fc.property(arbitraryRequest, ({ messages = [] }) => {
        expect(messages.map(restyled).map(fingerprint)).toEqual(messages.map(fingerprint))
      }),
      { numRuns: 300 }, // each run takes the fingerprints of some thirty messages
    )
  })

  it('LAW: writes bytes as base64 text does', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const image = (data: unknown) => ({ role: 'user', content: [{ image: { source: { bytes: data } } }] })
        expect(fingerprint(image(bytes))).toBe(fingerprint(image(toBase64(bytes))))
      }),
      { numRuns: 1000 },
    )
  })

  it('sees everything else', () => {
    const input = (value: object) => ({
      role: 'assistant',
      content: [{ toolUse: { toolUseId: 't', name: 'n', input: value } }],
    })
    const result = (extra: object) => ({
      role: 'user',
      content: [{ toolResult: { toolUseId: 't', content: [{ text: 'a' }], ...extra } }],
    })
    const different = [
      { role: 'user', content: [{ text: 'a' }] },
      { role: 'assistant', content: [{ text: 'a' }] },
      { role: 'user', content: [{ text: 'a' }], x: 1 },
      { role: 'user', content: [{ text: 'a', x: 1 }] },
      input({}),
      input({ cachePoint: { type: 'an argument' } }),
      result({}),
      result({ status: 'error' }),
      result({ content: [{ text: 'b' }] }),
    ]
    expect(new Set(different.map(fingerprint)).size).toBe(different.length)
  })
})
