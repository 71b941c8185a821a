import { describe, expect, it } from 'vitest'
import { DEFAULT_PRESET } from '../engine/presets/presets.ts'
import { modelSummarizer } from '../summarizers/model-summarizer.ts'
import type { Summarizer } from '../summarizers/summarizer.ts'
import {
  CountingServer,
  callModel,
  eventsOf,
  requestOf,
  toolSteps,
  watchedCompactor,
} from './live-session.test-data.ts'

const TASK = { role: 'user' as const, content: 'Fix the bug. Never push to main.' }
const LONG_ENOUGH = `Goal: fix the bug. ${'Read a file of lines and found nothing in it yet. '.repeat(12)}`
const SUMMARY_ONLY = {
  ...DEFAULT_PRESET,
  rungs: DEFAULT_PRESET.rungs.filter(({ strategy }) => strategy === 'summarizeOlder'),
}

describe('an overflow tells what is tried next', () => {
  it('D2 a compaction, and nothing once the retries are used up', async () => {
    const { compactor, events } = watchedCompactor({ preset: { ...DEFAULT_PRESET, overflowRetries: 1 } })
    const first = await compactor.prepare(requestOf([TASK, ...toolSteps(30, 3_000)]))
    const second = await first.recoverFrom({ kind: 'tokens', limit: 20_000, detail: 'too long' })
    await expect(second.recoverFrom({ kind: 'tokens', limit: 10_000, detail: 'too long' })).rejects.toThrow('too long')
    expect(eventsOf(events, 'overflow-detected')).toMatchObject([
      { attempt: 1, remedy: 'compaction' },
      { attempt: 2, remedy: 'none' },
    ])
  })

  it('A7 a lower output cap, where that is all it takes', async () => {
    const { compactor, events } = watchedCompactor({ window: 200_000 })
    const prepared = await compactor.prepare(requestOf([TASK, ...toolSteps(3, 300)], { max_tokens: 20_000 }))
    await prepared.recoverFrom({ kind: 'output', limit: 20_000, size: 2_000, detail: 'input + max_tokens' })
    expect(eventsOf(events, 'overflow-detected')).toMatchObject([{ remedy: 'output-cap' }])
    expect(eventsOf(events, 'compaction-started')).toEqual([])
  })
})

describe('a call of a summariser tells whom it asked', () => {
  it.each([
    ['a summary', LONG_ENOUGH, 'small-model', []],
    ['nothing', '', 'extractive', ['empty', 'empty']],
  ] as const)('that wrote %s', async (_name, text, by, rejections) => {
    const summarizer = modelSummarizer({
      model: 'small-model',
      window: 200_000,
      generate: async () => ({ text, usage: { input: 900, output: 30 }, finish: 'stop' }),
    })
    const { compactor, events } = watchedCompactor({ window: 32_000, preset: SUMMARY_ONLY, summarizer })
    await compactor.prepare(requestOf([TASK, ...toolSteps(40, 3_000)]))
    expect(eventsOf(events, 'summarizer-called')).toMatchObject([{ by, asked: 'small-model', rejections }])
  })

  it('also where another wrote instead of one that failed', async () => {
    const asked = 'small-model'
    const summarizer: Summarizer = async () => ({
      ...{ status: 'failed', usage: { input: 5, output: 0 }, asked },
      rejected: [{ reason: 'deadline', detail: 'Too slow.' }],
    })
    const { compactor, events } = watchedCompactor({ window: 32_000, preset: SUMMARY_ONLY, summarizer })
    await compactor.prepare(requestOf([TASK, ...toolSteps(40, 3_000)]))
    expect(eventsOf(events, 'summarizer-called')).toMatchObject([
      { by: 'extractive', asked, rejections: ['deadline'], usage: { input: 5 } },
    ])
  })

  it('and asks nobody where it is extractive', async () => {
    const { compactor, events } = watchedCompactor({ window: 32_000, preset: SUMMARY_ONLY })
    await compactor.prepare(requestOf([TASK, ...toolSteps(40, 3_000)]))
    const [called] = eventsOf(events, 'summarizer-called')
    expect(called).toMatchObject({ by: 'extractive', rejections: [] })
    expect(called).not.toHaveProperty('asked')
  })
})

it('observed usage tells the window, and every event the upstream of its call', async () => {
  const { compactor, events } = watchedCompactor({ window: 32_000, upstream: 'api.example.com' })
  const server = new CountingServer(32_000)
  await callModel(compactor, server, requestOf([TASK, ...toolSteps(40, 3_000)]), { upstream: 'other.example.com' })
  expect(eventsOf(events, 'usage-observed')).toMatchObject([{ window: 32_000 }])
  expect(new Set(events.map(({ upstream }) => upstream))).toEqual(new Set(['other.example.com']))
  const unnamed = watchedCompactor({ window: 32_000 })
  await callModel(unnamed.compactor, server, requestOf([TASK, ...toolSteps(40, 3_000)]))
  expect(unnamed.events.some((event) => 'upstream' in event)).toBe(false)
})
