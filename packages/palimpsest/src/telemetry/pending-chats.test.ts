import type { Span } from '@opentelemetry/api'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PendingChats } from './pending-chats.ts'

/** Only told apart, never used. */
const [TURN, OTHER] = [{}, {}] as [Span, Span]

describe('G1 the chat that comes next after a compaction', () => {
  it('is found by its session or by its turn, once', () => {
    const pending = new PendingChats()
    pending.add('a', TURN)
    expect(pending.take({ session: 'b', turn: OTHER })).toBe(false)
    expect(pending.take({ session: 'b', turn: TURN })).toBe(true)
    expect(pending.take({ session: 'a', turn: TURN })).toBe(false)
    pending.add('a', undefined)
    expect(pending.take({ turn: TURN })).toBe(false)
    expect(pending.take({})).toBe(false)
    expect(pending.take({ session: 'a' })).toBe(true)
    expect(pending.any).toBe(false)
  })

  it('is told once for each compaction that no other of its session follows, whatever the order', () => {
    const session = fc.constantFrom('a', 'b', 'c')
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('add', 'take'), session)), (moves) => {
        const pending = new PendingChats()
        const expected = new Set<string>()
        for (const [move, name] of moves) {
          if (move === 'add') pending.add(name, undefined)
          else expect(pending.take({ session: name })).toBe(expected.has(name))
          if (move === 'add') expected.add(name)
          else expected.delete(name)
        }
        expect(pending.any).toBe(expected.size > 0)
      }),
    )
  })

  it('is forgotten for the oldest of very many sessions that never call again', () => {
    const pending = new PendingChats()
    for (let at = 0; at <= 1_000; at++) pending.add(`session ${at}`, undefined)
    expect(pending.take({ session: 'session 0' })).toBe(false)
    expect(pending.take({ session: 'session 1' })).toBe(true)
    expect(pending.take({ session: 'session 1000' })).toBe(true)
  })
})
