import { expect, it } from 'vitest'
import { formatBytes, formatCount, formatFloor, formatShare, formatShort, plural } from './format-number.ts'

it.each([
  [0, '0'],
  [999, '999'],
  [1_000, '1,000'],
  [1_234_567.4, '1,234,567'],
  [-45_000, '-45,000'],
])('count %d', (value, text) => expect(formatCount(value)).toBe(text))

it.each([
  [0, '0'],
  [999.9, '999'],
  [169_648, '169.6k'],
  [169_999, '169.9k'],
  [170_000, '170.0k'],
  [999_999, '999.9k'],
  [1_048_999, '1.048M'],
])('rounded down %d', (value, text) => expect(formatFloor(value)).toBe(text))

it.each([
  [0, '0'],
  [999.4, '999'],
  [999.6, '1k'],
  [1_234, '1.23k'],
  [9_999, '10k'],
  [12_345, '12.3k'],
  [99_960, '100k'],
  [200_000, '200k'],
  [999_940, '1000k'],
  [999_960, '1M'],
  [1_048_576, '1.05M'],
  [-12_345, '-12.3k'],
])('short %d', (value, text) => expect(formatShort(value)).toBe(text))

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [14_230, '14.2 kB'],
  [999_600, '1 MB'],
  [1_280_000, '1.28 MB'],
])('bytes %d', (value, text) => expect(formatBytes(value)).toBe(text))

it.each([
  [0, '0%'],
  [0.001, '<1%'],
  [0.854, '85%'],
  [1, '100%'],
])('share %d', (value, text) => expect(formatShare(value)).toBe(text))

it('counts things', () => {
  expect([plural(1, 'step'), plural(0, 'step'), plural(1_200, 'batch', 'batches')]).toEqual([
    '1 step',
    '0 steps',
    '1,200 batches',
  ])
})
