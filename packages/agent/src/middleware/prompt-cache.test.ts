import { startWirelab, type Wirelab } from '@palimpsest/wirelab'
import { type AiSdkMessage, createCompactor, PRESETS } from 'palimpsest'
import { modelCalls } from 'palimpsest/ai-sdk'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AgentMiddleware, CallModel, ModelStep } from '../loop/middleware.ts'
import { MiddlewareStack } from '../loop/stack.ts'
import {
  callModel,
  MODELS,
  type ModelName,
  marksIn,
  readStep,
  readSteps,
  stepOf,
  TASK,
} from './prompt-cache.test-data.ts'
import { promptCacheSlot } from './prompt-cache.ts'

let lab: Wirelab

beforeEach(async () => {
  lab = await startWirelab({ cache: { minTokens: 1 } })
})

afterEach(() => lab.close())

/** Sends a step through the slot, and gives the usage that came back. */
async function send(step: ModelStep, options: Parameters<typeof promptCacheSlot>[0] = {}) {
  const { usage } = await throughSlots([promptCacheSlot(options)], callModel)(step)
  return usage
}

function throughSlots(slots: readonly AgentMiddleware[], model: CallModel): CallModel {
  return new MiddlewareStack(slots).around(model)
}

function marksOnWire(): readonly string[] {
  expect(lab.calls.at(-1)).toMatchObject({ outcome: 'answered' })
  return marksIn(lab.calls.at(-1)?.body)
}

/** The view of a conversation after a compaction by hand. */
async function compactedStep(name: ModelName, items: readonly AiSdkMessage[]): Promise<ModelStep> {
  const step = stepOf(name, lab.url, items)
  const compactor = createCompactor({
    dialect: modelCalls,
    cache: 'off',
    ...(PRESETS.hango && { preset: PRESETS.hango }),
  })
  const call = { modelId: step.model.id, options: step.options, wholeHistory: true }
  const { request } = await compactor.compactNow(call, 'manual')
  return { ...step, options: request.options }
}

describe.each([
  ['anthropic', { system: 'system 1', summary: '0.0', at: (message: number) => `${message}.0` }],
  // a point of Bedrock stands behind what it marks
  ['bedrock', { system: 'system 2', summary: '0.1', at: (message: number) => `${message}.1` }],
] as const)('D10 marks on the wire of %s', (name, { system, summary, at }) => {
  test('stand on the last stable system block, where the request ends, and where the one before it ended', async () => {
    const expected = [
      [system, at(0)],
      [system, at(0), at(2)],
      [system, at(2), at(4)],
      [system, at(4), at(6)],
    ]
    for (const [steps, places] of expected.entries()) {
      await send(stepOf(name, lab.url, [TASK, ...readSteps(steps)]))
      expect(marksOnWire()).toEqual(places)
    }
  })

  test('stand on the summary too once there is one: four', async () => {
    const step = await compactedStep(name, [TASK, ...readSteps(40)])
    const more = [...step.options.prompt, ...readStep(40), ...readStep(41)]
    await send({ ...step, options: { ...step.options, prompt: more } })
    const body = lab.calls[0]?.body as { readonly messages: readonly unknown[] } | undefined
    const last = (body?.messages.length ?? 0) - 1
    expect(last).toBeGreaterThan(4)
    expect(marksOnWire()).toEqual([system, summary, at(last - 2), at(last)])
  })

  test('leave what may change behind them: another memory reads the stable part from the cache, and marks the same places', async () => {
    const items = [TASK, ...readSteps(3)]
    await send(stepOf(name, lab.url, items, 'Use tabs.'))
    const before = marksOnWire()
    const usage = await send(stepOf(name, lab.url, items, 'Use spaces, and never touch the vault.'))
    expect(marksOnWire()).toEqual(before)
    expect(usage?.cacheRead).toBeGreaterThan(300)
    expect(usage?.cacheRead).toBeLessThan((usage?.input ?? 0) - 300)
  })

  test('let each step of a turn read all that the step before sent', async () => {
    const reads: number[] = []
    const inputs: number[] = []
    for (let steps = 0; steps < 4; steps++) {
      const usage = await send(stepOf(name, lab.url, [TASK, ...readSteps(steps)]))
      reads.push(usage?.cacheRead ?? 0)
      inputs.push(usage?.input ?? 0)
    }
    // the simulator rounds what it counts
    for (const [at, read] of reads.entries()) expect(Math.abs(read - (inputs[at - 1] ?? 0))).toBeLessThanOrEqual(1)
  })

  test('also after a step with more calls than a provider looks back over', async () => {
    const first = await send(stepOf(name, lab.url, [TASK]))
    const second = await send(stepOf(name, lab.url, [TASK, ...readStep(0, 30)]))
    expect(second?.cacheRead).toBe(first?.input)
  })
})

test('D10 marks of the caller stay, and take their slots', async () => {
  const step = stepOf('anthropic', lab.url, [TASK, ...readSteps(3)])
  const own = { anthropic: { cacheControl: { type: 'ephemeral' } } }
  const prompt = step.options.prompt.map((message, at) =>
    at === 2 || at === 5 ? { ...message, providerOptions: own } : message,
  )
  await send({ ...step, options: { ...step.options, prompt } })
  expect(marksOnWire()).toEqual(['system 1', 'system 2', '2.0', '6.0'])
})

test.each(['anthropic, a model without caching', 'openai-compatible', 'google'] as const)(
  'D10 %s: the request goes on as it is',
  async (name) => {
    const step = stepOf(name, lab.url, [TASK, ...readSteps(2)])
    let seen: ModelStep | undefined
    await throughSlots([promptCacheSlot()], async (one) => {
      seen = one
      return callModel(one)
    })(step)
    expect(seen?.options).toBe(step.options)
    expect(lab.calls[0]).toMatchObject({ outcome: 'answered' })
  },
)

test('A5 a profile of the user’s own says whether a model caches', async () => {
  const step = stepOf('anthropic, a model without caching', lab.url, [TASK])
  await send(step, { profiles: { 'some-unknown-model': { caching: true } } })
  expect(marksOnWire()).toEqual(['system 1', '0.0'])
})

test.each(['openai responses', 'openai chat'] as const)('%s is told which conversation it is', async (name) => {
  const step = stepOf(name, lab.url, [TASK, ...readSteps(2)])
  await send({ ...step, session: 's'.repeat(80) })
  expect(lab.calls[0]).toMatchObject({ outcome: 'answered', body: { prompt_cache_key: 's'.repeat(64) } })
  const providerOptions = { openai: { promptCacheKey: 'mine' } }
  await send({ ...step, options: { ...step.options, providerOptions } })
  expect(lab.calls[1]?.body).toMatchObject({ prompt_cache_key: 'mine' })
})

test.each(Object.keys(MODELS) as ModelName[])('marks of all providers do no harm to %s', async (name) => {
  const marks = { anthropic: { cacheControl: { type: 'ephemeral' } }, bedrock: { cachePoint: { type: 'default' } } }
  const { options, ...step } = stepOf(name, lab.url, [TASK, ...readSteps(1)])
  const prompt = options.prompt.map((message, at) => (at % 2 === 1 ? { ...message, providerOptions: marks } : message))
  await callModel({ ...step, options: { ...options, prompt } })
  expect(lab.calls[0]).toMatchObject({ outcome: 'answered' })
  const [other] = ['cache_control', 'cachePoint'].filter((key) => lab.calls[0]?.bodyText.includes(key) === true)
  expect(other).toBe(name.startsWith('anthropic') ? 'cache_control' : name === 'bedrock' ? 'cachePoint' : undefined)
})

test('D11 a slot behind the marks that changes the memory leaves all before them as it is', async () => {
  const memory: AgentMiddleware = {
    name: 'memory',
    wrapModelCall(step, next) {
      const prompt = step.options.prompt.map((one, at) => (at === 2 ? { ...one, content: 'Another memory.' } : one))
      return next({ ...step, options: { ...step.options, prompt } })
    },
  }
  const step = stepOf('anthropic', lab.url, [TASK, ...readSteps(2)])
  await send(step)
  await throughSlots([memory, promptCacheSlot()], callModel)(step)
  const [plain, changed] = lab.calls.map(({ body }) => body as { system: readonly unknown[]; messages: unknown })
  expect(changed?.system.slice(0, 2)).toEqual(plain?.system.slice(0, 2))
  expect(changed?.system[2]).toEqual({ type: 'text', text: 'Another memory.' })
  expect(changed?.messages).toEqual(plain?.messages)
})
