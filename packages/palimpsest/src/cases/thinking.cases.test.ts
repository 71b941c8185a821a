import { describe, expect, it } from 'vitest'
import { runCompaction, rungsOf, type Strategy } from '../engine/index.ts'
import {
  type CompactOptions,
  decodePreset,
  dialectByName,
  dialectMeter,
  type Plan,
  PRESETS,
  renderPlan,
  Transcript,
} from '../index.ts'
import {
  type CaseRun,
  compactCase,
  compacted,
  deepFreeze,
  expectClosedPairs,
  expectWellFormed,
  filler,
} from './cases.test-data.ts'
import { anthropicRequest, responsesRequest } from './scripted-request.test-data.ts'

const anthropic = dialectByName('anthropic-messages')
const responses = dialectByName('openai-responses')

describe('bound thinking', () => {
  const th = (name: string, tokens = 200) => ({ type: 'thinking', thinking: filler(tokens), signature: `sig-${name}` })
  const redacted = { type: 'redacted_thinking', data: 'b3BhcXVl' }
  const use = (id: string) => ({ type: 'tool_use', id, name: 'read', input: { path: `${id}.txt` } })
  const result = (id: string, text: string) => ({ type: 'tool_result', tool_use_id: id, content: text })
  const loop = anthropicRequest(
    [
      { role: 'user', content: 'find the fault' },
      { role: 'assistant', content: [th('A'), use('t1')] },
      { role: 'user', content: [result('t1', filler(3_000))] },
      { role: 'assistant', content: [redacted, th('B'), use('t2')] },
      { role: 'user', content: [result('t2', filler(90_000))] },
    ],
    { thinking: { type: 'enabled', budget_tokens: 2_048 } },
  )
  const policies = [
    ...Object.keys(PRESETS).map((name) => ({ extends: name })),
    { rungs: [{ strategy: 'squeezeFloor' }] },
  ]

  /** Policies without the last rung cut no result of the open batch: they must say that it is in the way. */
  function refusesOpenBatch({ result }: CaseRun, json: object): boolean {
    if (decodePreset(json).rungs.some(({ strategy }) => strategy === 'squeezeFloor')) return false
    expect(result).toMatchObject({ status: 'refused', error: { code: 'cannot-fit' } })
    if (result.status === 'refused') expect(result.error.message).toMatch(/: open tool batch \d+k/)
    return true
  }

  function blocks(json: string, type: string): readonly object[] {
    const { messages } = JSON.parse(json) as { messages: readonly { content: string | readonly { type: string }[] }[] }
    return messages.flatMap(({ content }) =>
      typeof content === 'string' ? [] : content.filter((block) => block.type === type),
    )
  }

  it.each(policies)(
    'TC-07 keeps the thinking of the open tool loop untouched where it is bound to the turn (%o)',
    (json) => {
      const preset = decodePreset(json)
      const run = compactCase(anthropic, loop, { preset, window: 100_000, thinkingBinding: 'turn' })
      if (refusesOpenBatch(run, json)) return
      compacted(run)
      const thoughts = blocks(run.json, 'thinking')
      expect([[th('B')], [th('A'), th('B')]]).toContainEqual(thoughts)
      expect(blocks(run.json, 'redacted_thinking')).toEqual([redacted])
      expect(run.json).toContain('"tool_use_id":"t2"')
      expect(blocks(run.json, 'tool_use')).toContainEqual(use('t2'))
    },
  )

  it.each(policies)(
    'TC-07 sends no thinking that is older than a compaction before it where it is bound to its prefix (%o)',
    (json) => {
      const preset = decodePreset(json)
      const run = compactCase(anthropic, loop, { preset, window: 100_000, thinkingBinding: 'prefix' })
      if (refusesOpenBatch(run, json)) return
      const { plan } = compacted(run)
      const firstEdit = Math.min(
        ...(plan.drop ?? []).map(({ from }) => from),
        ...(plan.truncations ?? []).map(({ message_index }) => message_index),
      )
      // what was thought before the first edit still has its prefix; nothing behind it has
      const thoughtAt = [1, 3]
      const bound = [th('A'), th('B')].filter((_, index) => (thoughtAt[index] ?? 0) < firstEdit)
      expect(blocks(run.json, 'thinking')).toEqual(bound)
      expect(blocks(run.json, 'redacted_thinking')).toEqual(3 < firstEdit ? [redacted] : [])
      expect(run.json).toContain('"tool_use_id":"t2"')
    },
  )

  it('TC-08 never shortens thinking, also where all else of the assistant is cut, and for whichever model it is replayed', () => {
    const thought = th('X', 6_000)
    const request = anthropicRequest([
      { role: 'user', content: 'think hard' },
      { role: 'assistant', content: [thought, { type: 'text', text: filler(5_000, 7) }] },
      { role: 'user', content: 'go on' },
    ])
    const cut = (part: number) => ({ message_index: 1, part, kept_head: 200, kept_tail: 200, of: 30_000 })
    const plan: Plan = { truncations: [cut(0), cut(1)] }
    const { items } = anthropic.open(deepFreeze(request))
    for (const model of ['claude-sonnet-4-20250514', 'claude-opus-5-5', 'gpt-4o']) {
      const transcript = new Transcript(anthropic, dialectMeter(anthropic, model, 'upper'), items)
      for (const thinkingBinding of ['none', 'turn', 'prefix'] as const) {
        const view = renderPlan(anthropic, transcript, plan, { thinkingBinding })
        expect(anthropic.check({ system: [], items: view })).toEqual([])
        const [text] = blocks(JSON.stringify({ messages: view }), 'text') as readonly { text: string }[]
        expect(text?.text.length).toBeLessThan(500)
        expect(blocks(JSON.stringify({ messages: view }), 'thinking')).toEqual(
          thinkingBinding === 'prefix' ? [] : [thought],
        )
        const dropped = renderPlan(anthropic, transcript, {
          placeholders: [{ message_index: 1, part: 0, kind: 'reasoning' }],
        })
        expect(blocks(JSON.stringify({ messages: dropped }), 'thinking')).toEqual([])
      }
    }
  })

  it('TC-08 emits no thinking without its signature when policies compact around it', () => {
    const steps = Array.from({ length: 12 }, (_, index) => [
      { role: 'user', content: filler(700, index) },
      { role: 'assistant', content: [th(`s${index}`, 900), { type: 'text', text: filler(700, index + 40) }] },
    ]).flat()
    const request = anthropicRequest([...steps, { role: 'user', content: 'go on' }])
    const originals = steps.flatMap(({ content }) => (typeof content === 'string' ? [] : [content[0]]))
    for (const name of Object.keys(PRESETS)) {
      for (const thinkingBinding of ['turn', 'prefix'] as const) {
        const preset = decodePreset({ extends: name })
        const run = compactCase(anthropic, request, { preset, window: 32_000, thinkingBinding, force: true })
        compacted(run)
        for (const thought of blocks(run.json, 'thinking')) expect(originals).toContainEqual(thought)
      }
    }
  })
})

describe('reasoning items of the Responses API', () => {
  const reasoning = (id: string) => ({ type: 'reasoning', id, summary: [{ type: 'summary_text', text: `why ${id}` }] })
  const items = [
    { type: 'message', role: 'user', content: 'look it up' },
    reasoning('rs1'),
    { type: 'function_call', id: 'fc1', call_id: 'call1', name: 'read', arguments: '{"path":"a.txt"}' },
    { type: 'function_call_output', call_id: 'call1', output: filler(50_000) },
    reasoning('rs2'),
    {
      type: 'message',
      id: 'msg2',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'found it', annotations: [] }],
    },
    { type: 'message', role: 'user', content: 'and now?' },
  ]
  const request = responsesRequest(items, { store: true })

  /** The chains of the case, read off the items that go out. */
  function expectChains(out: readonly object[]): void {
    const list = out as readonly { type?: string; id?: string; call_id?: string }[]
    for (const [index, item] of list.entries()) {
      const before = list[index - 1]
      if (item.type === 'reasoning') expect(['fc1', 'msg2']).toContain(list[index + 1]?.id)
      if (item.id === 'fc1') expect(before?.id).toBe('rs1')
      if (item.id === 'msg2') expect(before?.id).toBe('rs2')
    }
    const calls = list.filter(({ type }) => type === 'function_call').map((item) => item.call_id)
    expect(list.filter(({ type }) => type === 'function_call_output').map((item) => item.call_id)).toEqual(calls)
    expectWellFormed(out)
  }

  const dropReasoning = (positions: readonly number[]): Plan => ({
    placeholders: positions.map((message_index) => ({ message_index, part: 0, kind: 'reasoning' })),
  })
  const filters = [[], [1], [4], [1, 4]]

  it.each([0, 1, 2, 3, 4, 5, 6])('TC-10 keeps the chains closed without the first %i items', (length) => {
    const transcript = new Transcript(
      responses,
      dialectMeter(responses, 'gpt-5', 'upper'),
      deepFreeze(structuredClone(items)),
    )
    for (const filter of filters) {
      const prefix: Plan = length === 0 ? {} : { drop: [{ from: 0, to: length }] }
      const view = renderPlan(responses, transcript, { ...prefix, ...dropReasoning(filter) })
      expectChains(view)
      expect(responses.check({ system: [], items: view })).toEqual([])
      expectClosedPairs(view.map((item) => responses.view(item)))
    }
  })

  it('TC-10 keeps the chains closed by every policy, wherever it cuts', () => {
    const policies = [
      ...Object.keys(PRESETS).map((name) => ({ extends: name })),
      { rungs: [{ strategy: 'dropOldestTurns' }] },
    ]
    for (const json of policies) {
      for (let messages = 0; messages <= items.length; messages++) {
        const options: CompactOptions = { preset: decodePreset(json), window: 64_000, keep: { messages }, force: true }
        expectChains(compactCase(responses, request, options).items)
      }
    }
  })

  it('TC-10 keeps the chains closed when a rung of the caller drops all reasoning', () => {
    const strategy: Strategy = ({ current }) =>
      (current.placeholders ?? []).length > 0 ? undefined : dropReasoning([1, 4])
    for (const name of Object.keys(PRESETS)) {
      const transcript = new Transcript(
        responses,
        dialectMeter(responses, 'gpt-5', 'upper'),
        deepFreeze(structuredClone(items)),
      )
      const rungs = [{ name: 'no reasoning', strategy }, ...rungsOf(decodePreset({ extends: name }))]
      const outcome = runCompaction(
        { transcript, current: {}, overhead: 0, target: 300, limit: 20_000, keep: { messages: 2 }, rungs, context: {} },
        () => 'It was looked up in a.txt.',
      )
      if (outcome.status !== 'compacted') throw outcome.error
      expect(outcome.strategies[0]).toBe('no reasoning')
      expectChains(outcome.items)
      expect(JSON.stringify(outcome.items)).not.toContain('"reasoning"')
    }
  })
})
