import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deepFreeze } from '../deep-freeze.test-data.ts'
import { originOf } from '../engine/json/derive.ts'
import { parseJson } from '../engine/json/json-source.ts'
import { spliceJson } from '../engine/json/splice.ts'
import { derivedArguments, derivedJson } from './derived-json.ts'

describe('derivedJson', () => {
  test('keeps the spelling of what did not change', () => {
    const source = parseJson(
      '{"input": {"id": 12345678901234567890, "rate": 1.0, "tags": ["a", 2.50], "text": "long \\u00e9"}}',
    )
    const { input } = source.value as { readonly input: object }
    const next = derivedJson(input, { ...structuredClone(input), text: 'l' })
    expect(spliceJson(source, { input: next })).toBe(
      '{"input":{"id":12345678901234567890,"rate":1.0,"tags":["a", 2.50],"text":"l"}}',
    )
  })

  test('is the original where nothing changed, and equal to what was asked for wherever anything did', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.jsonValue({ maxDepth: 4 }), (origin, next) => {
        deepFreeze(origin)
        expect(derivedJson(origin, structuredClone(origin))).toBe(origin)
        expect(JSON.stringify(derivedJson(origin, next))).toBe(JSON.stringify(next))
        const longer = { a: origin, b: [next] }
        expect(JSON.stringify(derivedJson(longer, { a: next, b: [origin] }))).toBe(
          JSON.stringify({ a: next, b: [origin] }),
        )
      }),
      { numRuns: 1000 },
    )
  })

  test('does not derive an object whose keys stand in another order', () => {
    const next = derivedJson({ a: 1, b: 2 }, { b: 2, a: 1 }) as object
    expect(Object.keys(next)).toEqual(['b', 'a'])
    expect(originOf(next)).toBeUndefined()
  })
})

describe('derivedArguments', () => {
  test.each([
    [{ a: 1 }, '{"a":2}', { a: 2 }],
    [undefined, '{"a":2}', { a: 2 }],
    ['free text', '"free"', 'free'],
    [{ a: 1 }, '{"a":', undefined],
    [{ a: 1 }, '[1]', undefined],
    [{ a: 1 }, 'null', undefined],
    [undefined, '7', undefined],
  ])('%j told to be %s is %j', (before, text, expected) => {
    expect(derivedArguments(before, text)).toEqual(expected)
  })
})
