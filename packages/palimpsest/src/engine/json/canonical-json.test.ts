import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from './canonical-json.ts'
import { derive } from './derive.ts'

/** The same value with the keys of every object the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).map(([key, inner]) => [key, reversed(inner)])
  return Object.fromEntries(entries.toReversed())
}

describe('canonicalJson', () => {
  test('keys are sorted at every depth, lists keep their order', () => {
    expect(canonicalJson({ b: [{ d: 1, c: 2 }, 1], a: null })).toBe('{"a":null,"b":[{"c":2,"d":1},1]}')
  })

  test('the order of keys does not matter, the value does', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 2 }), fc.jsonValue({ maxDepth: 1 }), (value, other) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value))
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
        const isEqual = isDeepStrictEqual(JSON.parse(JSON.stringify(value)), JSON.parse(JSON.stringify(other)))
        expect(canonicalJson(value) === canonicalJson(other)).toBe(isEqual)
      }),
      { numRuns: 1000 },
    )
  })

  test('omitted keys leave at every depth', () => {
    const omit = new Set(['cache_control'])
    const marked = { text: 'a', cache_control: { type: 'ephemeral' }, list: [{ cache_control: 1, b: 2 }] }
    expect(canonicalJson(marked, omit)).toBe('{"list":[{"b":2}],"text":"a"}')
  })

  test('a value that says how it is written, and what is no JSON, stand as in any JSON text', () => {
    const value = { z: new Date(0), a: [undefined, Number.NaN, -0], u: undefined, t: { toJSON: (key: string) => key } }
    expect(canonicalJson(value)).toBe('{"a":[null,null,0],"t":"t","z":"1970-01-01T00:00:00.000Z"}')
    expect(canonicalJson(undefined)).toBe('')
    const around: unknown[] = []
    around.push(around)
    expect(() => canonicalJson(around)).toThrow(TypeError)
  })

  test.each([
    ['[', ']'],
    ['{"b":1,"a":', '}'],
  ])('however deep %s nests', (opening, closing) => {
    const text = (open: string) => `${open.repeat(50_000)}1${closing.repeat(50_000)}`
    const value = JSON.parse(text(opening)) as unknown
    const sorted = opening === '[' ? text('[') : `${'{"a":'.repeat(50_000)}1${',"b":1}'.repeat(50_000)}`
    expect(canonicalJson(value) === sorted).toBe(true)
  })

  test('a key __proto__ counts, the mark of a derived copy does not', () => {
    const value = JSON.parse('{"b": 1, "__proto__": {"a": 1}}') as object
    expect(canonicalJson(value)).toBe('{"__proto__":{"a":1},"b":1}')
    expect(canonicalJson(derive(value, {}))).toBe(canonicalJson(value))
  })
})
