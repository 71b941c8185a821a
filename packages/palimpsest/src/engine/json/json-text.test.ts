import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jsonBytes } from './json-bytes.ts'
import { jsonText, writtenJson } from './json-text.ts'

describe('jsonText', () => {
  test('what is written without recursion is what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.anything({ withDate: true, withSparseArray: true, withNullPrototype: true }), (value) => {
        expect(writtenJson(value, Object.keys)).toBe(JSON.stringify(value))
      }),
      { numRuns: 1000 },
    )
  })

  test('a text that nests deeper than JSON.stringify goes', () => {
    const text = `{"a":${'['.repeat(100_000)}"é"${']'.repeat(100_000)},"b":[]}`
    const value = JSON.parse(text) as unknown
    expect(jsonText(value) === text).toBe(true)
    expect(jsonBytes(value)).toBe(text.length + 1)
  })

  test('a value that contains itself has none', () => {
    const around: Record<string, unknown> = {}
    around.around = around
    expect(() => jsonText(around)).toThrow(TypeError)
    expect(() => writtenJson(around, Object.keys)).toThrow(TypeError)
  })
})
