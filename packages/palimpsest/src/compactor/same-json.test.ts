import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sameJson } from './same-json.ts'

describe('sameJson', () => {
  it('holds exactly of values with equal JSON, whatever order their fields have', () => {
    const value = fc.jsonValue({ maxDepth: 4 })
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(sameJson(a, structuredClone(a))).toBe(true)
        expect(sameJson(a, b)).toBe(sorted(a) === sorted(b))
      }),
      { numRuns: 1000 },
    )
  })

  it('takes a field without a value for none', () => {
    expect(sameJson({ a: 1, b: undefined }, { a: 1 })).toBe(true)
    expect(sameJson({ a: 1 }, { a: 1, b: undefined })).toBe(true)
    expect(sameJson({ a: undefined, c: 1 }, { b: undefined, c: 1 })).toBe(true)
    expect(sameJson({ a: 1, b: undefined }, { a: 1, c: 2 })).toBe(false)
    expect(sameJson({ b: undefined }, { b: null })).toBe(false)
  })

  it('however deep they nest', () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const deep = (inner: string) => JSON.parse(`${open.repeat(20_000)}${inner}${close.repeat(20_000)}`) as unknown
      expect(sameJson(deep('{"b":1,"c":2}'), deep('{"c":2,"b":1}'))).toBe(true)
      expect(sameJson(deep('{"b":1,"c":2}'), deep('{"c":2,"b":2}'))).toBe(false)
    }
  })

  it('tells lists from objects', () => {
    expect(sameJson([], {})).toBe(false)
    expect(sameJson({ 0: 'a' }, ['a'])).toBe(false)
    expect(sameJson([1, 2], [1])).toBe(false)
  })
})

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  )
}
