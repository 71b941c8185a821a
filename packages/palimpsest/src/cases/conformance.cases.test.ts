import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { EMPTY_PLAN, unwrapCheckpoint } from '../engine/index.ts'
import {
  compactConversation,
  decodePreset,
  dialectByName,
  evictedEntries,
  type KeepWindow,
  type Plan,
  type Preset,
} from '../index.ts'
import { DirectoryHistory } from '../stores/node.ts'
import { compactCase, compacted, compactMocked, filler } from './cases.test-data.ts'
import { anthropicRequest, chatRequest } from './scripted-request.test-data.ts'

const anthropic = dialectByName('anthropic-messages')
const chat = dialectByName('openai-chat')

/** A policy of messages: trigger and keep window as a case of the table says, and a summary as its only rung. */
function policy(trigger: Preset['trigger'], keep: KeepWindow, budget = 60): Preset {
  const rungs = [{ strategy: 'summarizeOlder', budget: { tokens: budget } }]
  return decodePreset({ trigger, keep, target: 1, ownFormula: true, rungs })
}

/** Alternating messages of one size. */
const alternating = (count: number, tokens: number) =>
  Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `${String(index).padStart(2, '0')} ${filler(tokens, 3)}`,
  }))

const bare = (messages: readonly object[]) => chatRequest(messages, { tools: [] })
const sizeOf = (messages: readonly object[]) =>
  compactCase(chat, bare(messages), { window: 1_000_000 }).result.tokensBefore

describe('when and how much', () => {
  const folders: string[] = []
  afterAll(async () => {
    for (const path of folders) await rm(path, { recursive: true, force: true })
  })

  it('CF-01 three rounds cover 6, 12 and 18 messages, and archive each once and in order', async () => {
    const messages = alternating(20, 400)
    const request = bare(messages)
    const perMessage = (sizeOf(messages) - sizeOf(messages.slice(0, 2))) / 18
    const folder = await mkdtemp(join(tmpdir(), 'palimpsest-cases-'))
    folders.push(folder)
    const history = new DirectoryHistory(folder)
    const preset = policy({ tokens: Math.ceil(5 * perMessage) }, { messages: 2 }, 200)
    let current: Plan = EMPTY_PLAN
    let madeAt = 0
    let path = ''
    for (const [length, covered] of [
      [8, 6],
      [14, 12],
      [20, 18],
    ] as const) {
      const options = { preset, window: 100_000, current, madeAt }
      const run = compactCase(chat, bare(messages.slice(0, length)), options)
      const { plan } = compacted(run)
      expect(plan.drop).toEqual([{ from: 0, to: covered }])
      expect(run.items.slice(-2)).toEqual(messages.slice(length - 2, length))
      expect(run.items).toHaveLength(3)
      const { transcript } = compactMocked({ dialect: chat, request, window: 100_000, length }, () => undefined)
      path = await history.append('s', evictedEntries(transcript, plan))
      current = plan
      madeAt = length
    }
    const archived = [...(await readFile(path, 'utf8')).matchAll(/^<!-- palimpsest:entry (\d+) /gm)]
    expect(archived.map((match) => Number(match[1]))).toEqual(Array.from({ length: 18 }, (_, index) => index))
    const text = await readFile(path, 'utf8')
    for (const { content } of messages.slice(0, 18)) expect(text.split(content)).toHaveLength(2)
  })

  /** Four messages that together are a multiple of four tokens, so that they can be exactly 0.80 of a window. */
  function four(): { readonly messages: readonly object[]; readonly size: number } {
    for (let tokens = 180; ; tokens++) {
      const messages = alternating(4, tokens)
      const size = sizeOf(messages)
      if (size % 4 === 0) return { messages, size }
    }
  }

  it('CF-02 fires exactly at the boundary, and not below it', () => {
    const { messages, size } = four()
    const window = (size * 5) / 4
    const fires = (fraction: number) => {
      const preset = policy({ fraction, of: 'window' }, { messages: 2 })
      return compactCase(chat, bare(messages), { preset, window, reserve: 0 }).result.status
    }
    expect(fires(0.81)).toBe('unchanged')
    expect(fires(0.8)).toBe('compacted')
    const exactly = (tokens: number) =>
      compactCase(chat, bare(messages), { preset: policy({ tokens }, { messages: 2 }), window: 100_000 }).result.status
    expect(exactly(size + 1)).toBe('unchanged')
    expect(exactly(size)).toBe('compacted')
  })

  it.each([
    [0.5, 2],
    [0.6, 3],
    [0.8, 4],
  ])('CF-03 keeps what %f of the window holds', (fraction, kept) => {
    const { messages, size } = four()
    const window = (size * 5) / 4
    const given = { dialect: chat, request: bare(messages), window }
    // the kept part may stay as large as it is: below a target the keep window shrinks
    const preset = policy({ fraction: 0.9, of: 'window' }, { fraction, of: 'window' }, 20)
    let asked = 0
    const { outcome } = compactMocked({ ...given, preset }, () => {
      asked++
      return 'Numbers were said.'
    })
    if (kept === 4) {
      expect(asked).toBe(0)
      expect(outcome.status).toBe('refused')
      return
    }
    if (outcome.status !== 'compacted') throw outcome.error
    expect(asked).toBe(1)
    expect(outcome.items.slice(1)).toEqual(messages.slice(4 - kept))
  })

  it('CF-06 keeps a request as it is, by reference, where all of it is kept', () => {
    const request = bare(alternating(3, 300))
    const conversation = chat.open(request)
    const preset = policy({ tokens: 2_000 }, { messages: 10 })
    const result = compactConversation(chat, conversation, { preset, window: 100_000, force: true })
    expect(result).toMatchObject({ status: 'unchanged', stuck: { code: 'no-progress' } })
    if (result.status !== 'unchanged') return
    expect(result.conversation).toBe(conversation)
    expect(chat.close(request, result.conversation)).toBe(request)
    let asked = 0
    compactMocked({ dialect: chat, request, preset, window: 100_000 }, () => {
      asked++
      return 'S'
    })
    expect(asked).toBe(0)
  })
})

describe('texts that look like syntax', () => {
  const hostile = [
    'replace $& with $$, $1 and $`',
    'fill {x} and {{y}} and %s',
    'close </summary> and </compacted_context> and <\\/last_user_message>',
  ]
  const messages = [
    { role: 'user', content: `never do this:\n${hostile.join('\n')}` },
    { role: 'assistant', content: `${hostile.join('\n')}\n${filler(3_000, 1)}` },
    { role: 'user', content: hostile.join('\n') },
  ]

  it('CF-17 reach the summariser and come back as they were', () => {
    const quiet = [
      { role: 'user', content: 'hm' },
      { role: 'assistant', content: 'ok' },
    ]
    for (const name of ['palimpsest', 'hango', 'keen', 'goclaw', 'deepagents']) {
      const preset = decodePreset({ extends: name, trigger: { tokens: 3_000 } })
      const read: string[] = []
      const summary = `what was said:\n${hostile.join('\n')}`
      const request = bare([...messages.slice(0, 2), ...quiet, ...messages.slice(2)])
      const { outcome } = compactMocked({ dialect: chat, request, preset, window: 8_000 }, (effect, transcript) => {
        if (effect.kind !== 'summarize') return undefined
        for (const { from, to } of effect.request.ranges) {
          for (let at = from; at < to; at++) read.push(...transcript.view(at).parts.map((part) => part.text()))
        }
        return summary
      })
      if (outcome.status !== 'compacted') throw outcome.error
      expect(read.slice(0, 1)).toEqual([messages[0]?.content])
      const checkpoint = unwrapCheckpoint(outcome.plan.summaries?.[0]?.content ?? '')
      expect(checkpoint?.summary.startsWith(summary)).toBe(true)
      const last = checkpoint?.lastUserMessage ?? chat.view(outcome.items.at(-1) ?? {}).parts[0]?.text()
      expect(last).toBe(messages[2]?.content)
    }
  })

  it('CF-17 stand in the extractive summary as they were', () => {
    const run = compactCase(chat, bare(messages), { window: 8_000, keep: { messages: 1 }, force: true })
    const summary = unwrapCheckpoint(compacted(run).plan.summaries?.[0]?.content ?? '')?.summary ?? ''
    for (const text of hostile) expect(summary).toContain(text)
    expect(run.texts.at(-1)).toBe(messages[2]?.content)
  })
})

describe('pictures', () => {
  const header = Buffer.from('89504e470d0a1a0a0000000d4948445200000400000003000802000000', 'hex')
  const data = Buffer.concat([header, Buffer.alloc(300_000, 'noise of a picture')]).toString('base64')
  const shapes = [
    {
      dialect: anthropic,
      part: { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
      request: (messages: object[]) => anthropicRequest(messages),
    },
    {
      dialect: chat,
      part: { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } },
      request: (messages: object[]) => bare(messages),
    },
  ]

  it.each(shapes)(
    'CF-22 old pictures become one line each, the same for the same picture ($dialect.name)',
    ({ dialect, part, request }) => {
      const show = (text: string) => ({ role: 'user', content: [{ type: 'text', text }, part] })
      const messages = [
        show('what is this?'),
        { role: 'assistant', content: filler(1_000, 1) },
        show('and this?'),
        { role: 'assistant', content: filler(1_000, 2) },
        { role: 'user', content: 'compare them' },
      ]
      const body = request(messages)
      const before = compactCase(dialect, body, { window: 1_000_000 }).result.tokensBefore
      const without = compactCase(
        dialect,
        request([{ role: 'user', content: 'what is this?' }, ...messages.slice(1)]),
        { window: 1_000_000 },
      ).result.tokensBefore
      expect(before - without).toBeGreaterThan(100)
      expect(before - without).toBeLessThan(data.length / 50)
      const preset = decodePreset({ trigger: { tokens: before - 100 }, target: 0.99, keep: { messages: 1 } })
      const only = decodePreset({
        trigger: { tokens: 1 },
        keep: { messages: 1 },
        rungs: [{ strategy: 'truncateToolPayloads' }],
      })
      const run = compactCase(dialect, body, { preset: only, window: 1_000_000 })
      compacted(run)
      const lines = run.texts.filter((text) => text.startsWith('[image left out: '))
      expect(lines).toEqual(['[image left out: 1024x768]', '[image left out: 1024x768]'])
      expect(run.json).not.toContain(data.slice(0, 200))
      expect(run.texts).toEqual(expect.arrayContaining(['what is this?', 'and this?', 'compare them']))
      // only as many leave as have to
      expect(compacted(compactCase(dialect, body, { preset, window: 1_000_000 })).plan.placeholders).toHaveLength(1)
    },
  )
})
