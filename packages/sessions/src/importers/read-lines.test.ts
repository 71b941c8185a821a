import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { endOfValue, type Line, linesOf, readLines } from './read-lines.ts'
import { chunked } from './session-text.test-data.ts'

describe('lines of a stream', () => {
  test('end with LF or CRLF, the last one with nothing; blank ones are counted, not delivered', async () => {
    const lines = await read('one\r\n\n  \ntwo\n\0\0\nlast', 3)
    expect(lines).toEqual([
      { number: 1, text: 'one' },
      { number: 4, text: 'two' },
      { number: 6, text: 'last' },
    ])
  })

  test('a byte order mark goes at the start of the file, and only there', async () => {
    expect(await read('\ufeffa\n\ufeffb', 1)).toEqual([
      { number: 1, text: 'a' },
      { number: 2, text: '\ufeffb' },
    ])
    expect([...linesOf('\ufeffa\n\ufeffb')]).toEqual(await read('\ufeffa\n\ufeffb', 1))
  })

  test('bytes that are no UTF-8 become replacement characters', async () => {
    const [line, next] = await collected(chunked(new Uint8Array([0x61, 0xff, 0xc3, 0x0a, 0x62]), 2))
    expect(line?.text).toBe('a\ufffd\ufffd')
    expect(next?.text).toBe('b')
  })

  test('a line may be longer than any chunk', async () => {
    const long = 'é'.repeat(300_000)
    expect(await read(`${long}\nend`, 65_536)).toEqual([
      { number: 1, text: long },
      { number: 2, text: 'end' },
    ])
  })

  test('an empty stream has none', async () => {
    expect(await read('', 1)).toEqual([])
    expect([...linesOf('')]).toEqual([])
  })

  test('a source may use its buffer again after each chunk', async () => {
    async function* reusing(): AsyncGenerator<Uint8Array> {
      const buffer = new Uint8Array(2)
      for (const pair of ['ab', 'cd', '\ne']) {
        buffer.set(new TextEncoder().encode(pair))
        yield buffer
      }
    }
    expect((await collected(reusing())).map(({ text }) => text)).toEqual(['abcd', 'e'])
  })

  test('progress adds up to the bytes of the stream', async () => {
    let bytes = 0
    for await (const _line of readLines(chunked('äö\nü', 2), (read) => (bytes += read)));
    expect(bytes).toBe(7)
  })

  test('law: however the bytes are cut, the lines are those of the text', async () => {
    const texts = fc
      .array(fc.constantFrom('a', 'é', '漢', '😀', '\n', '\r\n', ' ', '"', '\ufeff'))
      .map((parts) => parts.join(''))
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 7 }), async (text, size) => {
        expect(await read(text, size)).toEqual([...linesOf(text)])
      }),
      { numRuns: 200 },
    )
  })
})

describe('end of a value', () => {
  test('is behind its last bracket; brackets and quotes inside strings do not count', () => {
    expect(endOfValue('{"a":"}\\"}{","b":[1]}rest', 0)).toBe('{"a":"}\\"}{","b":[1]}'.length)
  })

  test('is the end of the text where it does not close', () => {
    expect(endOfValue('{"a":"torn', 0)).toBe(10)
    expect(endOfValue('{"a":[{}', 0)).toBe(8)
  })

  test('law: of two objects written together, the first is found whole', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()), (a, b) => {
        const first = JSON.stringify(a)
        expect(endOfValue(first + JSON.stringify(b), 0)).toBe(first.length)
      }),
      { numRuns: 200 },
    )
  })
})

async function read(text: string, size: number): Promise<Line[]> {
  return collected(chunked(text, size))
}

async function collected(source: AsyncIterable<Uint8Array>): Promise<Line[]> {
  const lines: Line[] = []
  for await (const line of readLines(source)) lines.push(line)
  return lines
}
