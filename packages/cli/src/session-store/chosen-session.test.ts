import { memorySessions, type SessionStore } from '@palimpsest/sessions'
import { beforeAll, describe, expect, it } from 'vitest'
import { chosenSession, chosenSessions, shortIds } from './chosen-session.ts'
import { inventedEntries, storeEntries } from './invented-session.test-data.ts'

let store: SessionStore
beforeAll(async () => {
  store = memorySessions().open()
  for (const id of ['harbour', 'harbour-2', 'lighthouse']) await storeEntries(store, id, inventedEntries())
})

describe('a session is chosen', () => {
  it('by its id, or by a beginning that no other one has', async () => {
    expect((await chosenSession(store, 'harbour')).id).toBe('harbour')
    expect((await chosenSession(store, 'l')).id).toBe('lighthouse')
    expect((await chosenSessions(store, ['light', 'harbour-', 'lighthouse'])).map(({ id }) => id)).toEqual([
      'lighthouse',
      'harbour-2',
    ])
  })

  it('and not by a beginning of several, nor by nothing', async () => {
    await expect(chosenSession(store, 'har')).rejects.toMatchObject({
      code: 'invalid-input',
      message: expect.stringMatching(/the beginning of 2 sessions: harbour(-2)?, harbour(-2)?\./),
    })
    await expect(chosenSession(store, '')).rejects.toMatchObject({ code: 'not-found' })
    await expect(chosenSession(store, 'quay')).rejects.toMatchObject({
      code: 'not-found',
      hint: expect.stringContaining('palimpsest sessions list'),
    })
    await expect(chosenSession(store, 'harbor')).rejects.toMatchObject({
      hint: expect.stringContaining('Did you mean harbour, or harbour-2? '),
    })
    await expect(chosenSession(memorySessions().open(), 'quay')).rejects.toMatchObject({
      hint: expect.stringContaining('The store is empty'),
    })
  })
})

it('ids are shown as short as they can be told apart, and no shorter than 8 characters', () => {
  const ids = ['0a1b2c3d-0000', '0a1b2c3d-0001', 'ffffffff-ffff', 'abc', 'request-1', 'request-12']
  expect(Object.fromEntries(shortIds(ids))).toEqual({
    '0a1b2c3d-0000': '0a1b2c3d-0000',
    '0a1b2c3d-0001': '0a1b2c3d-0001',
    'ffffffff-ffff': 'ffffffff',
    abc: 'abc',
    'request-1': 'request-1',
    'request-12': 'request-12',
  })
})
