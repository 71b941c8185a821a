import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openDatabase } from './open-database.ts'
import { rowsOf, sqliteFiles, type TestDatabase, testDatabases } from './test-databases.test-data.ts'

let folder: string
let child: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-locks-'))
  child = await bundleChild(folder)
})
afterAll(() => rmSync(folder, { recursive: true }))

for (const { name, skip, create } of await testDatabases()) {
  describe.skipIf(skip)(`locks between processes, ${name} ${skip ?? ''}`, () => {
    let test: TestDatabase
    beforeAll(async () => {
      test = await create()
    })
    afterAll(() => test.remove())

    it('one process at a time has its turn, of several that open a new database together', async () => {
      const all = [1, 2, 3, 4].map(() => start('turns', [test.url, '5']))
      const said = (await Promise.all(all.map(output))).flatMap((text) => text.trim().split('\n'))
      const events = said.map((line) => line.split(' ')).sort((a, b) => Number(BigInt(a[2] ?? 0) - BigInt(b[2] ?? 0)))
      expect(events).toHaveLength(2 * 4 * 5)
      for (let at = 0; at < events.length; at += 2) {
        const [begin, end] = [events[at], events[at + 1]]
        expect([begin?.[0], end?.[0], end?.[1]]).toEqual(['in', 'out', begin?.[1]])
      }
      expect(await rowsOf(test.url, 'select key from artifacts')).toHaveLength(4 * 5)
    })

    it('a process that is killed lets go', async () => {
      const holder = start('hold', [test.url])
      await once(holder.stdout as NodeJS.ReadableStream, 'data')
      const database = await openDatabase(test.url)
      const { records } = database.stores
      const reason = new Error('enough waited')
      const leaving = records.alone('root', async () => 'must not run', { signal: abortSoon(reason) })
      await expect(leaving).rejects.toBe(reason)
      const waiting = records.alone('root', async () => 'my turn')
      expect(await records.alone('another root', async () => 'meanwhile')).toBe('meanwhile')
      holder.kill('SIGKILL')
      expect(await waiting).toBe('my turn')
      await database.close()
    })
  })
}

describe('leases in SQLite', () => {
  it('of a machine that cannot be seen run out', async () => {
    const { url, remove } = await sqliteFiles.create()
    let time = 1_700_000_000_000
    const database = await openDatabase(url, { now: () => time })
    const { records } = database.stores
    await records.alone('root', async () => {
      // another machine has the lock from here on
      await rowsOf(url, "update locks set machine = 'elsewhere', owner = 'somebody' returning owner")
    })
    const entered: number[] = []
    const waiting = records.alone('root', async () => entered.push(time))
    const [{ expires_at: expires } = {}] = await rowsOf(url, 'select expires_at from locks')
    time = Number(expires) - 1
    await records.alone('another root', async () => undefined)
    expect(entered).toEqual([])
    time = Number(expires)
    await waiting
    expect(entered).toEqual([time])
    expect(await rowsOf(url, 'select * from locks')).toEqual([])
    await database.close()
    await remove()
  })

  it('are renewed while their holder runs', async () => {
    const { url, remove } = await sqliteFiles.create()
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    let time = 1_700_000_000_000
    const database = await openDatabase(url, { now: () => time })
    const expiry = async () => (await rowsOf(url, 'select expires_at from locks'))[0]?.expires_at
    await database.stores.records.alone('root', async () => {
      const first = await expiry()
      time += 60_000
      await vi.advanceTimersByTimeAsync(2000)
      await vi.waitFor(async () => expect(await expiry()).toBe(Number(first) + 60_000))
    })
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
    await database.close()
    await remove()
  })
})

function start(role: string, options: readonly string[]): ChildProcess {
  return spawn(process.execPath, [child, ...options], {
    env: { ...process.env, PALIMPSEST_LOCK_CHILD: role },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

async function output(process: ChildProcess): Promise<string> {
  let text = ''
  process.stdout?.on('data', (chunk) => {
    text += chunk
  })
  const [code] = await once(process, 'close')
  expect(code).toBe(0)
  return text
}

/** Aborted when the caller has begun to wait. */
function abortSoon(reason: Error): AbortSignal {
  const controller = new AbortController()
  setImmediate(() => controller.abort(reason))
  return controller.signal
}

/** The child as one file, beside a link to the packages that it needs. */
async function bundleChild(outDir: string): Promise<string> {
  await build({
    configFile: false,
    logLevel: 'silent',
    resolve: { conditions: ['@palimpsest/source'] },
    ssr: { noExternal: [/^palimpsest/], resolve: { conditions: ['@palimpsest/source'] } },
    build: {
      ssr: join(import.meta.dirname, 'lock-child.test-data.ts'),
      outDir,
      rollupOptions: { output: { entryFileNames: 'child.mjs' } },
    },
  })
  symlinkSync(join(import.meta.dirname, '../../../../node_modules'), join(outDir, 'node_modules'))
  return join(outDir, 'child.mjs')
}
