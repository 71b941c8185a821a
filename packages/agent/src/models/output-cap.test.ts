import { expect, test } from 'vitest'
import { cappedOutput, outputCap } from './output-cap.ts'

test.each([
  ['a large one is bounded', 'claude-sonnet-5', {}, 32_000],
  ['a small one is all', 'gpt-4o', {}, 16_384],
  ['of a small window a quarter', 'claude-sonnet-5', { 'claude-sonnet-5': { window: 20_000 } }, 5_000],
  ['as the user has it', 'claude-sonnet-5', { 'claude-sonnet-5': { maxOutput: 1_000 } }, 1_000],
  ['of an unknown model nothing is known', 'some-model', {}, undefined],
  ['nor by its window alone', 'some-model', { 'some-model': { window: 8_000 } }, undefined],
])('output cap: %s', (_case, id, profiles, cap) => {
  expect(outputCap(id, profiles)).toBe(cap)
  expect(cappedOutput(id, profiles)).toEqual(cap === undefined ? {} : { maxOutputTokens: cap })
})
