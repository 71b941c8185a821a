import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytes, contents, cutsMakeNoDifference, frameAll } from './framing.test-data.ts'
import { jsonArrayElements } from './json-array-elements.ts'

const values = fc.jsonValue({ maxDepth: 3 })
const spaces = fc.constantFrom('', ' ', '\n', '\r\n\t')

const arrays = fc.record({ elements: fc.array(values, { maxLength: 5 }), space: spaces, indent: fc.constantFrom(0, 2) })

describe('the elements of a JSON array', () => {
  it('are those that JSON.parse finds, however the stream is cut', () => {
    const streams = arrays.map(({ elements, space, indent }) => {
      const list = elements.map((element) => JSON.stringify(element, undefined, indent))
      return bytes(`${space}[${space}${list.join(`${space},${space}`)}${space}]${space}`)
    })
    cutsMakeNoDifference(
      streams,
      () => jsonArrayElements(),
      (stream) => {
        const parsed = JSON.parse(new TextDecoder().decode(stream)) as unknown[]
        const found = contents(frameAll(jsonArrayElements(), [stream]))
        expect(found.map((element) => JSON.parse(element))).toEqual(parsed)
        return found
      },
    )
  })

  it('of a document that is no array are the document', () => {
    fc.assert(
      fc.property(
        values.filter((value) => !Array.isArray(value)),
        spaces,
        (value, space) => {
          const framed = frameAll(jsonArrayElements(), [bytes(`\ufeff${space}${JSON.stringify(value)}${space}`)])
          expect(contents(framed).map((element) => JSON.parse(element))).toEqual([JSON.parse(JSON.stringify(value))])
        },
      ),
    )
  })

  it('any bytes pass unchanged', () => {
    const streams = fc
      .array(fc.constantFrom('[', ']', '{', '}', ',', '"', '\\', '1', ' ', 'é'), { maxLength: 30 })
      .map((parts) => bytes(parts.join('')))
    cutsMakeNoDifference(streams, () => jsonArrayElements())
    cutsMakeNoDifference(streams, () => jsonArrayElements({ maxItemBytes: 4 }))
    cutsMakeNoDifference(fc.uint8Array({ maxLength: 60 }), () => jsonArrayElements())
  })

  it('come out with their last byte, each with what stands before it', () => {
    const elements = jsonArrayElements()
    expect(elements.push(bytes('[{"a":"]}"'))).toEqual([])
    expect(elements.push(bytes('}\r\n,'))).toEqual([{ raw: bytes('[{"a":"]}"}'), content: '{"a":"]}"}' }])
    expect(elements.push(bytes('\r\n{}]'))).toEqual([{ raw: bytes('\r\n,\r\n{}'), content: '{}' }])
    expect(elements.end()).toEqual([{ raw: bytes(']') }])
  })

  it('that are cut are no element', () => {
    expect(contents(frameAll(jsonArrayElements(), [bytes('[{"a":1},{"b":')]))).toEqual(['{"a":1}'])
  })
})
