import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyEdits, type TextEdit } from './apply-edits.ts'

const edit = (before: string, after: string): TextEdit => ({ before, after })

describe('edits of a text', () => {
  it('of n unique texts are the operation on strings', () => {
    const word = fc
      .string({ unit: 'grapheme', maxLength: 5 })
      .map((text) => text.replaceAll('\r', '').replaceAll('§', ''))
    const pieces = fc.array(fc.tuple(word, word), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(pieces, fc.constantFrom('\n' as const, '\r\n' as const), (filling, end) => {
        const before = filling.map(([piece], at) => `${piece}${end}§${at}§${end}`).join('')
        const expected = filling.map(([piece, put]) => `${piece}${end}${put.replaceAll('\n', end)}${end}`).join('')
        const edits = filling.map(([, put], at) => edit(`§${at}§`, put))
        expect(applyEdits(before, edits, end)).toBe(expected)
        expect(applyEdits(before, edits.toReversed(), end)).toBe(expected)
      }),
    )
  })

  it('everywhere are replaceAll, what is between left as it is', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'ab', '\n'), { maxLength: 30 }).map((units) => units.join(''))
    fc.assert(
      fc.property(text, fc.constantFrom('a', 'ab', 'aa', 'b\na'), (before, wanted) => {
        fc.pre(before.includes(wanted))
        const everywhere = { before: wanted, after: '<$&>', everywhere: true }
        expect(applyEdits(before, [everywhere], '\n')).toBe(before.replaceAll(wanted, () => '<$&>'))
      }),
    )
  })

  it.each([
    ['a\r\nb\r\nc\r\n', 'a\nb', 'x\ny\nz', 'x\r\ny\r\nz\r\nc\r\n'],
    ['a\r\nb\r\nc\n', 'b\nc', 'B\nC', 'a\r\nB\r\nC\n'],
    ['a\r\nb\r\n', 'a\r\n', '', 'b\r\n'],
    ['\r\n\r\na\r\n', '\na', '\nb', '\r\n\r\nb\r\n'],
  ])('keep CRLF: %j, %j for %j', (text, before, after, result) => {
    expect(applyEdits(text, [edit(before, after)], '\r\n')).toBe(result)
  })

  it('find what was quoted with other line ends than the file has', () => {
    expect(applyEdits('a\nb\nc', [edit('a\r\nb', 'x')], '\n')).toBe('x\nc')
  })

  it.each([
    ['a\nb\na\na', 'a', 'old_text occurs 3 times, in lines 1, 3, 4.'],
    ['aaa', 'aa', 'occurs 2 times'],
    [
      'if (x) {\n\treturn 1\n}',
      'if (x) {\n  return 1\n}',
      'Lines 1 to 3 differ only in white space. They are, exactly:\nif (x) {\n\treturn 1\n}',
    ],
    ['one\ntwo\nthree', 'two\nfour', 'Its first line is line 2; what follows there differs:\ntwo\nthree'],
    ['one\ntwo', '2→two', 'leave out each number'],
    ['one', 'nothing', 'Read the file again'],
    ['one', '', 'old_text is empty'],
  ])('say of %j why %j does not fit', (text, before, message) => {
    expect(() => applyEdits(text, [edit(before, 'new')], '\n')).toThrow(message)
  })

  it.each([
    ['many places, each long', 'a'.repeat(1_000_000), 'a'.repeat(500_000), 'occurs 1000 or more times, in lines 1, …'],
    ['many lines that are almost it', 'a\n'.repeat(100_000), `${' a\n'.repeat(50_000)}y`, 'Its first line is line 1'],
    ['nothing but lines', '\n'.repeat(200_000), `${'\n'.repeat(100_000)}1→y`, 'Read the file again'],
  ])('do not take forever over %s', (_, text, before, message) => {
    expect(() => applyEdits(text, [edit(before, 'new')], '\n')).toThrow(message)
  })

  it('are made all, or none, and say which one failed', () => {
    expect(() => applyEdits('a b', [edit('a', 'x'), edit('c', 'y')], '\n')).toThrow(
      'Edit 2 of 2: old_text is not in the file.',
    )
  })
})
