import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { alias: ownSources() },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.ts', 'benchmarks/**/*.test.ts'],
    // starts a PostgreSQL server for the first test that wants one
    globalSetup: ['packages/sessions/src/database/postgres-server.test-data.ts'],
    setupFiles: ['scripts/seeded-properties.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
})

/**
 * Our own packages by their sources, so that tests need no build. They stand in `exports` under a condition of our own: what
 * foreign packages publish under `source` is not always what Node can run.
 */
function ownSources(): { find: RegExp; replacement: string }[] {
  const home = join(import.meta.dirname, 'packages')
  return readdirSync(home).flatMap((folder) => {
    const { name, exports = {} } = JSON.parse(readFileSync(join(home, folder, 'package.json'), 'utf8'))
    return Object.entries<{ '@palimpsest/source'?: string }>(exports).flatMap(([path, target]) => {
      const source = target['@palimpsest/source']
      const find = new RegExp(`^${name}${path.slice(1)}$`)
      return source === undefined ? [] : [{ find, replacement: join(home, folder, source) }]
    })
  })
}
