import { expect, test } from 'vitest'
import { LongestConversation } from './longest-conversation.ts'
import { SkipTally } from './skip-tally.ts'

const offers = [
  { id: 'a', messages: 2, line: 1, content: 'A' },
  { id: 'b', messages: 3, line: 2, content: 'B' },
  { id: 'a', messages: 3, line: 3, content: 'C' },
  { id: 'b', messages: 1, line: 4, content: 'D' },
]

test.each([
  [undefined, 'C', [1, 2, 4]],
  ['b', 'B', [1, 3, 4]],
])('asked for %s it is %s', (wanted, content, others) => {
  const skipped = new SkipTally()
  const longest = new LongestConversation<string>(skipped, wanted)
  for (const offer of offers) longest.offer(offer)
  expect(longest.best?.content).toBe(content)
  expect(skipped.result()['other conversation']?.lines.toSorted()).toEqual(others)
})

test('a message has its own number in a file with one conversation, else the line of its conversation', () => {
  const longest = new LongestConversation<string>(new SkipTally())
  longest.offer({ id: undefined, messages: 2, line: 7, content: '' })
  expect(longest.placeOf(1)).toBe(2)
  longest.offer({ id: undefined, messages: 5, line: 8, content: '' })
  expect(longest.placeOf(1)).toBe(8)
})

test('asked for one that is not there it says which are', () => {
  const longest = new LongestConversation<string>(new SkipTally(), 'none')
  for (const offer of offers) longest.offer(offer)
  expect(() => longest.best).toThrow('There is no session "none" in it.')
  expect(() => longest.best).toThrow(expect.objectContaining({ code: 'not-found', hint: 'There are a, b.' }))
})
