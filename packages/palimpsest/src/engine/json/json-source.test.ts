import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PalimpsestError } from '../errors.ts'
import { parseJson } from './json-source.ts'
import { writtenJson } from './json-text.test-data.ts'

function refusal(text: string): PalimpsestError {
  try {
    parseJson(text)
  } catch (error) {
    if (error instanceof PalimpsestError) return error
    throw error
  }
  throw new Error(`accepted: ${text}`)
}

describe('what is JSON', () => {
  test('is read, and its text kept', () => {
    expect(parseJson(' {"a": 1.0} ')).toEqual({ text: ' {"a": 1.0} ', value: { a: 1 } })
  })

  test('a byte order mark in front is left out', () => {
    expect(parseJson('\ufeff[1]')).toEqual({ text: '[1]', value: [1] })
  })
})

describe('what is not JSON', () => {
  test.each([
    ['', 'Not JSON at line 1, column 1, in the outermost value: expected a value, found the end of the text.'],
    ['{"a":1', "Not JSON at line 1, column 7, in /a: expected ',' or '}', found the end of the text."],
    ['{\n "a": [1,\n 2,, 3]}', 'Not JSON at line 3, column 4, in /a/2: expected a value, found ",".'],
    ['[1,]', 'Not JSON at line 1, column 4, in /1: expected a value, found "]".'],
    ['{"a":1,}', 'Not JSON at line 1, column 8, in the outermost value: expected a key in double quotes, found "}".'],
    [
      "{'a':1}",
      "Not JSON at line 1, column 2, in the outermost value: expected a key in double quotes or '}', found \"'\".",
    ],
    ['{"a" 1}', 'Not JSON at line 1, column 6, in /a: expected \':\', found "1".'],
    ['{"a~b/c":{"d":tru}}', 'Not JSON at line 1, column 15, in /a~0b~1c/d: expected a value, found "t".'],
    ['[01]', "Not JSON at line 1, column 3, in /0: expected ',' or ']', found \"1\"."],
    ['[1.]', "Not JSON at line 1, column 3, in /0: expected ',' or ']', found \".\"."],
    ['["a\nb"]', 'Not JSON at line 1, column 4, in /0: expected an escape for the control character, found "\\n".'],
    ['["\\x"]', 'Not JSON at line 1, column 3, in /0: expected a valid escape, found "\\\\".'],
    [
      '["abc',
      "Not JSON at line 1, column 6, in /0: expected '\"' at the end of the string, found the end of the text.",
    ],
    ['{} {}', 'Not JSON at line 1, column 4, in the outermost value: expected nothing behind the value, found "{".'],
    ['<html>', 'Not JSON at line 1, column 1, in the outermost value: expected a value, found "<".'],
    ['[NaN]', 'Not JSON at line 1, column 2, in /0: expected a value, found "N".'],
  ])('%j', (text, message) => {
    const error = refusal(text)
    expect(error.code).toBe('invalid-input')
    expect(error.message).toBe(message)
  })

  test('every text that the engine refuses gets a place inside it', () => {
    const broken = fc
      .tuple(writtenJson, fc.nat(), fc.constantFrom('', ',', '"', '}', ']', '\\', 'x', '\n', '0'))
      .map(([{ text }, at, noise]) => {
        const cut = at % (text.length + 1)
        return `${text.slice(0, cut)}${noise}${text.slice(cut + (noise === '' ? 1 : 0))}`
      })
    fc.assert(
      fc.property(fc.oneof(broken, fc.string()), (text) => {
        let isJson = true
        try {
          JSON.parse(text)
        } catch {
          isJson = false
        }
        if (isJson || text.startsWith('\ufeff')) return
        const { message } = refusal(text)
        const [, line = 0, column = 0] = /line (\d+), column (\d+)/.exec(message)?.map(Number) ?? []
        expect(line).toBeLessThanOrEqual(text.split('\n').length)
        expect(column).toBeLessThanOrEqual((text.split('\n')[line - 1] ?? '').length + 1)
        expect(message).not.toContain('nothing behind the value, found the end')
      }),
      { numRuns: 1000 },
    )
  })

  test('nesting of any depth', () => {
    expect(refusal('['.repeat(200_000)).message).toContain('line 1, column 200001')
  })
})
