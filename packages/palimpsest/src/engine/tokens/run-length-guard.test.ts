import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from './estimator-texts.test-data.ts'
import { countInPieces } from './run-length-guard.ts'

/** The pieces that a counter gets. */
function piecesOf(text: string): readonly string[] {
  const pieces: string[] = []
  countInPieces(text, (piece) => pieces.push(piece))
  return pieces
}

describe('what the counter gets', () => {
  it('is the text itself as long as no run is longer than 512 code units', () => {
    const line = `${'word '.repeat(400)}\n`.repeat(20)
    expect(piecesOf(line)).toEqual([line])
    expect(piecesOf('a'.repeat(511))).toHaveLength(1)
    expect(piecesOf('')).toEqual([])
  })

  it.each([
    ['letters', 'ab'],
    ['Han', '資料'],
    ['digits', '12'],
    ['spaces and tabs', ' \t'],
    ['newlines', '\r\n'],
    ['other characters', '-='],
  ])('is cut at every 512 units of %s', (_name, bit) => {
    expect(piecesOf(bit.repeat(600)).map((piece) => piece.length)).toEqual([512, 512, 176])
  })

  it('a piece ends behind a surrogate pair, never inside one', () => {
    expect(piecesOf(`${'a'.repeat(511)}${'😀'.repeat(300)}`).map((piece) => piece.length)).toEqual([513, 512, 86])
  })

  it('is the whole text, whatever it is', () => {
    fc.assert(
      fc.property(anyText(10), fc.integer({ min: 1, max: 200 }), (bit, times) => {
        const text = bit.repeat(times)
        expect(piecesOf(text).join('')).toBe(text)
      }),
      { numRuns: 1000 },
    )
  })

  it('sums what the counter says', () => {
    expect(countInPieces('x'.repeat(2000), (piece) => piece.length)).toBe(2000)
  })
})
