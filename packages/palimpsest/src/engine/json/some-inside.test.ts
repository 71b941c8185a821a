import { expect, test } from 'vitest'
import { someInside } from './some-inside.ts'

test('finds what is there, at any depth, and ends in a cycle', () => {
  const isSeven = (value: unknown) => value === 7
  expect(someInside({ a: [1, { b: 7 }] }, isSeven)).toBe(true)
  expect(someInside(7, isSeven)).toBe(true)
  expect(someInside({ a: [1, { b: '7' }, null] }, isSeven)).toBe(false)
  expect(someInside(JSON.parse(`${'['.repeat(50_000)}7${']'.repeat(50_000)}`), isSeven)).toBe(true)
  const around: Record<string, unknown> = {}
  around.around = around
  expect(someInside(around, isSeven)).toBe(false)
})
