import type { LanguageModelV3 } from '@ai-sdk/provider'
import { describe, expect, test } from 'vitest'
import { createCompactor } from '../../compactor/create-compactor.ts'
import { PRESETS } from '../../engine/presets/presets.ts'
import { aiSdkSummarizer, modelCalls, type SummaryWatcher } from './index.ts'
import { promptOf } from './read-files-prompt.test-data.ts'
import { type ScriptedAnswer, ScriptedModel } from './scripted-model.test-data.ts'

const SUMMARY = `The files were read one after the other. ${'Values were noted. '.repeat(20)}`

/** Compacts by a loop of one's own, and gives what its watcher saw: `|` where a call began. */
async function watched(
  model: LanguageModelV3,
  options: { readonly window?: number; readonly watch?: SummaryWatcher; readonly signal?: AbortSignal } = {},
) {
  const { window, signal, ...given } = options
  const seen: string[] = []
  const watch = { started: () => void seen.push('|'), text: (delta: string) => void seen.push(delta) }
  const compactor = createCompactor({ dialect: modelCalls, ...(PRESETS.hango && { preset: PRESETS.hango }) })
  const summarizer = aiSdkSummarizer({
    model,
    fallback: 'extractive',
    watch,
    ...(window !== undefined && { window }),
    ...given,
  })
  const call = { modelId: model.modelId, options: { prompt: promptOf(24) }, wholeHistory: true }
  const compacted = await compactor.compactNow(call, 'manual', {
    summarizer,
    focus: 'values',
    ...(signal && { signal }),
  })
  return { seen: seen.join(''), compacted }
}

describe('a summary that is watched', () => {
  test('is shown as it is written, and is what the view holds', async () => {
    const model = new ScriptedModel([{ text: SUMMARY }])
    const { seen, compacted } = await watched(model)
    expect(seen).toBe(`|${SUMMARY}`)
    expect(compacted.compacted).toBe(true)
    expect(JSON.stringify(compacted.request.options.prompt)).toContain('Values were noted.')
    expect(model.pulled).toBeGreaterThan(0)
  })

  test('begins again after an answer that was refused', async () => {
    const cut: ScriptedAnswer = { text: 'The files were', raw: 'length' }
    const { seen } = await watched(new ScriptedModel([cut, { text: SUMMARY }]))
    expect(seen).toBe(`|The files were|${SUMMARY}`)
  })

  test('begins again after a call that failed', async () => {
    const { seen } = await watched(new ScriptedModel([{ throws: new Error('503') }, { text: SUMMARY }]))
    expect(seen).toBe(`||${SUMMARY}`)
  })

  test('begins again for every chunk', async () => {
    const model = new ScriptedModel([{ text: SUMMARY }])
    const { seen } = await watched(model, { window: 8_000 })
    expect(model.seen.length).toBeGreaterThan(1)
    expect(seen).toBe(`|${SUMMARY}`.repeat(model.seen.length))
  })

  test('is written all the same where its watcher throws', async () => {
    const fault = () => {
      throw new Error('the screen is gone')
    }
    const { compacted } = await watched(new ScriptedModel([{ text: SUMMARY }]), {
      watch: { started: fault, text: fault },
    })
    expect(JSON.stringify(compacted.request.options.prompt)).toContain('Values were noted.')
  })

  test('is heard of no more once it was given up', async () => {
    const turn = new AbortController()
    const seen: string[] = []
    const watch = {
      started: () => void seen.push('|'),
      text: (delta: string) => {
        seen.push(delta)
        turn.abort(new Error('Esc'))
      },
    }
    const call = watched(new ScriptedModel([{ text: SUMMARY }]), { watch, signal: turn.signal })
    await expect(call).rejects.toThrow('Esc')
    expect(seen).toEqual(['|', 'The '])
  })
})

test('a summary that nobody watches is asked for in one piece', async () => {
  const model = new ScriptedModel([{ text: SUMMARY }])
  const compactor = createCompactor({ dialect: modelCalls })
  const summarizer = aiSdkSummarizer({ model, fallback: 'extractive' })
  const call = { modelId: model.modelId, options: { prompt: promptOf(24) }, wholeHistory: true }
  await compactor.compactNow(call, 'manual', { summarizer })
  expect(model.seen).toHaveLength(1)
  expect(model.pulled).toBe(0)
})
