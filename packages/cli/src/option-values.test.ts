import { describe, expect, it } from 'vitest'
import { keepWindow, nameList, positiveTokenCount, tokenCount } from './option-values.ts'

describe('a number of tokens', () => {
  it.each([
    ['0', 0],
    ['200000', 200_000],
    ['200_000', 200_000],
    ['200k', 200_000],
    ['1.5M', 1_500_000],
    ['0.5k', 500],
  ])('%s', (text, value) => expect(tokenCount(text)).toBe(value))

  it.each(['', 'k', '-5', '1.5', '2e5', '200K', '200 k', '99999999999999999999', '1.2345k'])('not %j', (text) => {
    expect(() => tokenCount(text)).toThrow(/whole number of tokens/)
  })

  it('may not be zero where nothing would be left', () => {
    expect(() => positiveTokenCount('0')).toThrow(/above zero/)
    expect(positiveTokenCount('8k')).toBe(8_000)
  })
})

describe('what is kept', () => {
  it.each([
    ['messages:6', { messages: 6 }],
    ['steps:0', { steps: 0 }],
    ['tokens:20k', { tokens: 20_000 }],
    ['10%', { fraction: 0.1, of: 'window' }],
    ['tokens:10%', { fraction: 0.1, of: 'tokens' }],
    ['messages:2.5%', { fraction: 0.025, of: 'messages' }],
  ])('%s', (text, value) => expect(keepWindow(text)).toEqual(value))

  it.each(['6', '', 'turns:3', 'messages:', 'steps:10%', '100%', 'messages:x'])('not %j', (text) => {
    expect(() => keepWindow(text)).toThrow(/It wants/)
  })
})

it('a list of names drops repeats and refuses gaps', () => {
  expect(nameList('palimpsest, hango,palimpsest')).toEqual(['palimpsest', 'hango'])
  expect(() => nameList('a,,b')).toThrow(/commas/)
})
