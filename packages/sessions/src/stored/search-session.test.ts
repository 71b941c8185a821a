import { expect, it } from 'vitest'
import { memorySessions } from '../log/memory-sessions.ts'
import { anthropic, modelSays, toolCall, toolResult, userSays } from '../log/session.test-data.ts'
import { Session } from '../log/session.ts'
import { type SessionMatch, searchSession } from './search-session.ts'

const store = memorySessions().open()

async function sessionWith(id: string, ...items: readonly object[]): Promise<Session> {
  const session = await Session.create(store, id, { dialect: anthropic })
  session.appendItems(items)
  await session.commit()
  return session
}

async function found(id: string, query: string): Promise<readonly SessionMatch[]> {
  const summary = await store.find(id)
  if (summary === undefined) throw new Error(`There is no session ${id}.`)
  return searchSession(store, summary, query)
}

const positions = (matches: readonly SessionMatch[]) => matches.map(({ position }) => position)

it('finds messages that hold every word, whatever its case, in texts, calls and results', async () => {
  await sessionWith(
    'words',
    userSays('Where is the Harbour office?'),
    toolCall('a', { path: 'harbour.ts' }),
    toolResult('a', 'export const office = 3'),
    modelSays('In the OFFICE of the harbour.'),
  )
  expect(positions(await found('words', 'office harbour'))).toEqual([0, 3])
  expect(positions(await found('words', 'read'))).toEqual([1])
  expect(positions(await found('words', 'office = 3'))).toEqual([2])
  expect(await found('words', 'of.ice')).toEqual([])
  expect(await found('words', ' ')).toEqual([])
})

it('says which messages a rewind left behind, also where another one brought them back', async () => {
  const session = await sessionWith('ways', userSays('first mooring'), modelSays('second mooring'))
  const whole = session.stored.seq
  await session.rewind(2)
  session.appendItems([modelSays('third mooring')])
  await session.commit()
  const left = async () => (await found('ways', 'mooring')).map(({ rewound }) => rewound)
  expect(await left()).toEqual([false, true, false])
  await session.rewind(whole)
  expect(await left()).toEqual([false, false, true])
})

it('cuts around the words as they follow each other, and no character in two', async () => {
  const text = `${'😀 lamp '.repeat(200)}-red lamp${'  😀'.repeat(200)}`
  await sessionWith('long', userSays(text))
  const [match] = await found('long', 'red lamp')
  expect(match?.excerpt).toMatch(/^…[^…]*-red lamp [^…]*…$/u)
  expect(match?.excerpt).not.toMatch(/\p{Surrogate}/u)
  expect(match?.excerpt.length).toBeLessThanOrEqual(243)
})
