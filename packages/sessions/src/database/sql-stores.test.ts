import { storeLaws } from 'palimpsest/stores/laws'
import { describe } from 'vitest'
import { openDatabase } from './open-database.ts'
import { testDatabases } from './test-databases.test-data.ts'

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
  })
}
