import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
// @ts-expect-error a script without types
import { CALLERS, play, prefixBreaks } from './prompt-cache.mjs'
// @ts-expect-error a script without types
import { generatedRun, recordedRuns } from './recorded-runs.mjs'

const CORPUS = join(import.meta.dirname, '../../shared/corpus')
const MADE_UP = generatedRun({ calls: 40 })

/** The caller of that name, in a window that the session does not fit. */
function caller(name: string, window: number) {
  const found = CALLERS.find((one: { readonly name: string }) => one.name === name)
  return { window, ...found }
}

describe('prompt caching', () => {
  it.each(['palimpsest, both', 'palimpsest, its marks'])('breaks no prefix but by a compaction: %s', async (name) => {
    const { calls, refused, compactions, breaks } = await play(MADE_UP, caller(name, 40_000))
    expect({ calls, refused }).toEqual({ calls: MADE_UP.steps.length, refused: 0 })
    expect(compactions).toBeGreaterThan(1)
    expect(breaks).toBeLessThanOrEqual(compactions)
  })

  it('breaks no prefix of a recorded session but by a compaction', async ({ skip }) => {
    skip(!existsSync(CORPUS), 'no recorded sessions lie beside the repository')
    const [session] = recordedRuns({ corpus: CORPUS, leastCalls: 60, mostSessions: 1, mostCalls: 60 })
    const { calls, refused, compactions, breaks } = await play(session, caller('palimpsest, both', 40_000))
    expect({ calls, refused }).toEqual({ calls: session.steps.length, refused: 0 })
    expect(compactions).toBeGreaterThan(0)
    expect(breaks).toBeLessThanOrEqual(compactions)
  })

  it('counts the breaks of a policy that trims at every step, and what caching saves', async () => {
    const trimmed = await play(MADE_UP, caller("pruneMessages, caller's marks", 40_000))
    expect(trimmed.breaks).toBeGreaterThan(MADE_UP.steps.length / 2)
    const plain = await play(MADE_UP, caller('palimpsest, no marks', 40_000))
    const cached = await play(MADE_UP, caller("palimpsest, caller's marks", 40_000))
    expect(plain).toMatchObject({ read: 0, written: 0 })
    expect(cached.read).toBeGreaterThan(cached.input / 2)
  })

  it('takes a prompt that goes on for no break, whatever its marks, and any other for one', () => {
    const { see } = prefixBreaks()
    const text = (words: string, marks = {}) => ({ role: 'user', content: [{ type: 'text', text: words, ...marks }] })
    expect(see({ messages: [text('a', { cache_control: { type: 'ephemeral' } })] })).toBe(false)
    expect(see({ messages: [text('a'), text('b')] })).toBe(false)
    expect(see({ messages: [text('a')] })).toBe(true)
    expect(see({ messages: [text('x'), text('b')] })).toBe(true)
  })
})
