import { describe, expect, it } from 'vitest'
// @ts-expect-error a script without types
import { COLUMNS, play, run } from './agent-session.mjs'

const SMALL = { steps: 60, stepsPerTurn: 20, early: 20, edge: 20, window: 24_000 }

describe('a long session of the agent', () => {
  it('is compacted again and again, and reads nearly all from the cache', async () => {
    const { times, compactions, failures, refused, heaps, input, read } = await play('memory', SMALL)
    expect(times).toHaveLength(SMALL.steps)
    expect({ failures, refused }).toEqual({ failures: [], refused: 0 })
    expect(compactions).toBeGreaterThan(2)
    expect(read / input).toBeGreaterThan(0.7)
    expect(heaps).toHaveLength(2)
    expect(heaps[1].transcript).toBeGreaterThan(heaps[0].transcript * 2)
  })

  it('is one row in a table', async () => {
    const { rows } = await run({ ...SMALL, steps: 20, kinds: ['sqlite'] })
    expect(rows).toHaveLength(1)
    expect(rows[0]).toHaveLength(COLUMNS.length)
    expect(rows[0].slice(0, 2)).toEqual(['sqlite', 20])
  })
})
