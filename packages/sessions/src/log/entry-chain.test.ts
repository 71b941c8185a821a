import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryLog } from './arbitrary-log.ts'
import { chainEntries, verifyChain } from './entry-chain.ts'
import type { SessionEntry } from './session-entry.ts'

const at = 1_700_000_000_000

describe('a chain of entries', () => {
  it('counts up, and is that of its content: order of keys, JSON and absent fields are all the same', () => {
    const one = chainEntries(
      [
        { type: 'session-started', dialect: 'gemini', toolResults: 'full' },
        { type: 'message-appended', position: 0, item: { a: 1, b: { c: undefined, d: -0 } } },
      ],
      { after: undefined, at },
    )
    const two = chainEntries(
      [
        { toolResults: 'full', type: 'session-started', dialect: 'gemini' },
        { item: { b: { d: 0 }, a: 1 }, position: 0, type: 'message-appended' },
      ],
      { after: undefined, at },
    )
    expect(one.map(({ seq }) => seq)).toEqual([1, 2])
    expect(two.map(({ hash }) => hash)).toEqual(one.map(({ hash }) => hash))
    expect(verifyChain(JSON.parse(JSON.stringify(one)))).toBeUndefined()
  })

  it('goes on from any entry', () => {
    fc.assert(
      fc.property(arbitraryLog, fc.nat(20), (log, cut) => {
        expect(verifyChain(log)).toBeUndefined()
        const after = log[cut % log.length]
        expect(verifyChain(log.slice((cut % log.length) + 1), after)).toBeUndefined()
      }),
      { numRuns: 50 },
    )
  })

  it('is another one where anything was changed, taken away or exchanged', () => {
    fc.assert(
      fc.property(arbitraryLog, fc.nat(20), (log, place) => {
        const index = place % log.length
        const changed = log.with(index, { ...log[index], at: at - 1 } as SessionEntry)
        expect(verifyChain(changed)).toMatchObject({ seq: index + 1, reason: 'content' })
        if (index === log.length - 1) return
        expect(verifyChain(log.toSpliced(index, 1))).toMatchObject({ seq: index + 2, reason: 'place' })
        const renumbered = log.toSpliced(index, 1).map((entry, n) => ({ ...entry, seq: n + 1 }))
        expect(verifyChain(renumbered)).toMatchObject({ seq: index + 1, reason: 'content' })
      }),
      { numRuns: 50 },
    )
  })

  it('wants whole milliseconds', () => {
    expect(() => chainEntries([{ type: 'turn-started' }], { after: undefined, at: 0.5 })).toThrow(RangeError)
  })
})
