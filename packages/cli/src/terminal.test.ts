import { expect, it } from 'vitest'
import { wantsColor } from './terminal.ts'

it.each<[Record<string, string>, boolean, boolean]>([
  [{}, true, true],
  [{}, false, false],
  [{ NO_COLOR: '1' }, true, false],
  [{ NO_COLOR: '' }, true, true],
  [{ NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
  [{ TERM: 'dumb' }, true, false],
  [{ FORCE_COLOR: '1' }, false, true],
  [{ FORCE_COLOR: '0' }, true, false],
])('%j on a terminal: %s → colours: %s', (env, isTerminal, color) => {
  expect(wantsColor(env, isTerminal)).toBe(color)
})
