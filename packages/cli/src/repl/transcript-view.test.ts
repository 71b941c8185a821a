import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Segment } from './repl-screen.ts'
import { replTheme } from './repl-theme.ts'
import { MOST_LINES, TranscriptView } from './transcript-view.ts'

const theme = replTheme(false)
const draw = (segments: readonly Segment[], width = 40) =>
  new TranscriptView({ segments, unfolded: false }, theme).render(width)

const segment: fc.Arbitrary<Segment> = fc.oneof(
  fc.record({ kind: fc.constantFrom('user', 'assistant', 'reasoning', 'warning', 'notice'), text: fc.string() }),
  fc.record({ kind: fc.constant('tool'), id: fc.string(), name: fc.constant('bash'), input: fc.jsonValue() }),
)

describe('the transcript', () => {
  it('is the same whether it grew or was drawn at once', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(segment, fc.nat(3))), (changes) => {
        const view = new TranscriptView({ segments: [], unfolded: false }, theme)
        let segments: readonly Segment[] = []
        for (const [one, dropped] of changes) {
          segments = [...segments.slice(0, segments.length - Math.min(dropped, segments.length)), one]
          view.screen = { segments, unfolded: false }
          expect(view.render(40)).toEqual(draw(segments))
        }
      }),
    )
  })

  it('of a very long conversation is its newest part, and says so', () => {
    const view = new TranscriptView({ segments: [], unfolded: false }, theme)
    let segments: readonly Segment[] = []
    for (let at = 0; at < 30; at += 1) {
      const text = Array.from({ length: 1_000 }, (_, line) => `${at}.${line}`).join('\n\n')
      segments = [...segments, { kind: 'assistant', text }]
      view.screen = { segments, unfolded: false }
      const lines = view.render(80)
      expect(lines.length).toBeLessThanOrEqual(MOST_LINES + 1)
      expect(lines.at(-1)).toBe(`${at}.999`)
    }
    expect(view.render(80)[0]).toMatch(/^… \d+ earlier pieces/)
    view.screen = { segments: segments.slice(0, 1), unfolded: false }
    expect(view.render(80)[0]).toBe('0.0')
  })

  it('is drawn anew where the width changes, or calls are unfolded', () => {
    const segments: readonly Segment[] = [{ kind: 'tool', id: '1', name: 'bash', input: { command: 'ls' } }]
    const view = new TranscriptView({ segments, unfolded: false }, theme)
    expect(view.render(40)).toHaveLength(1)
    view.screen = { segments, unfolded: true }
    expect(view.render(40).length).toBeGreaterThan(1)
    expect(view.render(4)[0]).toContain('○ b')
  })
})
