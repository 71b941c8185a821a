import { expect, test } from 'vitest'
import { type ChatSaid, chatTranscript } from './chat-transcript.ts'
import type { Fields } from './json-fields.ts'
import { SkipTally } from './skip-tally.ts'

const asks = (...ids: string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'n', arguments: '{}' } })),
})
const gives = (id: string, content = 'x') => ({ role: 'tool', tool_call_id: id, content })
const user = { role: 'user', content: 'hi' }

test.each<[string, Fields[], Fields[]]>([
  [
    'a result that comes late',
    [asks('a', 'b'), gives('a'), user, gives('b')],
    [asks('a', 'b'), gives('a'), gives('b'), user],
  ],
  ['a result that was written before its call', [gives('a'), user, asks('a')], [user, asks('a'), gives('a')]],
  [
    'an id that is used again: each result stands behind the newest open call',
    [asks('a'), gives('a', '1'), asks('a'), gives('a', '2')],
    [asks('a'), gives('a', '1'), asks('a'), gives('a', '2')],
  ],
  [
    'a call that was broken off, and its id again',
    [asks('a'), user, asks('a'), gives('a')],
    [asks('a'), user, asks('a'), gives('a')],
  ],
  ['a call without a result, a result without a call', [asks('a'), user, gives('b')], [asks('a'), user, gives('b')]],
  [
    'a result whose call is lost takes none of another call',
    [asks('a'), gives('a', '1'), gives('a', '2'), asks('a'), gives('a', '3')],
    [asks('a'), gives('a', '1'), gives('a', '2'), asks('a'), gives('a', '3')],
  ],
  ['a result without an id', [{ role: 'tool', content: 'x' }, asks('a')], [{ role: 'tool', content: 'x' }, asks('a')]],
])('%s', (_name, said, expected) => {
  const skipped = new SkipTally()
  expect(chatTranscript(lines(said), skipped).items.map(({ item }) => item)).toEqual(expected)
  expect(skipped.result()).toEqual({})
})

test('a copy of a result is skipped, and named; another result stays', () => {
  const skipped = new SkipTally()
  const said = lines([asks('a'), gives('a', '1'), gives('a', '1'), gives('a', '2')])
  expect(chatTranscript(said, skipped).items.map(({ line }) => line)).toEqual([1, 2, 4])
  expect(skipped.result()).toEqual({ 'duplicate result': { count: 1, lines: [3] } })
})

test('calls and positions follow the items that moved', () => {
  const said = lines([gives('a'), user, asks('a'), user]).map((one, at) =>
    at === 2 ? { ...one, call: { model: 'm' } } : one,
  )
  const transcript = chatTranscript(said, new SkipTally())
  expect(transcript.calls).toEqual([{ position: 1, model: 'm' }])
  expect([0, 1, 2, 3, 4, 9].map((messages) => transcript.position(messages))).toEqual([0, 0, 1, 3, 4, 4])
})

function lines(items: readonly Fields[]): ChatSaid[] {
  return items.map((item, at) => ({ item, line: at + 1 }))
}
