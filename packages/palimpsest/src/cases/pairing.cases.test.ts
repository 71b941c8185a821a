import { describe, expect, it } from 'vitest'
import { decodePreset, dialectByName, type MessageView, PRESETS } from '../index.ts'
import { type CaseRun, compactCase, compacted, filler } from './cases.test-data.ts'
import {
  aiSdkRequest,
  anthropicRequest,
  chatRequest,
  FORMATS,
  type Step,
  scripted,
} from './scripted-request.test-data.ts'

const anthropic = dialectByName('anthropic-messages')
const chat = dialectByName('openai-chat')

/** Ids of the calls and results that go out, each in order. */
function ids(views: readonly MessageView[], kind: 'tool-call' | 'tool-result'): readonly (string | undefined)[] {
  return views.flatMap((view) => view.parts.filter((part) => part.kind === kind).map((part) => part.callId))
}

function expectWholeOrGone(run: CaseRun, id: string): void {
  expect(ids(run.views, 'tool-call').filter((one) => one === id).length).toBe(
    ids(run.views, 'tool-result').filter((one) => one === id).length,
  )
}

/** Policies that cut the conversation, to force the cut wherever `keep` says. */
const CUTTERS = [
  { name: 'every rung', json: {} },
  { name: 'summary alone', json: { rungs: [{ strategy: 'summarizeOlder' }] } },
  { name: 'summary in chunks', json: { rungs: [{ strategy: 'summarizeOlder', chunkTurns: 2 }] } },
  { name: 'drop alone', json: { rungs: [{ strategy: 'dropOldestTurns' }, { strategy: 'squeezeFloor' }] } },
  ...Object.keys(PRESETS).map((name) => ({ name, json: { extends: name } })),
]

describe('calls and results', () => {
  const t1 = { id: 't1', name: 'read', args: { path: 'big.txt' }, result: filler(20_000) }
  const orphan: readonly Step[] = [
    { user: 'build X' },
    { calls: [t1] },
    { say: 'noted' },
    { user: 'next' },
    { calls: [{ id: 't2', name: 'ls', result: 'ok' }] },
  ]

  it.each([1, 2, 3, 4, 5, 6])('TC-01 keeps pairs whole with the cut at index %i', (cut) => {
    const request = scripted('anthropic-messages', orphan)
    const sliding = { name: 'window', json: { rungs: [{ strategy: 'slidingWindow', keepLast: 7 - cut }] } }
    for (const { json } of [...CUTTERS, sliding]) {
      const run = compactCase(anthropic, request, {
        preset: decodePreset(json),
        window: 32_000,
        keep: { messages: 7 - cut },
        force: true,
      })
      expectWholeOrGone(run, 't1')
      expect(ids(run.views, 'tool-call')).toContain('t2')
      expect(ids(run.views, 'tool-result')).toContain('t2')
      expect(run.texts).toContain('ok')
    }
  })

  it('TC-01 keeps pairs whole with 4k tokens kept', () => {
    const run = compactCase(anthropic, scripted('anthropic-messages', orphan, { max_tokens: 8_192 }), {
      window: 32_000,
      keep: { tokens: 4_000 },
    })
    expect(compacted(run).reachedTarget).toBe(true)
    expectWholeOrGone(run, 't1')
    expect(run.texts).toContain('ok')
  })

  const ten = Array.from({ length: 10 }, (_, index) => ({
    id: `c${index + 1}`,
    args: { n: index },
    result: `r${index}`,
  }))
  const parallel: readonly Step[] = [
    { user: 'look at ten files' },
    { calls: ten.map((call, index) => (index === 9 ? { ...call, result: filler(40_000) } : call)) },
    { say: 'done' },
    { user: 'go on' },
  ]

  const keeps = [{ messages: 6 }, { tokens: 30_000 }] as const
  it.each(keeps)('TC-02 has the ten parallel calls and their results all in or all out, keeping %o', (keep) => {
    const request = scripted('openai-chat', parallel)
    const said = (request as { messages: readonly { tool_calls?: unknown }[] }).messages[1]?.tool_calls
    for (const window of [32_000, 64_000, 128_000]) {
      for (const { json } of CUTTERS) {
        const run = compactCase(chat, request, { preset: decodePreset(json), window, keep, force: true })
        const calls = ids(run.views, 'tool-call')
        expect([0, 10]).toContain(calls.length)
        expect(ids(run.views, 'tool-result')).toEqual(calls)
        if (calls.length === 0) continue
        expect(calls).toEqual(ten.map((call) => call.id))
        const message = run.items.find((item) => 'tool_calls' in item) as { tool_calls: unknown } | undefined
        expect(message?.tool_calls).toEqual(said)
      }
    }
  })

  it('TC-04 lets an aborted call and its stub leave together, and leaves pairs alone the second time', () => {
    const talk = Array.from({ length: 20 }, (_, index) => [
      { role: 'user', content: filler(1_500, index) },
      { role: 'assistant', content: filler(1_500, index + 100) },
    ]).flat()
    const stub = { type: 'tool_result', tool_use_id: 't3', is_error: true, content: 'interrupted' }
    const request = anthropicRequest([
      { role: 'user', content: 'start' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't3', name: 'bash', input: { command: 'make' } }] },
      { role: 'user', content: [stub] },
      ...talk,
      { role: 'user', content: 'and now?' },
    ])
    const first = compactCase(anthropic, request, { window: 64_000 })
    const { plan } = compacted(first)
    expect(first.json).not.toContain('"t3"')
    const length = anthropic.open(request).items.length
    const options = { window: 64_000, current: plan, madeAt: length }
    const second = compactCase(anthropic, request, options)
    expect(second.result.status).toBe('unchanged')
    expect(second.json).toBe(first.json)
    const forced = compactCase(anthropic, request, { ...options, force: true })
    expect(ids(forced.views, 'tool-call')).toEqual([])
    expect(ids(forced.views, 'tool-result')).toEqual([])
  })

  it('TC-13 keeps a pending call, its approval request and the answer, so that it runs once', () => {
    const aiSdk = dialectByName('ai-sdk')
    const old = Array.from({ length: 12 }, (_, index) => [
      { role: 'user', content: [{ type: 'text', text: filler(2_000, index) }] },
      { role: 'assistant', content: [{ type: 'text', text: filler(2_000, index + 50) }] },
    ]).flat()
    const step = [
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', toolCallId: 'c1', toolName: 'bash', input: { command: 'deploy' } },
          { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'c1' },
        ],
      },
      { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'a1', approved: true }] },
    ]
    const request = aiSdkRequest([...old, { role: 'user', content: [{ type: 'text', text: 'ship it' }] }, ...step])
    for (const { json } of CUTTERS) {
      const run = compactCase(aiSdk, request, {
        preset: decodePreset(json),
        window: 32_000,
        model: 'gpt-4o',
        keep: { messages: 1 },
        force: true,
      })
      compacted(run)
      expect(run.items.slice(-2)).toEqual(step)
      expect(run.json.split('"tool-call"')).toHaveLength(2)
      expect(ids(run.views, 'tool-result')).toEqual([])
    }
  })

  it.each(FORMATS)('CF-07 has a batch on one side when the cut lands on its second result (%s)', (format) => {
    const steps: readonly Step[] = [
      { user: filler(3_000, 1) },
      { say: filler(3_000, 2) },
      { user: 'compare' },
      {
        calls: [
          { id: 'p1', result: 'left' },
          { id: 'p2', result: 'right' },
        ],
      },
      { say: 'they differ' },
      { user: 'go on' },
    ]
    for (const { json } of CUTTERS) {
      for (const messages of [1, 2, 3, 4, 5]) {
        const options = { preset: decodePreset(json), window: 16_000, keep: { messages }, force: true }
        const run = compactCase(dialectByName(format), scripted(format, steps), options)
        expect([[], ['p1', 'p2']]).toContainEqual(ids(run.views, 'tool-call'))
        expect(ids(run.views, 'tool-result')).toEqual(ids(run.views, 'tool-call'))
      }
    }
  })

  it.each(FORMATS)('CF-08 keeps ten parallel results and their caller together (%s)', (format) => {
    const steps: readonly Step[] = [{ user: filler(9_000, 1) }, { say: 'reading' }, { user: 'look' }, { calls: ten }]
    for (const { json } of CUTTERS) {
      const options = { preset: decodePreset(json), window: 16_000, keep: { messages: 5 }, force: true }
      const run = compactCase(dialectByName(format), scripted(format, steps), options)
      expect(ids(run.views, 'tool-call')).toEqual(ten.map((call) => call.id))
      expect(ids(run.views, 'tool-result')).toEqual(ten.map((call) => call.id))
      expect(ten.every(({ result }) => run.json.includes(`"${result}"`))).toBe(true)
    }
  })

  it('CF-09 keeps no result without its call at the cut', () => {
    const valid = { id: 'v1', type: 'function', function: { name: 'read', arguments: '{}' } }
    const request = chatRequest([
      { role: 'user', content: filler(5_000, 1) },
      { role: 'assistant', content: filler(5_000, 2) },
      { role: 'user', content: 'again' },
      { role: 'assistant', content: null, tool_calls: [valid] },
      { role: 'tool', tool_call_id: 'v1', content: 'fine' },
      { role: 'tool', tool_call_id: 'lost', content: 'nobody asked' },
      { role: 'assistant', content: 'hm' },
      { role: 'user', content: 'go on' },
    ])
    for (const { json } of CUTTERS) {
      for (const messages of [1, 2, 3, 4, 5]) {
        const options = { preset: decodePreset(json), window: 16_000, keep: { messages }, force: true }
        const run = compactCase(chat, request, options)
        compacted(run)
        expect(ids(run.views, 'tool-result')).toEqual(ids(run.views, 'tool-call'))
        expect(run.json).not.toContain('"lost"')
      }
    }
  })
})
