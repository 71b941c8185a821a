import type { AgentEvent, SessionCost } from '@palimpsest/agent'
import { PalimpsestError } from 'palimpsest'
import { describe, expect, it } from 'vitest'
import { CompactionTally } from './compaction-tally.ts'
import { failedStart, runResult } from './run-result.ts'

const total = (calls: number, input: number) => ({ calls, input, cacheRead: 1, cacheWrite: 2, output: 3 * calls })
const cost = (calls: number, dollars?: number): SessionCost => ({
  ...{ chat: total(calls, 100 * calls), summarize: total(0, 0), subAgents: total(0, 0), models: ['m'] },
  ...(dollars !== undefined && { dollars }),
})

describe('the result of a run', () => {
  it('counts what this run used, not what the session had used before', () => {
    const result = runResult({
      ...{ session: 's', model: 'm', exitCode: 0, compactions: [] },
      turn: { outcome: 'answered', texts: ['A', ' ', 'B\n'], steps: 3 },
      cost: { before: cost(2, 0.5), after: cost(5, 2) },
    })
    expect(result).toMatchObject({ text: 'A\n\nB', texts: ['A', 'B'], steps: 3, dollars: 1.5 })
    expect(result.usage.chat).toEqual({ calls: 3, input: 300, cache_read: 0, cache_write: 0, output: 9 })
  })

  it('leaves dollars out where no price is known, and says the error in full', () => {
    const error = new PalimpsestError('context-overflow', 'Too large.', { hint: 'Use less.' })
    const result = runResult({
      ...{ session: 's', model: 'm', exitCode: 3, compactions: [] },
      turn: { outcome: 'failed', texts: [], steps: 1, error },
      cost: { before: cost(0), after: cost(1) },
    })
    expect(result).not.toHaveProperty('dollars')
    expect(result).toMatchObject({
      exit_code: 3,
      error: { code: 'context-overflow', message: 'Too large.', hint: 'Use less.' },
    })
  })

  it('has the same fields where the run did not begin', () => {
    expect(failedStart({ code: 'not-found', message: 'No key.' }, 2)).toMatchObject({
      ...{ type: 'result', outcome: 'failed', text: '', texts: [], steps: 0, compactions: [], exit_code: 2 },
    })
  })
})

it('BB-25 every compaction that began ends once in the tally, as it ended', () => {
  const tally = new CompactionTally()
  const started = (id: string): AgentEvent => {
    return { type: 'compaction-started', id, reason: 'overflow', tokensBefore: 50, cancel: () => {} }
  }
  const error = new PalimpsestError('no-progress', 'Nothing to leave out.')
  const events: readonly AgentEvent[] = [
    started('a'),
    { type: 'compaction-cancelled', id: 'a', reason: 'overflow', attempts: 0 },
    started('b'),
    { type: 'compaction-failed', id: 'b', reason: 'overflow', attempts: 2, error },
    { type: 'sub-agent', id: 't', event: started('x') },
    started('c'),
    {
      ...{ type: 'compaction-applied', id: 'c', reason: 'overflow', tokensBefore: 50, tokensAfter: 20 },
      ...{ evicted: 4, attempts: 1, recordId: 'r' },
    },
  ]
  for (const event of events) tally.note(event)
  expect(tally.ended).toEqual([
    { id: 'a', reason: 'overflow', before: 50, attempts: 0, outcome: 'cancelled' },
    {
      ...{ id: 'b', reason: 'overflow', before: 50, attempts: 2, outcome: 'failed' },
      error: { code: 'no-progress', message: 'Nothing to leave out.' },
    },
    { id: 'c', reason: 'overflow', before: 50, attempts: 1, outcome: 'applied', after: 20, evicted: 4 },
  ])
})
