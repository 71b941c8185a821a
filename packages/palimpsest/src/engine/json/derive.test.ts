import { describe, expect, test } from 'vitest'
import { derive, deriveList, originOf } from './derive.ts'

describe('derive', () => {
  test('changes keys, keeps their order, takes away what becomes undefined', () => {
    const origin = Object.freeze({ a: 1, b: 2, c: 3 }) as { a: number; b?: number; c: number }
    const copy = derive(origin, { c: 4, b: undefined })
    expect(Object.entries(copy)).toEqual([
      ['a', 1],
      ['c', 4],
    ])
    expect(origin).toEqual({ a: 1, b: 2, c: 3 })
  })

  test('the mark is seen by originOf alone', () => {
    const origin = { a: { b: 1 } }
    const copy = derive(origin, {})
    expect(originOf(copy)).toBe(origin)
    expect(copy).toEqual(origin)
    expect(copy.a).toBe(origin.a)
    expect(Object.keys(copy)).toEqual(['a'])
    expect(JSON.stringify(copy)).toBe(JSON.stringify(origin))
    expect(originOf({ ...copy })).toBeUndefined()
    expect(originOf(structuredClone(copy))).toBeUndefined()
  })

  test('a copy of a copy leads back step by step', () => {
    const origin = { a: 1 }
    const once = derive(origin, { a: 2 })
    const twice = derive(once, { a: 3 })
    expect(originOf(twice)).toBe(once)
    expect(originOf(once)).toBe(origin)
    expect(originOf(origin)).toBeUndefined()
  })

  test('__proto__ is a key like any other', () => {
    const origin = JSON.parse('{"__proto__": {"x": 1}, "a": 1}') as object
    const copy = derive(origin, JSON.parse('{"__proto__": {"x": 2}}'))
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"x":2},"a":1}')
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
  })
})

describe('deriveList', () => {
  test('is a new list with a mark', () => {
    const origin = Object.freeze([1, 2, 3])
    const kept = [1, 3]
    const list = deriveList(origin, kept)
    expect(list).toEqual([1, 3])
    expect(list).not.toBe(kept)
    expect(originOf(list)).toBe(origin)
    expect(originOf(kept)).toBeUndefined()
    expect(Object.keys(list)).toEqual(['0', '1'])
  })
})
