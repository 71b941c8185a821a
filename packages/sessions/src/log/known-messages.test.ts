import { expect, it } from 'vitest'
import { chainEntries } from './entry-chain.ts'
import { KnownMessages } from './known-messages.ts'
import { memorySessions } from './memory-sessions.ts'
import { userSays, WatchedStore } from './session.test-data.ts'

it('messages are read once, and one that the store does not have is told', async () => {
  const store = new WatchedStore(memorySessions().open())
  const log = chainEntries(
    [
      { type: 'session-started', dialect: 'gemini', toolResults: 'full' },
      ...[0, 1, 2, 3].map((position) => {
        return { type: 'message-appended' as const, position, item: userSays(`${position}`) }
      }),
    ],
    { after: undefined, at: 1 },
  )
  await store.append('s', log)
  const known = new KnownMessages()
  const stored = { store, session: 's', until: 6, abandoned: [] }
  known.put({ position: 1, item: 'known' })
  const ranges = [
    { from: 0, to: 2 },
    { from: 3, to: 4 },
  ]
  const expected = [userSays('0'), 'known', userSays('3')]
  expect((await known.at(ranges, stored, {})).map(({ item }) => item)).toEqual(expected)
  expect((await known.at(ranges, stored, {})).map(({ item }) => item)).toEqual(expected)
  expect(store.readSoFar).toBe(2)
  known.forget(1)
  expect((await known.at(ranges, stored, {})).map(({ item }) => item)).toEqual([0, 1, 3].map((n) => userSays(`${n}`)))
  expect(store.readSoFar).toBe(4)
  await expect(known.at([{ from: 4, to: 5 }], stored, {})).rejects.toMatchObject({ code: 'effect-failed' })
})

it('what was read before messages were forgotten is given to who asked, and to nobody else', async () => {
  const store = new WatchedStore(memorySessions().open())
  const known = new KnownMessages()
  const stored = { store, session: 's', until: 6, abandoned: [] }
  store.messages = async () => {
    known.forget()
    known.put({ position: 1, item: 'new' })
    return [0, 1].map((position) => ({ position, item: 'old' }))
  }
  const items = async () => (await known.at([{ from: 0, to: 2 }], stored, {})).map(({ item }) => item)
  expect(await items()).toEqual(['old', 'old'])
  store.messages = async () => [{ position: 0, item: 'new' }]
  expect(await items()).toEqual(['new', 'new'])
})
