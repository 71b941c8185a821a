import { expect, it } from 'vitest'
import { clipped, oneLine, plainText } from './plain-text.ts'

it('what a tool wrote cannot steer a terminal', () => {
  expect(plainText('a\u001b[2Jb\tc\nd\u009b31m\u202ee')).toBe('a␛[2Jb\tc\nd�31m�e')
  expect(plainText('\r\u0000')).toBe('␍␀')
})

it('one line has no white space but single spaces', () => {
  expect(oneLine('  two\n\n lines\t\r\n')).toBe('two lines')
})

it('clipping counts characters, and says that it clipped', () => {
  expect(clipped('abc', 3)).toBe('abc')
  expect(clipped('abcd', 3)).toBe('ab…')
  expect(clipped('😀😀😀', 2)).toBe('😀…')
})
