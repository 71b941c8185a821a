import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Draft } from '../plan/draft.ts'
import { fillDraft, requestsOf } from '../plan/draft.ts'
import { mergePlans } from '../plan/merge-plans.ts'
import { EMPTY_PLAN, type Plan } from '../plan/plan.ts'
import { formatPlan } from '../plan/plan-notation.ts'
import { projectUnits } from '../plan/projected-units.ts'
import { tokensOf } from '../tokens/ledger.ts'
import { type ToyItem, toyItems, toyTranscript } from '../toy-lens.test-data.ts'
import { dropOldestTurns } from './drop-oldest-turns.ts'
import type { KeepWindow } from './keep-window.ts'
import { floorBoundary, keepBoundary } from './keep-window.ts'
import { offloadArtifacts } from './offload-artifacts.ts'
import { slidingWindow } from './sliding-window.ts'
import { squeezeFloor } from './squeeze-floor.ts'
import type { Strategy } from './strategy.ts'
import { summarizeOlder } from './summarize-older.ts'
import { truncateToolPayloads } from './truncate-tool-payloads.ts'

interface Setting {
  readonly limit?: number
  readonly keep?: KeepWindow
  readonly current?: Plan
}

function draftOf(strategy: Strategy, items: string | readonly ToyItem[], setting: Setting = {}): Draft | undefined {
  const { groups, ledger } = toyTranscript(items)
  const { limit = 0, keep = { messages: 0 }, current = EMPTY_PLAN } = setting
  return strategy({ groups, ledger, limit, keep, current })
}

/** The plan of a strategy in notation, its requests answered with one letter each. */
function planOf(strategy: Strategy, items: string | readonly ToyItem[], setting: Setting = {}): string {
  const draft = draftOf(strategy, items, setting)
  if (draft === undefined) return 'nothing'
  const { summaries, stores } = requestsOf(draft)
  return formatPlan(fillDraft(draft, { summaries: summaries.map(() => 'S'), artifactKeys: stores.map(() => 'K') }))
}

describe('keepBoundary', () => {
  const at = (items: string | readonly ToyItem[], keep: KeepWindow) => {
    const { groups, ledger } = toyTranscript(items)
    return keepBoundary(groups, ledger, keep)
  }

  it('B6 moves back to the start of the group that the raw boundary would cut', () => {
    // ten messages: a tenth is one, and one message back lies between a call and its result
    const session = 'user 1 | say 1 | user 1 | say 1 | user 1 | say 1 | user 1 | user 1 | tools read:5'
    expect(at(session, { fraction: 0.1, of: 'messages' })).toBe(8)
  })

  it('CF-07 takes a batch whole when the cut lands on its second result', () => {
    const items: ToyItem[] = [
      ...toyItems('user 1'),
      { role: 'assistant', parts: ['a', 'b'].map((id) => ({ kind: 'tool-call', id, text: '{}' })) },
      { role: 'tool', parts: [{ kind: 'tool-result', id: 'a', text: 'r' }] },
      { role: 'tool', parts: [{ kind: 'tool-result', id: 'b', text: 'r' }] },
      ...toyItems('say 1'),
    ]
    expect(at(items, { messages: 2 })).toBe(1)
  })

  it('CF-03 keeps as many messages as the share of the window holds', () => {
    const four = 'user 200 | say 200 | user 200 | say 200'
    const kept = (tokens: number) => 4 - at(four, { tokens })
    expect([kept(500), kept(600), kept(800)]).toEqual([2, 3, 4])
  })

  it('never keeps less than the open batch or the message that waits for an answer', () => {
    expect(at('user 1 | say 1 | user 1 | tools read:900', { messages: 0 })).toBe(3)
    expect(at('user 1 | say 1 | user 5', { messages: 0 })).toBe(2)
    expect(at('user 1 | tools read:9 | say 1', { messages: 0 })).toBe(3)
    expect(floorBoundary(toyTranscript('user 1 | tools read:9 | user 4').groups)).toBe(2)
  })
})

describe('slidingWindow', () => {
  it('B3 drops from position 1 to the last messages', () => {
    expect(planOf(slidingWindow({ keepLast: 2 }), 'user 1 | say 1 | user 1 | say 1 | user 1')).toBe('drop 1-2')
  })
  it('keeps system messages inside the conversation, unless told otherwise', () => {
    const session = 'user 1 | system 1 | say 1 | user 1 | say 1'
    expect(planOf(slidingWindow({ keepLast: 1 }), session)).toBe('drop 2-3')
    expect(planOf(slidingWindow({ keepLast: 1, pinSystem: false }), session)).toBe('drop 1-3')
  })
  it('leaves a short conversation alone', () => {
    expect(planOf(slidingWindow({ keepLast: 5 }), 'user 1 | say 1')).toBe('nothing')
  })
})

describe('truncateToolPayloads', () => {
  it('B4 cuts old results, oldest first, until the limit is met', () => {
    const session = 'user 40 | tools read:9000 | tools grep:8000 | user 10'
    const cut = truncateToolPayloads({ keepRecent: 1 })
    expect(planOf(cut, session, { limit: 9000 })).toBe('truncate 2.0 200+200/9000')
    expect(planOf(cut, session, { limit: 1000 })).toBe('truncate 2.0 200+200/9000 | truncate 4.0 200+200/8000')
  })
  it('leaves what fits, what is small, and what is recent', () => {
    expect(planOf(truncateToolPayloads(), 'user 4 | tools read:9000 | say 4', { limit: 9999 })).toBe('nothing')
    expect(planOf(truncateToolPayloads(), 'user 4 | tools read:400 | say 4')).toBe('nothing')
    expect(planOf(truncateToolPayloads(), 'user 4 | tools read:9000 | say 4', { keep: { messages: 2 } })).toBe(
      'nothing',
    )
  })
  it('does not cut again what is cut', () => {
    const current: Plan = { truncations: [{ message_index: 2, part: 0, kept_head: 200, kept_tail: 200, of: 9000 }] }
    expect(planOf(truncateToolPayloads(), 'user 4 | tools read:9000 | say 4', { current })).toBe('nothing')
  })
})

describe('offloadArtifacts', () => {
  it('B5 asks to store the original before a pointer is shown, and shows none when that failed', () => {
    const session = 'user 4 | tools read:9000 | say 4'
    expect(planOf(offloadArtifacts(), session)).toBe('offload 2.0')
    const draft = draftOf(offloadArtifacts(), session)
    expect(draft && fillDraft(draft, { summaries: [], artifactKeys: [undefined] }).offloads).toBeUndefined()
    expect(draft && requestsOf(draft).stores).toEqual([{ position: 2, part: 0, bytes: 9000 }])
  })
})

describe('summarizeOlder', () => {
  it('puts one summary where the old part stood, and the last user message beside it', () => {
    const session = 'user 4 | say 50 | user 9 | tools read:90 | tools read:20'
    expect(planOf(summarizeOlder(), session, { limit: 400 })).toBe('drop 0-4 | summary 4 (1 ch)')
    const [request] = requestsOf(draftOf(summarizeOlder(), session, { limit: 400 }) ?? {}).summaries
    expect(request?.lastUserMessage).toBe('u'.repeat(9))
    expect(request?.ranges).toEqual([{ from: 0, to: 5 }])
  })
  it('keeps a user message that waits for an answer where it is', () => {
    expect(planOf(summarizeOlder(), 'user 4 | say 50 | user 9', { limit: 400 })).toBe('drop 0-1 | summary 1 (1 ch)')
  })
  it('lets system messages and pinned items stay behind the summary', () => {
    const session = 'user 4 | system 5 | say 6 | pin 3 | say 5 | user 1'
    expect(planOf(summarizeOlder(), session, { limit: 400 })).toBe('drop 0 | drop 2 | drop 4 | summary 0 (1 ch)')
  })
  it('C9 writes a second summary over the first, and none when nothing is new', () => {
    const current: Plan = { drop: [{ from: 0, to: 3 }], summaries: [{ insert_after: 2, content: 'old' }] }
    const session = 'user 4 | say 5 | user 6 | say 7 | user 8 | say 9 | user 1'
    expect(planOf(summarizeOlder(), session, { limit: 400, current })).toBe('drop 0-5 | summary 5 (1 ch)')
    const [request] = requestsOf(draftOf(summarizeOlder(), session, { limit: 400, current }) ?? {}).summaries
    expect(request?.previous).toEqual(['old'])
    expect(planOf(summarizeOlder(), 'user 4 | say 5 | user 6 | user 1', { limit: 400, current })).toBe('nothing')
  })
  it('shrinks the keep window group by group while the kept part would miss the limit', () => {
    const session = 'user 4 | say 300 | user 1 | say 300 | user 4 | say 300 | user 2 | say 10 | user 1'
    const keep: KeepWindow = { messages: 6 }
    expect(planOf(summarizeOlder({ budget: { tokens: 50 } }), session, { limit: 2000, keep })).toMatch(/^drop 0-2 /)
    expect(planOf(summarizeOlder({ budget: { tokens: 50 } }), session, { limit: 400, keep })).toMatch(/^drop 0-3 /)
    expect(planOf(summarizeOlder({ budget: { tokens: 50 } }), session, { limit: 100, keep })).toMatch(/^drop 0-5 /)
  })
  it('B3 makes one summary for each chunk of messages', () => {
    const session = 'user 4 | say 5 | user 6 | say 7 | user 8 | say 9 | user 1'
    expect(planOf(summarizeOlder({ chunkTurns: 2 }), session, { limit: 400 })).toBe(
      'drop 0-5 | summary 1 (1 ch) | summary 3 (1 ch) | summary 5 (1 ch)',
    )
  })
  it('B6 in the hango form starts the kept part at an assistant message without open calls, or refuses', () => {
    const hango = summarizeOlder({ keptStartsWith: 'assistant' })
    expect(planOf(hango, 'user 4 | say 5 | user 6 | tools read:3 | user 8', { limit: 400 })).toMatch(/^drop 0-2 /)
    expect(planOf(hango, 'user 4 | user 5 | user 6', { limit: 400 })).toBe('nothing')
  })
  it('C4 in the keen form leaves only the open batch outside of the one message', () => {
    const keen = summarizeOlder({ form: 'keen' })
    expect(planOf(keen, 'user 4 | say 5 | user 6', { limit: 400 })).toBe('drop 0-2 | summary 2 (1 ch)')
    expect(planOf(keen, 'user 4 | say 5 | user 6 | tools read:9', { limit: 400 })).toBe('drop 0-2 | summary 2 (1 ch)')
    expect(planOf(keen, 'user 4 | pin 2 | say 5 | user 6', { limit: 400 })).toBe('drop 0 | drop 2-3 | summary 3 (1 ch)')
  })
  it('removes results whose call is gone and old calls that never got a result', () => {
    const items: ToyItem[] = [
      ...toyItems('user 4 | say 5 | user 3'),
      {
        role: 'assistant',
        parts: [
          { kind: 'text', text: 'trying' },
          { kind: 'tool-call', id: 'lost', text: '{}' },
        ],
      },
      ...toyItems('user 6'),
    ]
    expect(planOf(summarizeOlder(), items, { limit: 400, keep: { messages: 2 } })).toBe(
      'drop 0-2 | summary 2 (1 ch) | remove 3.1',
    )
  })
})

describe('dropOldestTurns', () => {
  it('drops whole turns, oldest first, until the limit is met', () => {
    const session = 'user 100 | say 100 | user 100 | say 100 | user 100 | say 100 | user 10'
    expect(planOf(dropOldestTurns(), session, { limit: 450 })).toBe('drop 0-1')
    expect(planOf(dropOldestTurns(), session, { limit: 50 })).toBe('drop 0-5')
  })
  it('drops the oldest steps inside the last turn, never its user message', () => {
    expect(planOf(dropOldestTurns(), 'user 50 | tools read:300 | tools read:300 | tools read:9', { limit: 400 })).toBe(
      'drop 1-2',
    )
  })
})

describe('squeezeFloor', () => {
  it('cuts the newest result last, and only as far as needed', () => {
    const session = 'user 40 | tools read:3000 | tools grep:3000'
    expect(planOf(squeezeFloor(), session, { limit: 5000 })).toMatch(/^truncate 2\.0 \d+\+\d+\/3000$/)
    expect(planOf(squeezeFloor(), session, { limit: 2000 })).toMatch(/^truncate 2\.0 .* \| truncate 4\.0 /)
  })
  it('CF-12 leaves the last user message whole unless it alone exceeds half of the limit', () => {
    expect(planOf(squeezeFloor(), 'user 4000 | tools read:5000', { limit: 9000 })).not.toContain('truncate 0.')
    expect(planOf(squeezeFloor(), 'user 4000', { limit: 3000 })).toMatch(/^truncate 0\.0 /)
  })
  it('cuts again what it has cut, down to each smaller limit', () => {
    const limits = fc.uniqueArray(fc.integer({ min: 800, max: 7_000 }), { minLength: 2, maxLength: 5 })
    fc.assert(
      fc.property(limits, (wanted) => {
        const { ledger, groups } = toyTranscript('user 40 | tools read:4000 | tools grep:4000')
        let current: Plan = {}
        for (const limit of wanted.toSorted((a, b) => b - a)) {
          const draft = squeezeFloor()({ ledger, groups, current, limit, keep: { messages: 0 } })
          if (draft !== undefined) current = mergePlans(current, draft as Plan)
          expect(tokensOf(projectUnits(current, ledger).total)).toBeLessThanOrEqual(limit)
        }
      }),
    )
  })
})
