import fc from 'fast-check'
import { expect, it } from 'vitest'
import { quarter } from '../engine/manifest/transcript.test-data.ts'
import { chunksOf, splitText } from './piece-chunks.ts'
import type { TranscriptPiece } from './transcript-pieces.ts'

it('a split text is whole again when it is joined, fits part by part, and no pair is torn', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), fc.integer({ min: 1, max: 40 }), (text, room) => {
      const parts = splitText(text, room, quarter)
      expect(parts.join('')).toBe(text)
      for (const one of parts) {
        expect(quarter(one)).toBeLessThanOrEqual(room)
        expect(/\p{Surrogate}/u.test(one)).toBe(false)
      }
    }),
  )
})

it('chunks hold every piece once, in order, within their room, or there are none', () => {
  const kinds = ['words', 'reply', 'call', 'result', 'injected'] as const
  const anyPiece: fc.Arbitrary<TranscriptPiece> = fc.record({
    kind: fc.constantFrom(...kinds),
    head: fc.constantFrom('user', 'assistant calls Bash'),
    text: fc.nat(30_000).map((length) => 'x'.repeat(length)),
    stays: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(anyPiece, { maxLength: 30 }), fc.integer({ min: 200, max: 5_000 }), (pieces, room) => {
      const chunks = chunksOf(pieces, { room, most: 4, estimate: quarter })
      if (chunks === undefined) return
      expect(chunks.length).toBeLessThanOrEqual(4)
      expect(chunks.reduce((sum, { count }) => sum + count, 0)).toBe(pieces.length)
      expect(chunks.flatMap(({ shown }) => shown.map(({ head }) => head.split(',')[0]))).toEqual(
        pieces.map(({ head }) => head),
      )
      for (const { shown } of chunks) {
        const tokens = shown.reduce((sum, { head, text }) => sum + quarter(head) + quarter(text), 0)
        expect(tokens).toBeLessThanOrEqual(room)
      }
    }),
  )
  expect(chunksOf([], { room: 200, most: 4, estimate: quarter })).toEqual([])
  const long = Array.from(
    { length: 100 },
    () => ({ kind: 'words', head: 'user', text: 'x'.repeat(9_000), stays: false }) as const,
  )
  expect(chunksOf(long, { room: 200, most: 4, estimate: quarter })).toBeUndefined()
})
