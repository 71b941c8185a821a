import { describe, expect, it } from 'vitest'
import { EMPTY_PLAN, type Plan } from '../plan/plan.ts'
import { formatPlan } from '../plan/plan-notation.ts'
import { rungsOf } from '../presets/preset.ts'
import { DEFAULT_PRESET, PRESETS } from '../presets/presets.ts'
import { unwrapCheckpoint } from '../summary/checkpoint-text.ts'
import { type ToyItem, toyItems, toyTranscript } from '../toy-lens.test-data.ts'
import { runCompaction } from './compaction.ts'
import type { CompactionOutcome, CompactionTask, Effect } from './compaction-task.ts'

function taskOf(
  items: string | readonly ToyItem[],
  more: Partial<CompactionTask<ToyItem>> = {},
): CompactionTask<ToyItem> {
  return {
    transcript: toyTranscript(items),
    current: EMPTY_PLAN,
    overhead: 0,
    target: 1000,
    limit: 2000,
    keep: { messages: 2 },
    rungs: rungsOf(DEFAULT_PRESET),
    context: {},
    ...more,
  }
}

const answer = (effect: Effect) => (effect.kind === 'summarize' ? 'what was done' : 'key')

function planOf(outcome: CompactionOutcome<ToyItem>): string {
  if (outcome.status === 'refused') return outcome.error.message
  return formatPlan(outcome.plan).replace(/\(\d+ ch\)/g, '')
}

describe('the ladder', () => {
  it('stops at the first rung that meets the target', () => {
    const outcome = runCompaction(taskOf('user 40 | tools read:9000 | user 4 | say 5 | user 6'), answer)
    expect(planOf(outcome)).toBe('truncate 2.0 200+200/9000')
    expect(outcome).toMatchObject({ strategies: ['truncateToolPayloads'], reachedTarget: true })
  })

  it('goes on to a summary, and keeps what the earlier rung did', () => {
    const session = `user 40 | tools read:9000 | user 4 | say 900 | user 900 | say 50 | user 6`
    const outcome = runCompaction(taskOf(session, { keep: { messages: 1 } }), answer)
    expect(planOf(outcome)).toBe('drop 0-6 | summary 6 ')
    expect(outcome).toMatchObject({ strategies: ['truncateToolPayloads', 'summarizeOlder'] })
  })

  it('asks to store before it shows a pointer, and only for callers who can read', () => {
    const asked: string[] = []
    const task = taskOf('user 40 | tools read:9000 | user 4 | say 5 | user 6', { canRead: true })
    const outcome = runCompaction(task, (effect) => {
      asked.push(effect.kind)
      return 'KEY'
    })
    expect(asked).toEqual(['store'])
    expect(planOf(outcome)).toBe('offload 2.0')
    const shown = outcome.status === 'compacted' ? outcome.items[2]?.parts[0]?.text : ''
    expect(shown).toContain('artifact://KEY')
  })

  it('goes to the next rung when a summary fails', () => {
    const session = `user 40 | say 900 | user 900 | say 900 | user 6`
    const outcome = runCompaction(taskOf(session), () => undefined)
    expect(outcome).toMatchObject({ strategies: ['dropOldestTurns'] })
    expect(outcome.rejected[0]).toMatchObject({ rung: 'summarizeOlder', reason: 'effect-failed' })
  })

  it('TC-27 does not adopt what is not smaller', () => {
    const session = `user 1400 | say 900 | user 6`
    const outcome = runCompaction(taskOf(session, { rungs: rungsOf(PRESETS.keen ?? DEFAULT_PRESET) }), () =>
      'x'.repeat(9000),
    )
    expect(outcome.status).toBe('refused')
    expect(outcome.rejected[0]).toMatchObject({ reason: 'not-smaller' })
  })

  it('TC-19 names the fixed part when that alone is too large', () => {
    const outcome = runCompaction(taskOf('user 4 | say 5 | user 6', { overhead: 70_000, limit: 64_000 }), answer)
    expect(planOf(outcome)).toBe('System and tools alone are 70k of 64k tokens.')
  })

  it('names what takes the room when the floor does not fit', () => {
    const pinned = runCompaction(taskOf('user 4 | say 5 | pin 5000 | user 6'), answer)
    expect(planOf(pinned)).toMatch(/pinned items and system messages 5000/)
  })

  it('brings a single huge result under the limit', () => {
    const outcome = runCompaction(taskOf('user 40 | tools read:300000'), answer)
    expect(planOf(outcome)).toMatch(/^truncate 2\.0 /)
    expect(outcome).toMatchObject({ status: 'compacted', reachedTarget: true })
  })

  it('CF-06 has nothing to do when everything is kept', () => {
    const asked: Effect[] = []
    const outcome = runCompaction(
      taskOf('user 900 | say 900 | user 900', { keep: { messages: 10 }, limit: 100 }),
      (effect) => {
        asked.push(effect)
        return 'S'
      },
    )
    expect(asked.filter((effect) => effect.kind === 'summarize').length).toBeLessThanOrEqual(1)
    expect(outcome.status).toBe('refused')
  })

  it('CF-13 makes no summary when all that could go is a summary', () => {
    const current: Plan = { drop: [{ from: 0, to: 2 }], summaries: [{ insert_after: 1, content: 's'.repeat(500) }] }
    const asked: Effect[] = []
    const outcome = runCompaction(
      taskOf('user 4 | say 5 | pin 1900', { current, limit: 1000, target: 900 }),
      (effect) => {
        asked.push(effect)
        return 'S'
      },
    )
    expect(asked).toEqual([])
    expect(outcome.status).toBe('refused')
  })

  it('TC-32 compacts again without losing the words of the user, and changes nothing without new turns', () => {
    const words = (text: string): ToyItem => ({ role: 'user', parts: [{ kind: 'text', text }] })
    const items = [words('port must stay 8443'), ...toyItems('say 900 | user 900 | say 900 | user 6')]
    const first = runCompaction(taskOf(items), answer)
    if (first.status !== 'compacted') throw first.error
    const again = runCompaction(taskOf(items, { current: first.plan }), answer)
    expect(again.status).toBe('refused')
    expect(again.rejected).toEqual([])
  })

  it('puts the last user message verbatim beside the summary when it leaves', () => {
    const items = [
      ...toyItems('user 4 | say 5'),
      ...toyItems('user 9 | tools read:900 | tools read:900 | tools read:9'),
    ]
    const outcome = runCompaction(taskOf(items, { limit: 900, target: 600, keep: { messages: 2 } }), answer)
    if (outcome.status !== 'compacted') throw outcome.error
    const content = outcome.plan.summaries?.[0]?.content ?? ''
    expect(unwrapCheckpoint(content)).toEqual({ summary: 'what was done', lastUserMessage: 'u'.repeat(9) })
  })
})
