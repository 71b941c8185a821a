import { describe, expect, test } from 'vitest'
import { deepFreeze as frozen } from '../../deep-freeze.test-data.ts'
import type { Conversation } from '../../engine/messages/message.ts'
import type { CacheBreakpoints } from '../cache-breakpoints.ts'
import { aiSdk } from './index.ts'
import type { AiSdkMessage, ProviderOptions } from './items.ts'

const mark = (ttl?: string): ProviderOptions => ({
  anthropic: { cacheControl: { type: 'ephemeral', ...(ttl && { ttl }) } },
})
const user = (words: string, providerOptions?: ProviderOptions) =>
  ({
    role: 'user',
    content: [{ type: 'text', text: words, ...(providerOptions && { providerOptions }) }],
  }) as unknown as AiSdkMessage
const system = (content: string): AiSdkMessage => ({ role: 'system', content })

function markedAt(
  view: Conversation<AiSdkMessage>,
  item: number | undefined,
  inSystem: CacheBreakpoints['system'] = true,
) {
  const out = aiSdk.markCache(frozen(view), { system: inSystem, ...(item !== undefined && { item }) })
  const lifetime = (message: unknown) =>
    (message as AiSdkMessage).providerOptions?.anthropic?.cacheControl as { ttl?: string } | undefined
  return { system: out.system.map(lifetime), items: out.items.map(lifetime) }
}

describe('D10 cache marks of the AI SDK dialect', () => {
  const view = { system: [system('a'), system('b')], items: [user('S'), user('go on')] }

  test('stand on the last system message and on the summary, at message level', () => {
    expect(markedAt(view, 0)).toEqual({
      system: [undefined, { type: 'ephemeral' }],
      items: [{ type: 'ephemeral' }, undefined],
    })
    expect(markedAt(view, undefined, false)).toEqual({ system: [undefined, undefined], items: [undefined, undefined] })
  })

  test('stand on the last of the stable system messages; what may change stands behind it', () => {
    const three = { system: [system('a'), system('b'), system('c')], items: [user('S')] }
    const stands = (stable: number) => markedAt(three, undefined, { stable }).system.map((mark) => mark !== undefined)
    expect(stands(0)).toEqual([false, false, false])
    expect(stands(1)).toEqual([true, false, false])
    expect(stands(2)).toEqual([false, true, false])
    expect(stands(9)).toEqual([false, false, true])
  })

  test('are Bedrock’s too, at the same places and with the same time to live', () => {
    const long = { ...view, items: [user('S'), user('x', { bedrock: { cachePoint: { type: 'default', ttl: '1h' } } })] }
    const out = aiSdk.markCache(frozen(long), { system: { stable: 1 }, item: 0 })
    const point = { type: 'default', ttl: '1h' }
    expect(out.system.map((one) => (one as AiSdkMessage).providerOptions?.bedrock)).toEqual([
      { cachePoint: point },
      undefined,
    ])
    expect(out.items.map((one) => one.providerOptions?.bedrock)).toEqual([{ cachePoint: point }, undefined])
    expect(markedAt(long, 0).items[0]).toEqual({ type: 'ephemeral', ttl: '1h' })
  })

  test('a caller’s marks of either provider take slots, those of both on one message one', () => {
    const both = { ...mark(), bedrock: { cachePoint: { type: 'default' } } }
    const points = [1, 2].map(() => ({ providerOptions: { bedrock: { cachePoint: { type: 'default' } } } }))
    const two = { ...view, items: [user('S'), user('x', both), user('y', both)] }
    expect(markedAt(two, 0)).toMatchObject({ items: [{ type: 'ephemeral' }, undefined, undefined] })
    const full = { ...two, tools: points }
    expect(aiSdk.markCache(full, { system: true, item: 0 })).toBe(full)
  })

  test('other options of the message stay', () => {
    const items = [{ ...user('S'), providerOptions: { anthropic: { x: 1 }, openai: { y: 2 } } }]
    const out = aiSdk.markCache(frozen({ system: [], items }), { system: true, item: 0 })
    expect(out.items[0]?.providerOptions).toEqual({
      anthropic: { x: 1, cacheControl: { type: 'ephemeral' } },
      bedrock: { cachePoint: { type: 'default' } },
      openai: { y: 2 },
    })
  })

  test('take only free slots; with one left the summary has it', () => {
    const tools = [{ providerOptions: mark() }, { providerOptions: mark() }]
    expect(markedAt({ ...view, tools, items: [user('S'), user('x', mark())] }, 0)).toEqual({
      system: [undefined, undefined],
      items: [{ type: 'ephemeral' }, undefined],
    })
    const full = { ...view, tools: [...tools, ...tools] }
    expect(aiSdk.markCache(full, { system: true, item: 0 })).toBe(full)
  })

  test('marks inside results are counted', () => {
    const output = {
      type: 'content',
      value: [1, 2, 3, 4].map(() => ({ type: 'text', text: 'x', providerOptions: mark() })),
    }
    const result = {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: '1', output }],
    } as unknown as AiSdkMessage
    const full = { ...view, items: [user('S'), result] }
    expect(aiSdk.markCache(full, { system: true, item: 0 })).toBe(full)
  })

  test('a message that ends in the caller’s mark gets none, nor does an empty one', () => {
    const own = { system: [system('')], items: [user('S', mark())] }
    expect(aiSdk.markCache(own, { system: true, item: 0 })).toBe(own)
    expect(aiSdk.markCache({ system: [], items: [] }, { system: true, item: 3 }).items).toEqual([])
  })

  test('live as long as the caller’s longest mark behind them, or are left out where that cannot be', () => {
    const long = { ...view, items: [user('S'), user('x', mark('1h'))] }
    const hour = { type: 'ephemeral', ttl: '1h' }
    expect(markedAt(long, 0)).toEqual({ system: [undefined, hour], items: [hour, undefined] })
    const early = { system: [system('a')], items: [user('x', mark('1h')), user('S')] }
    expect(markedAt(early, 1, false)).toEqual({ system: [undefined], items: [undefined, { type: 'ephemeral' }] })
    const torn = { ...long, tools: [{ providerOptions: mark('5m') }] }
    expect(aiSdk.markCache(torn, { system: true, item: 0 })).toBe(torn)
  })
})

describe('fingerprints', () => {
  const message = user('hi')

  test('do not see cache marks, wherever they stand', () => {
    const plain = aiSdk.fingerprint(message)
    for (const options of [
      mark(),
      { bedrock: { cachePoint: { type: 'default' } } },
      { openai: { promptCacheBreakpoint: {} } },
    ]) {
      expect(aiSdk.fingerprint({ ...message, providerOptions: options })).toBe(plain)
      expect(aiSdk.fingerprint(user('hi', options as ProviderOptions))).toBe(plain)
    }
    const result = (own: object, inner: object) =>
      ({
        role: 'tool',
        content: [
          { type: 'tool-result', output: { type: 'content', value: [{ type: 'text', text: 'x', ...inner }], ...own } },
        ],
      }) as unknown as AiSdkMessage
    const options = { providerOptions: mark() }
    expect(aiSdk.fingerprint(result(options, options))).toBe(aiSdk.fingerprint(result({}, {})))
  })

  test('see every other option, and a tool’s own fields of that name', () => {
    expect(aiSdk.fingerprint({ ...message, providerOptions: { openai: { itemId: 'a' } } })).not.toBe(
      aiSdk.fingerprint(message),
    )
    const call = (input: object) =>
      ({ role: 'assistant', content: [{ type: 'tool-call', toolCallId: '1', input }] }) as unknown as AiSdkMessage
    expect(aiSdk.fingerprint(call({ cacheControl: 1 }))).not.toBe(aiSdk.fingerprint(call({})))
  })

  test('are the same for bytes and their base64', () => {
    const file = (data: unknown) =>
      ({ role: 'user', content: [{ type: 'file', mediaType: 'a/b', data }] }) as unknown as AiSdkMessage
    const bytes = Uint8Array.from({ length: 20_000 }, (_, at) => at % 256)
    const base64 = Buffer.from(bytes).toString('base64')
    expect(aiSdk.fingerprint(file(bytes))).toBe(aiSdk.fingerprint(file(base64)))
    expect(aiSdk.fingerprint(file({ type: 'data', data: bytes }))).toBe(
      aiSdk.fingerprint(file({ type: 'data', data: base64 })),
    )
  })
})
