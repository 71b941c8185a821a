import { describe, expect, test } from 'vitest'
import { PrefixCache, type SizedBlock } from './prefix-cache.ts'

/** `a100 b100* c50h`: blocks by name with their tokens; `*` is a mark of five minutes, `h` one of an hour. */
function prompt(notation: string): readonly SizedBlock[] {
  return notation.split(' ').map((word) => {
    const [, text = '', tokens, mark] = /^([a-z]+)(\d+)([*h]?)$/.exec(word) ?? []
    const seconds = mark === '*' ? { cacheSeconds: 300 } : mark === 'h' ? { cacheSeconds: 3600 } : {}
    return { block: { text, ...seconds }, tokens: Number(tokens) }
  })
}

class Clock {
  seconds = 0
  readonly now = () => this.seconds * 1000
}

function cache(options: { readonly minTokens?: number; readonly seconds?: number } = {}) {
  const clock = new Clock()
  const one = new PrefixCache({ minTokens: 100, ...options, now: clock.now })
  const use = (caches: 'marks' | 'automatic', notation: string, scope = 'm') => {
    const { read, write } = one.use(prompt(notation), { scope, caches })
    return `${read} read, ${write} written`
  }
  return { clock, marks: use.bind(undefined, 'marks'), automatic: use.bind(undefined, 'automatic') }
}

describe('at marks', () => {
  test('nothing without a mark', () => {
    const { marks } = cache()
    expect([marks('a500 b500'), marks('a500 b500')]).toEqual(['0 read, 0 written', '0 read, 0 written'])
  })

  test('written to the last mark; read from the longest entry at a mark or before it', () => {
    const { marks } = cache()
    expect(marks('a500* b500 c10')).toBe('0 read, 500 written')
    expect(marks('a500 b500 c10* d5')).toBe('500 read, 510 written')
    expect(marks('a500 b500 c10 d5 e5*')).toBe('1010 read, 10 written')
  })

  test('anything else before it is another prefix', () => {
    const { marks } = cache()
    marks('a500 b500*')
    expect(marks('x500 b500*')).toBe('0 read, 1000 written')
    expect(marks('a500 b500*', 'another model')).toBe('0 read, 1000 written')
  })

  test('an entry is looked for at most 20 blocks before a mark', () => {
    const { marks } = cache()
    const more = (count: number) => 'b1 '.repeat(count - 1)
    marks('a500*')
    expect(marks(`a500 ${more(20)}c1*`)).toBe('500 read, 20 written')
    const far = cache()
    far.marks('a500*')
    expect(far.marks(`a500 ${more(21)}c1*`)).toBe('0 read, 521 written')
    expect(far.marks(`a500* ${more(25)}d1*`)).toBe('500 read, 25 written')
  })

  test('less than the minimum is not cached', () => {
    const { marks } = cache()
    expect([marks('a99*'), marks('a99*')]).toEqual(['0 read, 0 written', '0 read, 0 written'])
    expect([marks('a100*'), marks('a100*')]).toEqual(['0 read, 100 written', '100 read, 0 written'])
  })

  test('an entry lives for its time after its last use', () => {
    const { clock, marks } = cache()
    marks('a500*')
    clock.seconds = 299
    expect(marks('a500 b10*')).toBe('500 read, 10 written')
    clock.seconds = 598
    expect(marks('a500*')).toBe('500 read, 0 written')
    clock.seconds = 898
    expect(marks('a500h')).toBe('0 read, 500 written')
    clock.seconds = 898 + 3599
    expect(marks('a500*')).toBe('500 read, 0 written')
    clock.seconds += 3599
    expect(marks('a500*')).toBe('500 read, 0 written')
  })
})

describe('by itself', () => {
  test('the longest prefix seen, in steps of 128', () => {
    const { automatic } = cache({ minTokens: 1024 })
    expect(automatic('a1000 b100 c10')).toBe('0 read, 0 written')
    expect(automatic('a1000 b100 d10')).toBe('1024 read, 0 written')
    expect(automatic('a1000 x500')).toBe('0 read, 0 written')
    expect(automatic('a1000 x500 c10')).toBe('1408 read, 0 written')
  })

  test('its time is that of the options', () => {
    const { clock, automatic } = cache({ seconds: 60 })
    automatic('a1000')
    clock.seconds = 59
    expect(automatic('a1000 b1')).toBe('896 read, 0 written')
    clock.seconds = 119
    expect(automatic('a1000')).toBe('0 read, 0 written')
  })
})
