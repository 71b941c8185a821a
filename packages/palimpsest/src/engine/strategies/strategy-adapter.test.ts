import { describe, expect, it } from 'vitest'
import { toyTranscript } from '../toy-lens.test-data.ts'
import { slidingWindow } from './sliding-window.ts'
import { strategyAdapter } from './strategy-adapter.ts'
import { summarizeOlder } from './summarize-older.ts'

describe('strategyAdapter', () => {
  it('B2 plans and applies by JSON', () => {
    const transcript = toyTranscript('user 1 | say 2 | user 3 | say 4 | user 5')
    const adapter = strategyAdapter('sliding', 100, slidingWindow({ keepLast: 2 }))
    expect(adapter.strategyName()).toBe('sliding')
    const json = adapter.plan(transcript.ledger, transcript) ?? ''
    expect(json).toBe('{"strategy":"sliding","drop":[{"from":1,"to":3}]}')
    expect(adapter.applyPlanJson(json, transcript).map((item) => item.parts[0]?.text.length)).toEqual([1, 4, 5])
  })
  it('has nothing to say when the strategy has not, and refuses a plan with holes', () => {
    const adapter = strategyAdapter('summary', 100, summarizeOlder())
    const short = toyTranscript('user 1')
    expect(adapter.plan(short.ledger, short)).toBeUndefined()
    const transcript = toyTranscript('user 1 | say 2 | user 3')
    const json = adapter.plan(transcript.ledger, transcript) ?? ''
    expect(json).toContain('summary_request')
    expect(() => adapter.applyPlanJson(json, transcript)).toThrow('/summaries/0/summary_request')
  })
})
