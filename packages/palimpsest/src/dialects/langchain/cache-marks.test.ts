import { expect, test } from 'vitest'
import { deepFreeze } from '../../deep-freeze.test-data.ts'
import { langchain } from './index.ts'

const mark = { cache_control: { type: 'ephemeral' } }
const text = (words: string, own: object = {}) => ({ type: 'text', text: words, ...own })

test('D10 marks stand on the last of the stable system messages, before what may change', () => {
  const messages = [
    { type: 'system', content: 'Rules.' },
    { type: 'system', content: 'Memory.' },
    { type: 'human', content: [text('go', mark)] },
  ]
  const opened = langchain.open(deepFreeze({ messages }))
  const { system } = langchain.markCache(opened, { system: { stable: 1 } })
  expect(system).toEqual([{ type: 'system', content: [text('Rules.', mark)] }, messages[1]])
  expect(langchain.markCache(opened, { system: { stable: 0 } })).toBe(opened)
})
