import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { directoryStores } from './directory-stores.ts'
import { namespaceOf } from './namespace-of.ts'
import { entry, toyRecord } from './store-examples.ts'
import { storeLaws } from './store-laws.ts'

storeLaws(
  'directory',
  async (now) => {
    const folder = await mkdtemp(join(tmpdir(), 'palimpsest-stores-'))
    return {
      connect: () => directoryStores(folder, { now }),
      close: () => rm(folder, { recursive: true }),
    }
  },
  { runs: 40 },
)

describe('directoryStores', () => {
  let around: string
  beforeAll(async () => {
    around = await mkdtemp(join(tmpdir(), 'palimpsest-stores-'))
    const stores = directoryStores(join(around, 'made', 'deep'))
    for (const id of ['../../x', '', '..', '/etc/passwd', 'A', '\0']) {
      await stores.records.commit(id, toyRecord(id))
      await stores.artifacts.put(id, 'text')
      await stores.history.append({ namespace: id, session: id }, [entry(0, 'text')])
      await stores.limits.learn({ namespace: id, upstream: id, model: id }, { window: 1, at: 1 })
    }
  })
  afterAll(() => rm(around, { recursive: true }))

  it('never leave their folder, whatever the ids, and leave nothing unfinished', async () => {
    expect(await readdir(around)).toEqual(['made'])
    expect(await readdir(join(around, 'made'))).toEqual(['deep'])
    const home = join(around, 'made', 'deep')
    expect((await readdir(home)).sort()).toEqual(['artifacts', 'history', 'limits', 'records'])
    const files = (await readdir(home, { recursive: true, withFileTypes: true })).filter((one) => one.isFile())
    expect(files).toHaveLength(4 * 6)
    for (const { name } of files) expect(name).toMatch(/\.(jsonl|txt|md)$/)
  })

  it('make folders and files that only their user can read', async () => {
    const all = await readdir(around, { recursive: true, withFileTypes: true })
    expect(all.length).toBeGreaterThan(30)
    for (const one of all) {
      const { mode } = await stat(join(one.parentPath, one.name))
      expect(mode & 0o777).toBe(one.isFile() ? 0o600 : 0o700)
    }
  })

  it('lock with files that only their user can read, and leave none', async () => {
    const stores = directoryStores(join(around, 'locks'))
    const records = join(around, 'locks', 'records')
    const modes = await stores.records.alone('../x', async () => {
      const [lock = ''] = await readdir(records)
      return [await stat(records), await stat(join(records, lock))].map(({ mode }) => mode & 0o777)
    })
    expect(modes).toEqual([0o700, 0o600])
    expect(await readdir(records)).toEqual([])
    await rm(join(around, 'locks'), { recursive: true })
  })

  it('say which file could not be written, and why', async () => {
    const stores = directoryStores('/dev/null/nowhere')
    const failed = {
      code: 'effect-failed',
      message: expect.stringContaining('/dev/null/nowhere'),
      cause: expect.any(Error),
    }
    await expect(stores.records.commit('r', toyRecord('k'))).rejects.toMatchObject(failed)
    await expect(stores.records.list('r')).rejects.toMatchObject(failed)
    await expect(stores.artifacts.put('n', 'text')).rejects.toMatchObject(failed)
    await expect(stores.history.append({ namespace: 'n', session: 's' }, [entry(0, 'a')])).rejects.toMatchObject(failed)
    await expect(
      stores.limits.learn({ namespace: 'n', upstream: 'u', model: 'm' }, { window: 1, at: 1 }),
    ).rejects.toMatchObject(failed)
  })
})

describe('namespaceOf', () => {
  it('is an HMAC-SHA-256', () => {
    // RFC 4231, test case 2
    expect(namespaceOf('what do ya want for nothing?', 'Jefe')).toBe(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    )
  })

  it('depends on the secret, which must be one', () => {
    expect(namespaceOf('key', 'one')).not.toBe(namespaceOf('key', 'two'))
    expect(() => namespaceOf('key', '')).toThrow(expect.objectContaining({ code: 'invalid-input' }))
  })
})
