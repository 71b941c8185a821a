import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { databasePlace, storePlace } from './store-place.ts'

describe('the store that is meant', () => {
  it('is the one that is named, else that of the environment, else a file in the data folder', () => {
    const env = { HOME: '/home/dev', PALIMPSEST_STORE: '/data/team.db' }
    expect(storePlace('mine.db', env).url).toBe(resolve('mine.db'))
    expect(storePlace(undefined, env).url).toBe(resolve('/data/team.db'))
    const own = join('palimpsest', 'sessions.db')
    expect(storePlace(undefined, { HOME: '/home/dev' }).url).toBe(join('/home/dev', '.local', 'share', own))
    expect(storePlace(undefined, { HOME: '/home/dev', XDG_DATA_HOME: '/data' }).url).toBe(join('/data', own))
  })

  it.each([
    ['postgres://me:secret@db.example:5433/work?sslmode=require', 'postgres', 'postgres://me@db.example:5433/work'],
    ['postgresql://db.example/work', 'postgres', 'postgresql://db.example/work'],
    ['sqlite:notes.data', 'sqlite', 'notes.data'],
    ['sqlite:///data/notes', 'sqlite', '/data/notes'],
    ['C:sessions', 'sqlite', 'C:sessions'],
  ])('%s is %s, shown as %s', (where, kind, shown) => {
    expect(storePlace(where, {})).toMatchObject({ kind, shown })
  })

  it.each(['', 'sqlite:', 'https://me:secret@example.org/db', 'mysql://me:secret@db/work', 'mysql://[::'])(
    '"%s" is refused, without a password',
    (where) => {
      expect(() => storePlace(where, {})).toThrow(/--store: .* n/)
      expect(() => storePlace(where, {})).not.toThrow(/secret/)
    },
  )

  it.each(['postgres:me:secret@db/work', 'postgresql:/me:secret@db/work', 'sqlite://me:secret@db/work', 'postgres:'])(
    '"%s" is no file, and is refused without a password',
    (where) => {
      expect(() => storePlace(where, {})).toThrow(/--store: /)
      expect(() => storePlace(where, {})).not.toThrow(/secret/)
    },
  )

  it('a password stays out of what is shown, even where it breaks the URL', () => {
    expect(storePlace('postgres://me:se#cr/et@db:x/work', {}).shown).not.toMatch(/cr|et@/)
  })
})

it('a folder is no database', () => {
  expect(databasePlace('./state')).toBeUndefined()
  expect(databasePlace('memory')).toBeUndefined()
  expect(databasePlace('state.db')?.kind).toBe('sqlite')
})
