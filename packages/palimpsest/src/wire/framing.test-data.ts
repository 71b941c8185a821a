import fc from 'fast-check'
import { expect } from 'vitest'
import { type Framed, type Framing, joinBytes } from './framing.ts'

const encoder = new TextEncoder()

/** UTF-8. */
export function bytes(text: string): Uint8Array {
  return encoder.encode(text)
}

/** All stretches of a stream that comes in these pieces. */
export function frameAll<Content>(
  framing: Framing<Content>,
  pieces: readonly Uint8Array[],
): readonly Framed<Content>[] {
  return [...pieces.flatMap((piece) => framing.push(piece)), ...framing.end()]
}

export function contents<Content>(framed: readonly Framed<Content>[]): readonly Content[] {
  return framed.flatMap(({ content }) => (content === undefined ? [] : [content]))
}

/** The law of framings: however a stream is cut, it says the same, and its stretches are its bytes. */
export function cutsMakeNoDifference<Content>(
  streams: fc.Arbitrary<Uint8Array>,
  make: () => Framing<Content>,
  expected?: (stream: Uint8Array) => readonly Content[],
): void {
  const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 })
  fc.assert(
    fc.property(streams, fc.oneof(cuts, fc.constant('bytes' as const)), (stream, where) => {
      const whole = frameAll(make(), [stream])
      const cut = frameAll(make(), cutAt(stream, where))
      expect(contents(cut)).toEqual(contents(whole))
      expect(joinBytes(whole.map(({ raw }) => raw))).toEqual(stream)
      expect(joinBytes(cut.map(({ raw }) => raw))).toEqual(stream)
      if (expected !== undefined) expect(contents(whole)).toEqual(expected(stream))
    }),
    { numRuns: 1000 },
  )
}

function cutAt(stream: Uint8Array, where: readonly number[] | 'bytes'): readonly Uint8Array[] {
  const places =
    where === 'bytes'
      ? Array.from(stream, (_, at) => at)
      : where.map((share) => Math.floor(share * stream.length)).sort((one, other) => one - other)
  const bounds = [0, ...places, stream.length]
  return bounds.slice(1).map((end, index) => stream.subarray(bounds[index], end))
}
