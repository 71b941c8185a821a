import { describe, expect, it } from 'vitest'
import type { Dialect } from '../dialects/dialect.ts'
import { openaiChat } from '../dialects/openai-chat/index.ts'
import { DEFAULT_PRESET } from '../engine/presets/presets.ts'
import { profileSession } from './profile-session.ts'

const chat = openaiChat as Dialect<unknown, object>
const fixed = { preset: DEFAULT_PRESET, overhead: 1_000, scale: 1, window: 20_000, reserve: 2_000 }

describe('what a profile counts', () => {
  it('every step above the limit, also those at which nothing was tried; they are neither peak nor cached', () => {
    const items = [{ role: 'user', content: 'Read on.' }, ...steps(60, 2_000)]
    const noWayOut = { ...fixed, preset: { ...DEFAULT_PRESET, rungs: [] }, summarizer: 'none' } as const
    const profile = profileSession(chat, { items, calls: [], model: 'gpt-4o' }, noWayOut)
    const { limit } = profile.limits
    const large = profile.steps.filter((step) => step.tokens > limit)
    expect(profile.refusals.length).toBeGreaterThan(0)
    expect(large.length).toBeGreaterThan(profile.refusals.length)
    expect(profile.unfit).toBe(large.length)
    expect(profile.unfit).toBeLessThan(profile.steps.length)
    for (const step of large) expect(step.cached).toBe(0)
    const sent = profile.steps.filter((step) => step.tokens <= limit)
    expect(profile.peak).toBe(Math.max(...sent.map((step) => step.tokens)))
    const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)
    expect(profile.cacheShare).toBe(sum(sent.map((step) => step.cached)) / sum(sent.map((step) => step.tokens)))
  })

  it('what each compaction took out anew, and what its request consists of', () => {
    const items = [{ role: 'user', content: 'Read on. The port must stay 8443.' }, ...steps(80, 2_000)]
    const { compactions, steps: replayed } = profileSession(chat, { items, calls: [], model: 'gpt-4o' }, fixed)
    expect(compactions.length).toBeGreaterThan(2)
    let evicted = 0
    for (const compaction of compactions) {
      const { overhead, summaryTokens, keptTokens, tokensAfter } = compaction
      expect(overhead).toBe(1_000)
      expect(overhead + summaryTokens + keptTokens).toBe(tokensAfter)
      expect(replayed[compaction.step]?.tokens).toBe(tokensAfter)
      expect(compaction.keptItems).toBe(compaction.position - compaction.evicted)
      expect(compaction.newlyEvicted).toBe(compaction.evicted - evicted)
      expect(compaction.newlyEvicted + compaction.newlyShortened).toBeGreaterThan(0)
      expect(compaction.newlyShortened).toBeLessThanOrEqual(compaction.shortened)
      evicted = compaction.evicted
      if ((compaction.plan.summaries ?? []).length > 0) expect(summaryTokens).toBeGreaterThan(0)
      else expect(summaryTokens).toBe(0)
    }
  })
})

describe('the rules of the format', () => {
  it('are kept by all requests of a sound recording', () => {
    const items = [{ role: 'user', content: 'Read on.' }, ...steps(60, 2_000)]
    const profile = profileSession(chat, { items, calls: [], model: 'gpt-4o' }, fixed)
    expect(profile.violations).toEqual([])
    expect(profile.recordingViolations).toEqual([])
    expect(profile.sound).toBe(profile.steps.length)
  })

  it('that the recording itself breaks are its own: no request is blamed for carrying them on', () => {
    const [call, , ...rest] = steps(60, 2_000)
    const items = [{ role: 'user', content: 'Read on.' }, call as object, { role: 'user', content: 'Stop.' }, ...rest]
    const profile = profileSession(chat, { items, calls: [], model: 'gpt-4o' }, fixed)
    expect(profile.recordingViolations.map(({ position }) => position)).toContain(1)
    expect(profile.violations).toEqual([])
    expect(profile.sound).toBe(profile.steps.length)
  })
})

/** Steps of one call and its result, which has about `characters` characters. */
function steps(count: number, characters: number): object[] {
  return Array.from({ length: count }, (_, at) => {
    const call = { id: `call_${at}`, type: 'function', function: { name: 'read', arguments: `{"path":"q${at}.ts"}` } }
    const words = Array.from({ length: Math.ceil(characters / 12) }, (_unused, n) => `berth ${at}-${n}`).join(', ')
    return [
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: `call_${at}`, content: words.slice(0, characters) },
    ]
  }).flat()
}
