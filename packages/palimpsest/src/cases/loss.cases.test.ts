import { describe, expect, it } from 'vitest'
import { type Effect, EMPTY_PLAN, unwrapCheckpoint } from '../engine/index.ts'
import { compactConversation, decodePreset, dialectByName, type Plan, PRESETS } from '../index.ts'
import { compactCase, compacted, compactMocked, exactTokens, filler } from './cases.test-data.ts'
import {
  anthropicRequest,
  chatRequest,
  FORMATS,
  type FormatName,
  type Step,
  scripted,
} from './scripted-request.test-data.ts'

const anthropic = dialectByName('anthropic-messages')
const chat = dialectByName('openai-chat')
const presets = Object.keys(PRESETS)

/** How often `word` stands in `text`. */
const count = (text: string, word: string) => text.split(word).length - 1

describe('the words of the user', () => {
  const sentence = 'and never touch the prod database'
  const talk = (from: number) =>
    Array.from({ length: 20 }, (_, index) => [
      { role: 'assistant', content: filler(2_000, from + index) },
      { role: 'user', content: filler(2_000, from + 500 + index) },
    ]).flat()

  it.each(presets)('TC-05 keeps what the user wrote beside a result, with his authority (%s)', (name) => {
    const result = { type: 'tool_result', tool_use_id: 't4', content: filler(20_000, 3) }
    const request = anthropicRequest([
      { role: 'user', content: 'look at the schema' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't4', name: 'read', input: {} }] },
      { role: 'user', content: [result, { type: 'text', text: sentence }] },
      ...talk(10),
      { role: 'assistant', content: 'done' },
      { role: 'user', content: 'go on' },
    ])
    const run = compactCase(anthropic, request, { preset: decodePreset({ extends: name }), window: 100_000 })
    compacted(run)
    expect(run.json).not.toContain('"t4"')
    const holders = run.views.filter((view) => view.parts.some((part) => part.text().includes(sentence)))
    expect(holders.map((view) => view.role)).toEqual(['user'])
    for (const summary of compacted(run).plan.summaries ?? []) expect(summary.content).not.toContain('tool_result')
    expect(run.views.flatMap((view) => view.parts).filter((part) => part.kind === 'tool-result')).toEqual([])
  })

  it('TC-05 has them stand as an item where the result alone leaves', () => {
    const transcript = [
      { role: 'user', content: 'look at the schema' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't4', name: 'read', input: {} }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't4', content: filler(20_000, 3) },
          { type: 'text', text: sentence },
        ],
      },
      { role: 'assistant', content: 'understood' },
      { role: 'user', content: 'go on' },
    ]
    const options = {
      window: 32_000,
      keep: { messages: 3 },
      preset: decodePreset({ rungs: [{ strategy: 'summarizeOlder' }] }),
    }
    const run = compactCase(anthropic, anthropicRequest(transcript), { ...options, force: true })
    compacted(run)
    expect(run.json).not.toContain('"t4"')
    expect(run.views.flatMap((view) => (view.role === 'user' ? view.parts.map((part) => part.text()) : []))).toContain(
      sentence,
    )
  })

  const rules = 'port must stay 8443; never push to main; answer in French'
  const correction = 'use 9443 instead'
  const identifier = 'packages/core/src/Sess1onStøre_v2.ts'
  const turns = Array.from({ length: 300 }, (_, index): readonly object[] => [
    {
      role: 'user',
      content: index === 0 ? `${rules}\nnever rename ${identifier}` : index === 120 ? correction : filler(40, index),
    },
    { role: 'assistant', content: filler(300, 1_000 + index) },
  ])
  const lengths = [61, 122, 183, 244, 300].map((turn) => 2 * turn - 1)
  const long = chatRequest(turns.flat(), { tools: [] })

  /** What must stand in every view from turn `length / 2` on. */
  function expectRules(shown: string, length: number): void {
    expect([rules, identifier].filter((words) => !shown.includes(words))).toEqual([])
    if (length > 240) expect(shown.indexOf(correction)).toBeGreaterThan(shown.indexOf(rules))
  }

  const writers = {
    useless: () => 'Work went on.',
    appending: (effect: Effect) => {
      if (effect.kind !== 'summarize') return undefined
      const before = unwrapCheckpoint(effect.request.previous[0] ?? '')?.summary ?? ''
      return `${before}\n${filler(10_000, 77)}`
    },
  }
  it.each(Object.entries(writers))(
    'TC-32 holds rules and their correction through five compactions by an %s writer',
    (_, write) => {
      let current: Plan = EMPTY_PLAN
      let madeAt = 0
      for (const length of lengths) {
        const given = { dialect: chat, request: long, window: 32_000, current, madeAt, length }
        const { outcome } = compactMocked(given, write)
        if (outcome.status !== 'compacted') throw outcome.error
        expect(outcome.strategies).toContain('summarizeOlder')
        expect(outcome.plan.summaries).toHaveLength(1)
        const content = outcome.plan.summaries?.[0]?.content ?? ''
        expect(exactTokens(content)).toBeLessThanOrEqual(8_000)
        const shown = outcome.items.flatMap((item) => chat.view(item).parts.map((part) => part.text())).join('\n')
        expectRules(shown, length)
        current = outcome.plan
        madeAt = length
        let asked = 0
        const again = compactMocked({ ...given, current, madeAt }, () => {
          asked++
          return 'Nothing new.'
        })
        expect(asked).toBe(0)
        expect(again.outcome.status).toBe('refused') // nothing to gain: what goes out stays as it is
      }
    },
  )

  it.each(presets)('TC-32 holds rules and their correction without a model (%s)', (name) => {
    const preset = decodePreset({ extends: name })
    let current: Plan = EMPTY_PLAN
    let madeAt = 0
    for (const length of lengths) {
      const conversation = { ...chat.open(long), items: chat.open(long).items.slice(0, length) }
      const options = { preset, window: 32_000, current, madeAt, force: true }
      const result = compactConversation(chat, conversation, options)
      if (result.status !== 'compacted') throw new Error(`${result.status} at ${length}`)
      expect(chat.check(result.conversation)).toEqual([])
      const shown = result.conversation.items
        .flatMap((item) => chat.view(item).parts.map((part) => part.text()))
        .join('\n')
      expectRules(shown, length)
      const again = compactConversation(chat, conversation, {
        ...options,
        current: result.plan,
        madeAt: length,
        force: false,
      })
      expect(again.status).toBe('unchanged')
      current = result.plan
      madeAt = length
    }
  })
})

describe('a compaction at the start of a turn', () => {
  const pending = 'also do Z'
  const steps: readonly Step[] = [
    { user: filler(2_000, 1) },
    { say: filler(4_000, 2) },
    { user: 'read it' },
    { calls: [{ id: 'z1', args: { path: 'a' }, result: filler(6_000, 3) }] },
    { user: pending },
  ]
  const backends = FORMATS.flatMap((format) =>
    [false, true].map((strictAlternation) => ({ format, strictAlternation })),
  )

  it.each(backends)(
    'TC-33 leaves the pending words last ($format, strict: $strictAlternation)',
    ({ format, strictAlternation }) => {
      const dialect = dialectByName(format)
      const request = scripted(format, steps)
      const input = dialect.open(request).items.flatMap((item) => dialect.view(item).parts.map((part) => part.text()))
      for (const name of presets) {
        const preset = decodePreset({ extends: name })
        const run = compactCase(dialect, request, { preset, window: 16_000, strictAlternation })
        compacted(run)
        expect(run.items.length).toBeGreaterThan(0)
        expect(count(run.json, pending)).toBe(1)
        const last = run.texts.at(-1) ?? ''
        if (name === 'keen') expect(unwrapCheckpoint(last)?.lastUserMessage).toBe(pending)
        else expect(last).toBe(pending)
        if (strictAlternation) expectAlternation(format, run.items)
        for (const view of run.views) {
          if (view.parts.some((part) => unwrapCheckpoint(part.text()) !== undefined)) expect(view.role).toBe('user')
        }
        const foreign = run.texts.filter((text) => !input.includes(text) && unwrapCheckpoint(text) === undefined)
        expect(foreign.filter((text) => !text.includes('characters left out'))).toEqual([])
      }
    },
  )

  /** No two neighbours of one role, results of tools apart. */
  function expectAlternation(format: FormatName, items: readonly object[]): void {
    const dialect = dialectByName(format)
    // the Responses API joins neighbours itself: items have no alternation to keep
    if (format === 'openai-responses') return
    const roles = items.map((item) => dialect.view(item).role)
    for (const [index, role] of roles.entries()) {
      if (role === 'user') expect(roles[index - 1]).not.toBe('user')
      if (role === 'assistant') expect(roles[index - 1]).not.toBe('assistant')
    }
  }
})

describe('the last user message', () => {
  it.each(presets)('CF-12 stands whole where the keep window is smaller than it (%s)', (name) => {
    const words = `fix this: ${filler(3_000, 9)}`
    for (const format of FORMATS) {
      const steps: readonly Step[] = [
        { user: filler(4_000, 1) },
        { say: filler(4_000, 2) },
        { user: words },
        { calls: [{ id: 'k1', result: filler(4_000, 3) }] },
        { calls: [{ id: 'k2', result: filler(4_000, 4) }] },
        { calls: [{ id: 'k3', result: 'ok' }] },
      ]
      const options = { preset: decodePreset({ extends: name }), window: 24_000, keep: { tokens: 10 } }
      const run = compactCase(dialectByName(format), scripted(format, steps), options)
      compacted(run)
      const shown = run.texts.some((text) => text === words || unwrapCheckpoint(text)?.lastUserMessage === words)
      expect(shown).toBe(true)
    }
  })
})
