import { expect, it } from 'vitest'
import { estimateText } from '../engine/tokens/estimate-text.ts'
import { type ExactFamily, loadExactCounter } from './gpt-tokenizer.ts'

it('counts as the vocabulary does', async () => {
  const count = await loadExactCounter('o200k')
  expect(count('hello world')).toBe(2)
  expect(count('')).toBe(0)
  expect((await loadExactCounter('cl100k'))('tiktoken is great!')).toBe(6)
})

it('takes special tokens for text', async () => {
  const count = await loadExactCounter('o200k')
  expect(count('<|endoftext|>')).toBeGreaterThan(1)
})

it('counts runs that would take minutes uncut', async () => {
  const count = await loadExactCounter('o200k')
  expect(count('a'.repeat(100_000))).toBeGreaterThan(10_000)
  expect(count(' '.repeat(100_000))).toBeGreaterThan(500)
  expect(count('資'.repeat(50_000))).toBeGreaterThan(10_000)
})

it('agrees with the estimate on ordinary text within a fifth', async () => {
  const text = 'The compactor stores the artifact first; only then does the view point to it.\n'.repeat(50)
  const exact = (await loadExactCounter('o200k'))(text)
  expect(estimateText(text, { family: 'o200k' }) / exact).toBeGreaterThan(0.8)
  expect(estimateText(text, { family: 'o200k' }) / exact).toBeLessThan(1.2)
})

it('has no counter for other families', async () => {
  await expect(loadExactCounter('claude3' as ExactFamily)).rejects.toThrow(RangeError)
})
