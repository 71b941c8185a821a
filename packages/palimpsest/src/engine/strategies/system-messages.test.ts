import { describe, expect, it } from 'vitest'
import { runCompaction } from '../ladder/compaction.ts'
import { EMPTY_PLAN } from '../plan/plan.ts'
import { rungsOf } from '../presets/preset.ts'
import { DEFAULT_PRESET } from '../presets/presets.ts'
import { unwrapCheckpoint } from '../summary/checkpoint-text.ts'
import { type ToyItem, toyItems, toyTranscript } from '../toy-lens.test-data.ts'

const system = (text: string): ToyItem => ({ role: 'system', parts: [{ kind: 'text', text }] })

describe('system messages inside a conversation', () => {
  it('BB-22 stay behind the summary, equal ones once, the oldest in the summary when they are too many', () => {
    const items = [
      ...toyItems('user 4'),
      system(`old ${'x'.repeat(200)}`),
      ...toyItems('say 900 | user 4'),
      system('plan mode'),
      ...toyItems('say 900 | user 4'),
      system('plan mode'),
      ...toyItems('say 900 | user 6'),
    ]
    const task = {
      transcript: toyTranscript(items),
      current: EMPTY_PLAN,
      overhead: 0,
      target: 1500,
      limit: 2000,
      keep: { messages: 1 },
      rungs: rungsOf(DEFAULT_PRESET),
      context: {},
    }
    const outcome = runCompaction(task, () => 'summary')
    if (outcome.status !== 'compacted') throw outcome.error
    const texts = outcome.items.map((item) => item.parts[0]?.text ?? '')
    expect(texts.slice(1)).toEqual(['plan mode', 'uuuuuu'])
    expect(unwrapCheckpoint(texts[0] ?? '')?.summary).toContain(`old ${'x'.repeat(200)}`)
  })
})
