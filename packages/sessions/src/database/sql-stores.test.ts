import { storeLaws } from 'palimpsest/stores/laws'
import { describe, expect, it } from 'vitest'
import { openDatabase } from './open-database.ts'
import { rowsOf, testDatabases } from './test-databases.test-data.ts'

for (const { name, skip, create } of await testDatabases()) {
  describe.skipIf(skip)(skip ?? name, () => {
    storeLaws(
      name,
      async (now) => {
        const { url, remove } = await create()
        const handles = [await openDatabase(url, { now }), await openDatabase(url, { now })] as const
        const given = handles.values()
        return {
          connect: () => (given.next().value ?? handles[0]).stores,
          async close() {
            for (const handle of handles) await handle.close()
            await remove()
          },
        }
      },
      { runs: 25 },
    )

    it('a call that is aborted while it waits for its connection writes nothing', async () => {
      const { url, remove } = await create()
      const database = await openDatabase(url, { postgres: { poolSize: 1 } })
      const { artifacts } = database.stores
      const controller = new AbortController()
      const reason = new Error('the turn was cancelled')
      const first = artifacts.put('n', 'first')
      const second = artifacts.put('n', 'second', { signal: controller.signal })
      controller.abort(reason)
      await expect(second).rejects.toBe(reason)
      expect(await artifacts.get('n', await first)).toBe('first')
      expect(await rowsOf(url, 'select content from artifacts')).toEqual([
        expect.objectContaining({ content: 'first' }),
      ])
      await database.close()
      await remove()
    })
  })
}
