import { expect, it } from 'vitest'
import { columns } from './text-columns.ts'

it('sets words in columns', () => {
  const rows = [
    ['source', 'tokens'],
    ['human', '1,204'],
    ['a', ''],
  ]
  expect(columns(rows, ['left', 'right'])).toBe(['source  tokens', 'human    1,204', 'a'].join('\n'))
  expect(columns([], ['left'])).toBe('')
})
