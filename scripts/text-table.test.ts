import { expect, it } from 'vitest'
import { textTable } from './text-table.mjs'

it('sets numbers to the right and words to the left', () => {
  const table = textTable(
    ['name', 'ratio'],
    [
      ['merge', 1.25],
      ['apply plan', 12],
    ],
  )
  expect(table).toBe(['name        ratio', '──────────  ─────', 'merge        1.25', 'apply plan     12'].join('\n'))
})
