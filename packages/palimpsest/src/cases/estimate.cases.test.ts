import { describe, expect, it } from 'vitest'
import { compactConversation, decodePreset, dialectByName } from '../index.ts'
import { type AnyDialect, compactCase, exactTokens, fillerChars } from './cases.test-data.ts'
import { anthropicRequest, chatRequest } from './scripted-request.test-data.ts'

const anthropic = dialectByName('anthropic-messages')
const chat = dialectByName('openai-chat')

/** Compares at seven tenths of the window, as the cases say. */
const preset = decodePreset({ trigger: { fraction: 0.7, of: 'window' } })

describe('scripts that are not Latin', () => {
  const sentences = {
    han: '資料庫的備份每天凌晨三點執行，如果主節點失去連線，備援節點會在三十秒內接手並通知值班工程師檢查磁碟、網路與記憶體的狀態。',
    hangul:
      '데이터베이스 백업은 매일 새벽 세 시에 실행되며, 주 노드의 연결이 끊어지면 예비 노드가 삼십 초 안에 이어받아 담당 기술자에게 알립니다. ',
    kana: 'データベースのバックアップはまいにちごぜんさんじにはじまり、しゅノードのせつぞくがきれるとよびノードがさんじゅうびょういないにひきつぎます。',
  }
  const filled = (sentence: string) => sentence.repeat(Math.ceil(100_000 / sentence.length)).slice(0, 100_000)
  const size = (model: string, content: string) =>
    compactCase(chat, chatRequest([{ role: 'user', content }], { model, tools: [] }), { window: 1_000_000 }).result
      .tokensBefore

  it.each(Object.entries(sentences))('TC-14 estimates 100k characters of %s close to the truth', (_, sentence) => {
    const text = filled(sentence)
    const ratio = size('gpt-4o', text) / exactTokens(text)
    expect(ratio).toBeGreaterThan(0.8)
    expect(ratio).toBeLessThan(1.6)
  })

  it.each(Object.entries(sentences))('TC-14 compacts 100k characters of %s before they are sent', (_, sentence) => {
    const text = filled(sentence)
    const { result, texts } = compactCase(anthropic, anthropicRequest([{ role: 'user', content: text }]), {
      preset,
      window: 128_000,
    })
    expect(result.tokensBefore).toBeGreaterThanOrEqual(result.limits.trigger)
    // one message of the user's own: it goes whole where it fits, else both its ends do
    if (result.status === 'unchanged') expect(result.stuck?.code).toBe('no-progress')
    else expect(texts[0]?.slice(0, 500)).toBe(text.slice(0, 500))
  })

  it('TC-14 does not compact as many characters of English', () => {
    const content = filled(
      'The backup of the database runs every night at three, and then the second node takes over. ',
    )
    const options = { preset, window: 128_000 }
    const { result } = compactCase(anthropic, anthropicRequest([{ role: 'user', content }]), options)
    expect(result).toMatchObject({ status: 'unchanged' })
    expect(result).not.toHaveProperty('stuck')
  })
})

describe('pictures', () => {
  /** A picture of 1024 by 768 pixels, as far as its header says; the rest is noise of `bytes` bytes. */
  function png(bytes: number): string {
    const header = Buffer.from('89504e470d0a1a0a0000000d4948445200000400000003000802000000', 'hex')
    const noise = Buffer.alloc(bytes)
    let state = 7
    for (let at = 0; at < bytes; at++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      noise[at] = state >>> 24
    }
    return Buffer.concat([header, noise]).toString('base64')
  }
  const data = png(750_000)
  const image = (base64: string) => ({
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: base64 },
  })
  const imageUrl = (base64: string) => ({
    type: 'image_url',
    image_url: { url: `data:image/png;base64,${base64}`, detail: 'high' },
  })
  const bare = { tools: [], max_tokens: 4_096 }

  it('TC-15 counts base64 in a text as text', () => {
    const text = `data:image/png;base64,${data}`
    expect(text.length).toBeGreaterThan(1_000_000)
    const call = { id: 't1', type: 'function', function: { name: 'read', arguments: '{}' } }
    const messages = [
      { role: 'user', content: 'show it' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 't1', content: text },
    ]
    // noise is the same everywhere, and counting a megabyte of it exactly takes a while
    const truth = (exactTokens(text.slice(0, 100_000)) * text.length) / 100_000
    const size = (dialect: AnyDialect, body: object) =>
      compactConversation(dialect, dialect.open(body), { window: 2_000_000 }).tokensBefore
    expect(size(chat, chatRequest(messages))).toBeGreaterThanOrEqual(0.7 * truth)
    const use = { type: 'tool_use', id: 't1', name: 'read', input: {} }
    const claude = anthropicRequest([
      { role: 'user', content: 'show it' },
      { role: 'assistant', content: [use] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: text }] },
    ])
    expect(size(anthropic, claude)).toBeGreaterThanOrEqual(0.7 * truth)
  })

  const formats = [
    { dialect: anthropic, request: (content: object[]) => anthropicRequest([{ role: 'user', content }], bare), image },
    {
      dialect: chat,
      request: (content: object[]) => chatRequest([{ role: 'user', content }], { tools: [] }),
      image: imageUrl,
    },
  ]
  it.each(formats)('TC-15 counts a picture by its pixels ($dialect.name)', ({ dialect, request, image: part }) => {
    const size = (...contents: object[]) =>
      compactCase(dialect, request([{ type: 'text', text: 'look' }, ...contents]), { window: 128_000 }).result
        .tokensBefore
    const none = size()
    const one = size(part(data)) - none
    expect(one).toBeGreaterThan(0)
    expect(one).toBeLessThanOrEqual(6_000)
    expect(size(part(png(900))) - none).toBe(one)
    expect(size(part(data), part(data)) - none).toBe(2 * one)
  })

  it.each(formats)(
    'TC-15 leaves a fresh chat with one picture alone ($dialect.name)',
    ({ dialect, request, image: part }) => {
      const body = request([part(data), { type: 'text', text: 'what is this?' }])
      const run = compactCase(dialect, body, { preset, window: 128_000 })
      expect(run.result).toMatchObject({ status: 'unchanged' })
      expect(run.result).not.toHaveProperty('stuck')
      expect(run.json).toBe(JSON.stringify(body))
    },
  )
})

it('TC-14 the filler of these cases is as many tokens as it says, and as many characters', () => {
  expect(exactTokens(fillerChars(40_000))).toBeGreaterThan(5_000)
  expect(fillerChars(400_000)).toHaveLength(400_000)
})
