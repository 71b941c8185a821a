import { describe } from 'vitest'
import { sessionStoreLaws } from '../log/session-store-laws.ts'
import { openDatabase } from './open-database.ts'
import { testDatabases } from './test-databases.test-data.ts'

for (const { name, skip, create } of await testDatabases()) {
  describe.skipIf(skip)(skip ?? name, () => {
    sessionStoreLaws(
      name,
      async () => {
        const { url, remove } = await create()
        const handles = [await openDatabase(url), await openDatabase(url)] as const
        let opened = 0
        return {
          // by turns, so that two processes could be meant
          open: (namespace) => handles[opened++ % 2 === 0 ? 0 : 1].sessions(namespace),
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
