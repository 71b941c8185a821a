import { createRequire } from 'node:module'
import { join } from 'node:path'
import { openDatabase } from '@palimpsest/sessions/database'
import { afterAll, describe, expect, it } from 'vitest'
import { palimpsestHere, scratchFolder } from '../../built-command.test-data.ts'
import { inventedEntries, storeEntries } from '../../session-store/invented-session.test-data.ts'

const scratch = scratchFolder()
afterAll(scratch.remove)

describe('verify of what the tables say', () => {
  it('ends with 1 where a row of a session, of a list or of the other stores was changed', async () => {
    const at = join(scratch.path, 'changed.db')
    const Sqlite = createRequire(createRequire(import.meta.url).resolve('@palimpsest/sessions'))('libsql')
    const change = (statement: string) => {
      const connection = new Sqlite(at)
      connection.prepare(statement).run([])
      connection.close()
    }
    const database = await openDatabase(at)
    await storeEntries(database.sessions(), 's', inventedEntries())
    const key = await database.stores.artifacts.put('n', 'a large result')
    await database.close()
    const verify = (...words: readonly string[]) => palimpsestHere(['sessions', 'verify', ...words, '--store', at])
    expect(await verify()).toMatchObject({ code: 0 })
    change(`update artifacts set content = 'another result'`)
    expect(await verify()).toMatchObject({
      code: 1,
      out: expect.stringContaining(`${at}: 1 fault\n  artifacts ${key}: its content`),
    })
    expect(await verify('s')).toMatchObject({ code: 0 })
    change(`update entries set type = 'checkpoint' where seq = 5`)
    expect(await verify('s')).toMatchObject({ code: 1, out: expect.stringContaining('entry 5: its column type says') })
    change(`update sessions set title = 'another'`)
    expect((await verify('s')).out).toContain('the store says title another')
    change(`update entries set body = '{' where seq = 9`)
    expect(await verify('s')).toMatchObject({ code: 1, out: expect.stringContaining('entry 9: its body is no JSON') })
    const fork = ['sessions', 'fork', 's', '--store', at, '--id']
    expect(await palimpsestHere([...fork, 'saved', '--at', '8'])).toMatchObject({ code: 0 })
    const json = JSON.parse((await verify('--json')).out)
    expect(json.store).toEqual([expect.objectContaining({ table: 'artifacts', row: key })])
  })
})
