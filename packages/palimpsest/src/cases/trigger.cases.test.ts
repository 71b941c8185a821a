import { describe, expect, it } from 'vitest'
import { forgetViews, observeUsage, PositionChain, predictSize, UNCALIBRATED } from '../engine/index.ts'
import {
  compactConversation,
  compactionLimits,
  DEFAULT_PRESET,
  decodePreset,
  dialectByName,
  dialectMeter,
  PRESETS,
  type Preset,
  profileSession,
  type RecordedSession,
  sessionScale,
  Transcript,
  tokensOf,
} from '../index.ts'
import { compactCase, compacted, compactMocked, exactTokens, filler } from './cases.test-data.ts'
import { anthropicRequest, chatRequest } from './scripted-request.test-data.ts'

const anthropic = dialectByName('anthropic-messages')
const chat = dialectByName('openai-chat')
const at = (fraction: number, more: object = {}): Preset =>
  decodePreset({ trigger: { fraction, of: 'window' }, ...more })

/** Turns of a user and an assistant, each of so many tokens. */
const turns = (count: number, user: number, assistant: number, seed = 0): readonly object[] =>
  Array.from({ length: count }, (_, index) => [
    { role: 'user', content: filler(user, seed + 2 * index) },
    { role: 'assistant', content: filler(assistant, seed + 2 * index + 1) },
  ]).flat()

describe('what the provider reports', () => {
  /** A session whose last call reported this usage, replayed. */
  function replayed(dialect: typeof chat, items: readonly object[], response: unknown, window: number, preset: Preset) {
    const usage = dialect.usage(response)
    const call = { position: items.length, ...(usage !== undefined && { usage }) }
    const session: RecordedSession<object> = { items, calls: [call], model: 'gpt-4o' }
    const scale = sessionScale(dialect, session)
    const profile = profileSession(dialect, session, { ...scale, preset, window })
    return { usage, scale, profile, fired: profile.compactions.length + profile.refusals.length > 0 }
  }
  const items = [...turns(40, 1_000, 3_500), { role: 'user', content: 'and now?' }]

  it('TC-20 a cached prompt counts whole, once (Anthropic)', () => {
    const response = { type: 'message', usage: { input_tokens: 3, cache_read_input_tokens: 305_000, output_tokens: 9 } }
    const { usage, profile } = replayed(anthropic, items, response, 200_000, DEFAULT_PRESET)
    expect(usage?.input).toBe(305_003)
    expect(profile.compactions[0]?.tokensBefore).toBe(305_003)
    expect(profile.peak).toBeLessThan(200_000)
  })

  it('TC-20 a cached prompt counts whole, once (OpenAI)', () => {
    const usage = { prompt_tokens: 305_000, completion_tokens: 9, prompt_tokens_details: { cached_tokens: 304_000 } }
    const { profile } = replayed(chat, items, { usage }, 200_000, DEFAULT_PRESET)
    expect(profile.compactions[0]?.tokensBefore).toBe(305_000)
  })

  it('TC-20 the sum of a loop is not the size of its last call', () => {
    const iterations = Array.from({ length: 12 }, (_, index) => ({
      type: 'message',
      input_tokens: 1_000,
      cache_read_input_tokens: 130_000 + 3_000 * index,
    }))
    const usage = { input_tokens: 12_000, cache_read_input_tokens: 1_800_000, output_tokens: 900, iterations }
    const preset = decodePreset({ trigger: { tokens: 180_000 } })
    const run = replayed(anthropic, items, { type: 'message', usage }, 300_000, preset)
    expect(run.usage?.input).toBe(164_000)
    expect(Math.abs((run.profile.steps.at(-1)?.tokens ?? 0) - 164_000)).toBeLessThanOrEqual(1)
    expect(run.fired).toBe(false)
  })

  const useless = [
    ['missing', {}],
    ['all zero', { usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } }],
    ['at odds with itself', { usage: { prompt_tokens: 5_000, total_tokens: 0 } }],
    ['no number', { usage: { prompt_tokens: Number.NaN, total_tokens: Number.NaN } }],
  ] as const
  it.each(useless)('TC-21 goes by the estimate where usage is %s', (_, response) => {
    const large = replayed(
      chat,
      [...turns(30, 1_000, 3_000), { role: 'user', content: 'go' }],
      response,
      128_000,
      at(0.8),
    )
    expect(large.fired).toBe(true)
    expect(large.scale).toMatchObject({ samples: 0, scale: 1, overhead: 0 }) // the mark of an estimate
    const before = large.profile.compactions[0]?.tokensBefore ?? 0
    expect(before / 120_000).toBeGreaterThan(0.9)
    expect(before / 120_000).toBeLessThan(1.1)
    const small = replayed(chat, [...turns(3, 200, 800), { role: 'user', content: 'go' }], response, 128_000, at(0.8))
    expect(small.fired).toBe(false)
    expect(small.profile.peak).toBeLessThan(4_000)
  })

  it('TC-21 goes by the estimate where usage is far below it', () => {
    const response = { usage: { prompt_tokens: 5_000, total_tokens: 5_100 } }
    const { fired } = replayed(
      chat,
      [...turns(30, 1_000, 3_000), { role: 'user', content: 'go' }],
      response,
      128_000,
      at(0.8),
    )
    expect(fired).toBe(true)
  })

  const before = [...turns(35, 1_000, 3_000), { role: 'user', content: 'do it' }]
  const after = [
    { role: 'assistant', content: 'done' },
    { role: 'user', content: '<system-reminder>a note of the client</system-reminder>' },
    { role: 'user', content: 'hi' },
  ]
  const session = (more: readonly object[]): RecordedSession<object> => ({
    items: [...before, ...more],
    calls: [
      { position: before.length, usage: { input: 150_000 } },
      ...more.flatMap((item, index) =>
        dialectRole(item) === 'assistant' ? [] : [{ position: before.length + index + 1 }],
      ),
    ],
    model: 'gpt-4o',
  })
  const dialectRole = (item: object) => chat.view(item).role

  it('TC-22 usage from before a compaction does not cause another', () => {
    const recorded = session(after)
    const scale = sessionScale(chat, recorded)
    const profile = profileSession(chat, recorded, { ...scale, preset: at(0.7), window: 200_000 })
    expect(profile.compactions).toHaveLength(1)
    expect(profile.compactions[0]).toMatchObject({ step: 0, tokensBefore: 150_000 })
    expect(profile.steps.at(-1)?.tokens).toBeLessThan(140_000)
  })

  it('TC-22 after a failed compaction the size stands and the trigger stays armed', () => {
    const recorded = session([...after, ...turns(4, 500, 1_500), { role: 'user', content: 'hi again' }])
    const scale = sessionScale(chat, recorded)
    const preset = at(0.7, { rungs: [{ strategy: 'summarizeOlder' }] })
    const profile = profileSession(chat, recorded, { ...scale, preset, window: 160_000, summarizer: 'none' })
    expect(profile.compactions).toEqual([])
    expect(profile.steps.every((step) => step.tokens >= 150_000)).toBe(true)
    expect(profile.refusals.map(({ step }) => step)).toEqual([0, profile.steps.length - 1]) // again once it had grown
  })
})

describe('what the provider reports, calibrated', () => {
  const items = [...turns(40, 1_000, 3_500), { role: 'user', content: 'and now?' }]
  const meter = dialectMeter(chat, 'gpt-4o', 'mean')
  const chain = new PositionChain(chat, items)
  const mean = tokensOf(new Transcript(chat, meter, items).ledger.units())
  const view = { mean, upper: Math.ceil(mean * 1.05), tools: 'T', keyAt: (count: number) => chain.at(count) }
  const observed = (response: unknown, dialect = chat) =>
    observeUsage(UNCALIBRATED, {
      input: dialect.usage(response)?.input ?? 0,
      estimate: mean - 500,
      tools: 'T',
      view: { items: items.length - 2, key: chain.at(items.length - 2) },
    })

  it('TC-20 the size is what the last call reported and what came since, cached or not', () => {
    const anthropicUsage = { type: 'message', usage: { input_tokens: 3, cache_read_input_tokens: 205_000 } }
    expect(predictSize(observed(anthropicUsage, anthropic), view)).toEqual({ tokens: 205_503, basis: 'measured' })
    const usage = { prompt_tokens: 205_000, completion_tokens: 9, prompt_tokens_details: { cached_tokens: 204_000 } }
    expect(predictSize(observed({ usage }), view)).toEqual({ tokens: 205_500, basis: 'measured' })
    const iterations = [0, 1, 2].map((index) => ({ type: 'message', cache_read_input_tokens: 160_000 + 2_000 * index }))
    const loop = { type: 'message', usage: { input_tokens: 9, cache_read_input_tokens: 1_800_000, iterations } }
    expect(predictSize(observed(loop, anthropic), view)).toEqual({ tokens: 164_500, basis: 'measured' })
  })

  it.each([
    ['missing', {}],
    ['all zero', { usage: { prompt_tokens: 0, total_tokens: 0 } }],
    ['at odds with itself', { usage: { prompt_tokens: 5_000, total_tokens: 0 } }],
    ['absurd', { usage: { prompt_tokens: 5_000, total_tokens: 5_100 } }],
    ['no number', { usage: { prompt_tokens: Number.NaN } }],
  ])('TC-21 usage that is %s leaves an estimate, marked as one', (_, response) => {
    expect(predictSize(observed(response), view)).toEqual({ tokens: view.upper, basis: 'estimated' })
  })

  it('TC-22 a compaction takes the old usage out of force, a failed one does not', () => {
    const measured = observed({ usage: { prompt_tokens: 150_000, completion_tokens: 1 } })
    expect(predictSize(measured, view)).toEqual({ tokens: 150_500, basis: 'measured' })
    const compactedView = { ...view, mean: 9_000, upper: 9_500 }
    const after = predictSize(forgetViews(measured), compactedView)
    expect(after.basis).toBe('estimated')
    expect(after.tokens).toBeLessThan(10_000)
  })
})

describe('what no plan changes', () => {
  const tools = (tokens: number) => [
    { type: 'function', function: { name: 'read', description: filler(tokens, 5), parameters: { type: 'object' } } },
  ]
  const request = (system: number) =>
    chatRequest(
      [{ role: 'system', content: filler(system, 6) }, ...turns(5, 500, 500), { role: 'user', content: 'go' }],
      {
        tools: tools(25_000),
        max_completion_tokens: 1_000,
      },
    )

  it('TC-19 counts system and tools towards the trigger', () => {
    const run = compactCase(chat, request(30_000), { preset: at(0.8), window: 64_000, scale: 1 })
    expect(run.result.tokensBefore / 60_000).toBeGreaterThan(0.95)
    expect(run.result.tokensBefore / 60_000).toBeLessThan(1.1)
    // 55k of system and tools leave no room for a summary: it fires and says so; a little less does
    if (run.result.status !== 'refused') throw new Error(run.result.status)
    expect(run.result.error.message).toMatch(/system and tools 5\dk/)
    compacted(compactCase(chat, request(25_000), { preset: at(0.8), window: 64_000, scale: 1 }))
  })

  it('TC-19 names the fixed part where that alone is too large, once', () => {
    const { result } = compactCase(chat, request(45_000), { preset: at(0.8), window: 64_000 })
    if (result.status !== 'refused') throw new Error(result.status)
    expect(result.error.message).toMatch(/^System and tools alone are 7\dk of \d+k tokens\.$/)
    const next = [...turns(5, 500, 500), ...turns(10, 20, 20, 99), { role: 'user', content: 'go' }]
    const calls = next.flatMap((_, index) => (index < 10 || index % 2 === 1 ? [] : [{ position: index + 1 }]))
    const session = { items: next, calls, model: 'gpt-4o' }
    const profile = profileSession(chat, session, { preset: at(0.8), window: 64_000, overhead: 70_000, scale: 1 })
    expect(profile.steps.length).toBeGreaterThan(10)
    expect(profile.refusals.length + profile.compactions.length).toBeLessThanOrEqual(1)
  })

  it('CF-05 system and tools fire the trigger, and stay where they are', () => {
    const parts = { system: filler(6_000, 7), messages: turns(1, 2_000, 2_000) }
    const options = { window: 16_000 }
    const alone = compactCase(anthropic, anthropicRequest(parts.messages, { tools: [] }), options)
    expect(alone.result).not.toHaveProperty('stuck')
    expect(alone.result.status).toBe('unchanged')
    const withTools = anthropicRequest(parts.messages, { system: [{ type: 'text', text: parts.system }] })
    const run = compactCase(anthropic, withTools, options)
    compacted(run)
    expect(run.request).toMatchObject({ system: [{ type: 'text', text: parts.system }] })
    expect(run.texts.join('\n')).not.toContain(parts.system.slice(0, 80))
    expect(run.views.map((view) => view.role)).not.toContain('system')
  })
})

describe('windows and reserves', () => {
  const windows = [4_000, 8_000, 16_000, 32_000, 131_072, 1_000_000]
  const grid = windows.flatMap((window) =>
    [undefined, 0, 4_000, 32_000, window].map((reserve) => ({ window, reserve })),
  )

  it.each(grid)(
    'TC-24 leaves room for input and output with window $window and reserve $reserve',
    ({ window, reserve }) => {
      const asked = reserve === undefined ? {} : { outputCap: reserve }
      for (const preset of Object.values(PRESETS)) {
        const limits = compactionLimits(preset, asked, { window })
        expect(limits.trigger).toBeGreaterThan(0)
        expect(limits.limit).toBeGreaterThan(0)
        expect(limits.limit).toBeLessThan(window)
        expect(limits.target).toBeLessThan(limits.trigger)
        if (reserve === undefined) continue
        for (const size of [1, limits.target, limits.trigger - 1, limits.limit]) {
          expect(size + (limits.outputCap(size) ?? reserve)).toBeLessThanOrEqual(window)
        }
      }
    },
  )

  it.each(grid.filter(({ window }) => window < 131_072))(
    'TC-24 sends what fits with window $window and reserve $reserve',
    ({ window, reserve }) => {
      const steps = turns(40, Math.ceil(window / 80), Math.ceil(window / 60))
      const body = {
        ...chatRequest([...steps, { role: 'user', content: 'go' }], { tools: [] }),
        max_completion_tokens: reserve,
      }
      // the helper adds up what goes out and what may come back, by the exact count
      compacted(compactCase(chat, body, { window }))
    },
  )

  it('TC-24 99,073 tokens and 32,000 of output fit 131,072 together', () => {
    const messages = [...turns(22, 2_250, 2_250), { role: 'user', content: filler(15, 3) }]
    const body = chatRequest(messages, { tools: [], max_completion_tokens: 32_000 })
    const size = messages.reduce((sum, message) => sum + exactTokens(chat.view(message).parts[0]?.text() ?? '') + 3, 0)
    expect(Math.abs(size - 99_073)).toBeLessThan(1_000)
    compacted(compactCase(chat, body, { window: 131_072 }))
    const smaller = chatRequest(turns(20, 2_250, 2_250).concat({ role: 'user', content: 'go' }), {
      tools: [],
      max_completion_tokens: 131_072,
    })
    const run = compactCase(chat, smaller, { window: 131_072 })
    expect(run.result.status).toBe('unchanged')
    expect((run.request as { max_completion_tokens: number }).max_completion_tokens).toBeLessThan(41_072)
  })

  it('TC-24 a small window without a reserve is not compacted at every step', () => {
    const session = { items: [...turns(100, 60, 140), { role: 'user', content: 'go' }], calls: [], model: 'gpt-4o' }
    for (const preset of Object.values(PRESETS)) {
      const profile = profileSession(chat, session, { preset, window: 16_000, overhead: 1_000, scale: 1 })
      expect(profile.refusals).toEqual([])
      expect(profile.compactions.length).toBeGreaterThan(0)
      expect(profile.compactions.length).toBeLessThan(profile.steps.length / 8)
    }
  })

  const long = (model: string) => chatRequest([...turns(20, 600, 1_500), { role: 'user', content: 'go' }], { model })

  it('TC-25 the window that the user sets beats the catalogue', () => {
    const model = 'gpt-4.1'
    expect(compactCase(chat, long(model)).result).toMatchObject({ status: 'unchanged', limits: { window: 1_047_576 } })
    const run = compactCase(chat, long(model), { profiles: { [model]: { window: 32_000 } } })
    expect(compacted(run).limits.window).toBe(32_000)
    expect(compacted(compactCase(chat, long(model), { window: 32_000 })).limits.window).toBe(32_000)
  })

  it('TC-25 a model that nobody knows has no window, a stated trigger, and says so', () => {
    const { result } = compactCase(chat, long('house-model-7'))
    expect(result.limits).toMatchObject({ trigger: 170_000, keep: { messages: 6 }, profile: { known: false } })
    expect(result.limits.window).toBeUndefined()
    expect(result.status).toBe('unchanged')
  })

  it('TC-25 a limit that the provider states is the window from then on', () => {
    const body = long('house-model-7')
    const failure = {
      status: 400,
      error: {
        code: 'context_length_exceeded',
        message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 42000 tokens.",
      },
    }
    const facts = chat.overflow(failure, { size: 42_000, window: 200_000 })
    expect(facts?.limit).toBe(8_192)
    const profiles = { 'house-model-7': { window: facts?.limit ?? 0 } }
    // the conversation, and a summariser of the same model, go by what was learned
    expect(compacted(compactCase(chat, body, { profiles })).limits.window).toBe(8_192)
    expect(compactionLimits(DEFAULT_PRESET, { model: 'house-model-7' }, { profiles }).window).toBe(8_192)
  })
})

describe('no progress', () => {
  const huge = [{ role: 'user', content: filler(90_000) }]
  const chatter = turns(12, 20, 20, 50).toReversed() // assistant first: it answers the huge message

  it('TC-27 a turn that no compaction makes smaller causes few attempts, and a large message re-arms', () => {
    for (const preset of [...Object.values(PRESETS), at(0.8)]) {
      const quiet = [...huge, ...chatter]
      const options = { preset, window: 100_000, overhead: 0, scale: 1 }
      const attempts = ({ compactions, refusals }: ReturnType<typeof profileSession>) =>
        compactions.length + refusals.length
      const before = attempts(profileSession(chat, { items: quiet, calls: [], model: 'gpt-4o' }, options))
      expect(before).toBeGreaterThan(0)
      expect(before).toBeLessThanOrEqual(2)
      const again = [...quiet, { role: 'assistant', content: 'well' }, { role: 'user', content: filler(90_000, 8) }]
      const after = attempts(profileSession(chat, { items: again, calls: [], model: 'gpt-4o' }, options))
      expect(after).toBeGreaterThan(before)
    }
  })

  it('TC-27 a summary as large as its source is not taken', () => {
    const request = chatRequest([...turns(10, 1_000, 3_000), { role: 'user', content: 'go' }])
    const preset = at(0.8, { rungs: [{ strategy: 'summarizeOlder' }] })
    let calls = 0
    const { outcome } = compactMocked({ dialect: chat, request, preset, window: 40_000 }, () => {
      calls++
      return filler(42_000, 9)
    })
    expect(calls).toBe(1)
    expect(outcome).toMatchObject({ status: 'refused', rejected: [{ rung: 'summarizeOlder', reason: 'not-smaller' }] })
  })

  it('TC-27 says in a type of its own that nothing got smaller', () => {
    const conversation = chat.open(chatRequest([{ role: 'user', content: filler(80_000) }]))
    const result = compactConversation(chat, conversation, { preset: at(0.8), window: 100_000, model: 'gpt-4o' })
    expect(result).toMatchObject({ status: 'unchanged', stuck: { code: 'no-progress' } })
    expect(result.status === 'unchanged' && result.conversation).toBe(conversation)
  })
})
