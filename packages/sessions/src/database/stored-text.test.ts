import fc from 'fast-check'
import { expect, it } from 'vitest'
import { digestOf, storedText, textOf } from './stored-text.ts'

/** What databases do not hold, and what stands for it. */
const hostile = fc.string({ unit: fc.constantFrom('\0', '\u0010', '\ud800', '\udc00', '0', 'a', 'd', '😀') })
const texts = fc.oneof(hostile, fc.string({ unit: 'binary' }))

it('every text comes back from a form that UTF-8 holds and no NUL ends', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const stored = storedText(text)
      expect(stored.isWellFormed()).toBe(true)
      expect(stored).not.toContain('\0')
      expect(textOf(stored)).toBe(text)
    }),
  )
})

it('a text that needs nothing stays as it is', () => {
  for (const text of ['', 'src/app.ts', 'é e\u0301 😀\r\n\t"\\', '\u0001']) expect(storedText(text)).toBe(text)
})

it('different strings have different digests, wherever the border between them stands', () => {
  const lists = fc.array(texts, { maxLength: 3 })
  fc.assert(
    fc.property(lists, lists, (a, b) => {
      fc.pre(JSON.stringify(a) !== JSON.stringify(b))
      expect(digestOf(...a)).not.toBe(digestOf(...b))
      expect(digestOf(...a)).toMatch(/^[0-9a-f]{64}$/)
    }),
  )
  expect(digestOf('ab', 'c')).not.toBe(digestOf('a', 'bc'))
  expect(digestOf('\ud800')).not.toBe(digestOf('\udbff'))
})
