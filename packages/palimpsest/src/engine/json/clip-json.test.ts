import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ClipOptions, clipJson, clipJsonText } from './clip-json.ts'
import { originOf } from './derive.ts'
import { writtenJson } from './json-text.test-data.ts'

const marker = (cut: number) => `[${cut} more]`
const options: ClipOptions = { maxStringChars: 40, marker }
const long = 'abcdefghij'.repeat(20)

/** Types and keys of a value, without what they hold. */
function shape(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shape)
  if (value === null || typeof value !== 'object') return value === null ? 'null' : typeof value
  return Object.entries(value).map(([key, inner]) => [key, shape(inner)])
}

/** The strings in a value, keys apart, in order. */
function stringsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return value === null || typeof value !== 'object' ? [] : Object.values(value).flatMap(stringsOf)
}

describe('clipJson', () => {
  test('TC-36 arguments stay JSON of the same shape, well-formed, and are marked', () => {
    const content = '🧑‍🚀é漢𝔘'.repeat(100)
    for (let maxStringChars = 100; maxStringChars <= 116; maxStringChars++) {
      const argument = { path: 'a.ts', edits: [{ content, line: 3, all: true }], none: null }
      const clipped = clipJsonText(JSON.stringify(argument), { maxStringChars, marker }) ?? ''
      const value = JSON.parse(clipped) as typeof argument
      expect(shape(value)).toEqual(shape(argument))
      expect(value.edits[0]?.content.length).toBeLessThanOrEqual(maxStringChars)
      expect(value.edits[0]?.content).toMatch(/\[\d+ more\]/)
      expect(clipped).not.toMatch(/\p{Surrogate}|\ufffd/u)
      expect({ ...value, edits: [{ ...value.edits[0], content }] }).toEqual(argument)
    }
  })

  test('shape, length of strings, and everything short, for any value', () => {
    const anyJson = fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' })
    fc.assert(
      fc.property(anyJson, fc.integer({ min: 0, max: 12 }), (value, maxStringChars) => {
        const clipped = clipJson(value, { maxStringChars, marker: (cut) => `+${cut}` })
        expect(shape(clipped)).toEqual(shape(value))
        const [before, after] = [stringsOf(value), stringsOf(clipped)]
        expect(after.map((text) => text.length > maxStringChars)).not.toContain(true)
        expect(before.filter((text, i) => text.length <= maxStringChars && text !== after[i])).toEqual([])
      }),
      { numRuns: 1000 },
    )
  })

  test('what needs no cut is shared, what is cut is derived', () => {
    const value = { short: { a: ['b'] }, deep: { list: [1, { text: long }] } }
    const clipped = clipJson(value, options) as typeof value
    expect(clipped.short).toBe(value.short)
    expect(originOf(clipped)).toBe(value)
    expect(originOf(clipped.deep.list)).toBe(value.deep.list)
    expect(clipJson(value.short, options)).toBe(value.short)
  })

  test('lists over a stated maximum keep their first elements', () => {
    const value = { list: [1, 2, 3, 4], short: [1] }
    expect(clipJson(value, { ...options, maxItems: 2 })).toEqual({ list: [1, 2], short: [1] })
    expect(clipJson(value, options)).toBe(value)
  })

  test.each(['{"a":', '['])('what nests very deep in %s is left as it is', (opening) => {
    const value = JSON.parse(`${opening.repeat(3000)}"${long}"${(opening === '[' ? ']' : '}').repeat(3000)}`) as object
    expect(clipJson(value, options)).toBe(value)
    const beside = { text: long, value }
    expect(clipJson(beside, options)).toBe(beside)
  })

  test('a key __proto__ stays a key', () => {
    const clipped = clipJson(JSON.parse(`{"__proto__":{"a":"${long}"}}`), options)
    expect(JSON.stringify(clipped)).toMatch(/^{"__proto__":{"a":"abc.*more.*hij"}}$/)
  })
})

describe('clipJsonText', () => {
  test('what is not cut keeps its spelling', () => {
    const text = `{ "id": 12345678901234567890, "n": 1.0, "s": "\\u00e9", "content": "${long}" }`
    expect(clipJsonText(text, options)).toMatch(
      /^{"id":12345678901234567890,"n":1\.0,"s":"\\u00e9","content":"[^"]{40}"}$/,
    )
  })

  test('text without long strings is the same text', () => {
    fc.assert(
      fc.property(writtenJson, ({ text }) => {
        expect(clipJsonText(text, { maxStringChars: 10_000, marker })).toBe(text)
      }),
      { numRuns: 1000 },
    )
  })

  test('no JSON, no answer', () => {
    expect(clipJsonText('{"cmd": "ls', options)).toBeUndefined()
    expect(clipJsonText('', options)).toBeUndefined()
  })
})
