import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'vite'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type ConfirmedTurn, scope, session, turnText } from './crash-child.test-data.ts'
import { DirectoryHistory } from './directory-history.ts'
import { directoryStores } from './directory-stores.ts'
import { historyEntries } from './history-text.ts'
import { entry, toyRecord } from './store-examples.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palimpsest-crash-'))
})
afterEach(() => rm(folder, { recursive: true }))

describe('BB-18 a file torn at any byte of its last line', () => {
  it('has the records before the last one, or all, and takes the next ones', async () => {
    const before = toyRecord('first', 'é𝔘')
    const last = toyRecord('last', 'é𝔘\ud800')
    const next = toyRecord('next')
    const path = join(folder, 'records', 'root.jsonl')
    await directoryStores(folder).records.commit('root', before)
    const start = (await stat(path)).size
    await directoryStores(folder).records.commit('root', last)
    const whole = await readFile(path)
    for (let size = start; size <= whole.length; size++) {
      await writeFile(path, whole.subarray(0, size))
      const { records } = directoryStores(folder)
      expect(await records.list('root')).toEqual(size < whole.length ? [before] : [before, last])
      if (size % 10 > 0 && size < whole.length - 3) continue
      expect(await records.commit('root', next)).toEqual(next)
      expect(await records.commit('root', last)).toEqual(last)
      expect(await records.list('root')).toEqual(size < whole.length ? [before, next, last] : [before, last, next])
    }
  })

  it('has the history entries before the last one, or all, and takes the torn one again', async () => {
    const history = new DirectoryHistory(folder)
    const entries = [entry(0, '## 0 user\n\nhello\n'), entry(1, '## 1 user\n\n\né𝔘'), entry(2, 'next')]
    const path = await history.append('s', entries.slice(0, 1))
    const start = (await stat(path)).size
    await history.append('s', entries.slice(0, 2))
    const whole = await readFile(path)
    for (let size = start; size <= whole.length; size++) {
      await writeFile(path, whole.subarray(0, size))
      // the last byte is a line break behind the end: without it the entry is whole
      expect(historyEntries((await history.read('s')) ?? '')).toEqual(entries.slice(0, size < whole.length - 1 ? 1 : 2))
      await history.append('s', entries)
      expect(historyEntries((await history.read('s')) ?? '')).toEqual(entries)
    }
  })

  it('knows the limit before the last one, or the last one', async () => {
    const learn = (window: number) => directoryStores(folder).limits.learn(scope, { window, at: Date.now() })
    await learn(2000)
    const [name = ''] = await readdir(join(folder, 'limits'))
    const path = join(folder, 'limits', name)
    const start = (await stat(path)).size
    await learn(1000)
    const whole = await readFile(path)
    for (let size = start; size <= whole.length; size++) {
      await writeFile(path, whole.subarray(0, size))
      const known = size < whole.length ? 2000 : 1000
      expect(await directoryStores(folder).limits.get(scope)).toMatchObject({ window: known })
      await learn(known - 1)
      expect(await directoryStores(folder).limits.get(scope)).toMatchObject({ window: known - 1 })
    }
  })

  it('never gives a part of an artifact', async () => {
    const { artifacts } = directoryStores(folder)
    const key = await artifacts.put('n', 'the whole text')
    const [namespace = ''] = await readdir(join(folder, 'artifacts'))
    const path = join(folder, 'artifacts', namespace, `${key}.txt`)
    await rm(path)
    await writeFile(`${path}.torn.tmp`, 'the who')
    expect(await artifacts.get('n', key)).toBeUndefined()
    expect(await artifacts.put('n', 'the whole text')).toBe(key)
    expect(await artifacts.get('n', key)).toBe('the whole text')
  })
})

describe('a history whose reading or writing fails', () => {
  it('CF-15 keeps its bytes when it cannot be read for a while, and appends nothing', async () => {
    const history = new DirectoryHistory(folder)
    const path = await history.append('s', [entry(0, 'first')])
    const before = await readFile(path)
    // sparse, and longer than Node reads at once: reading fails, while appending would succeed
    await truncate(path, 2 ** 31)
    await expect(history.append('s', [entry(1, 'second')])).rejects.toMatchObject({ code: 'effect-failed' })
    expect((await stat(path)).size).toBe(2 ** 31)
    await truncate(path, before.length)
    expect(await readFile(path)).toEqual(before)
    await history.append('s', [entry(0, 'first'), entry(1, 'second')])
    expect(historyEntries((await history.read('s')) ?? '').map((one) => one.markdown)).toEqual(['first', 'second'])
  })

  it('CF-16 gives no path when it cannot be written, and goes on when it can again', async () => {
    const history = new DirectoryHistory(folder)
    await mkdir(history.path('s'))
    await expect(history.append('s', [entry(0, 'first')])).rejects.toMatchObject({ code: 'effect-failed' })
    await rm(history.path('s'), { recursive: true })
    expect(await history.append('s', [entry(0, 'first')])).toBe(history.path('s'))
    expect(await readdir(folder)).toEqual(['s.md'])
  })

  it('takes over the lock of a process that died, and waits for that of one that lives', async () => {
    const history = new DirectoryHistory(folder)
    const lock = `${history.path('s')}.lock`
    await writeFile(lock, 'a process that is gone')
    const controller = new AbortController()
    const waiting = history.append('s', [entry(0, 'first')], { signal: controller.signal })
    controller.abort(new Error('given up'))
    await expect(waiting).rejects.toThrow('given up')
    expect(await history.read('s')).toBeUndefined()
    await utimes(lock, 0, 0)
    await history.append('s', [entry(0, 'first')])
    expect(await readdir(folder)).toEqual(['s.md'])
  })
})

describe('BB-18 two processes that write the same things and are killed', () => {
  it('keep all that was confirmed to either, once, and agree on whose record counts', async () => {
    const program = await bundleChild(join(folder, 'program'))
    const home = join(folder, 'home')
    for (const enough of [3, 8]) {
      const confirmed = await Promise.all(['one', 'two'].map((name) => runUntil(enough, [program, home, name])))
      await forgetLock(home)
      await expectWhole(home, confirmed.flat())
    }
  })
})

describe('a process that has its turn alone', () => {
  it('keeps it while it lives, however long it takes, and lets go when it dies', async () => {
    const program = await bundleChild(join(folder, 'program'))
    const home = join(folder, 'home')
    const lock = join(home, 'records', 'root.jsonl.lock')
    const { records } = directoryStores(home)
    const child = startChild('hold', [program, home])
    for await (const _ of child.lines) {
      await utimes(lock, 1, 1)
      await vi.waitFor(async () => expect((await stat(lock)).mtimeMs).toBeGreaterThan(1000), 10_000)
      const controller = new AbortController()
      const waiting = records.alone('root', () => Promise.reject(new Error('began')), { signal: controller.signal })
      controller.abort(new Error('given up'))
      await expect(waiting).rejects.toThrow('given up')
      child.kill()
    }
    await child.gone
    // the five seconds in which it may still live are over at once
    await utimes(lock, 0, 0)
    expect(await records.alone('root', async () => 'its turn')).toBe('its turn')
    expect(await readdir(join(home, 'records'))).toEqual([])
  })

  it('says why the file system gives it no turn, and leaves alone what it throws itself', async () => {
    await writeFile(join(folder, 'records'), 'no folder')
    await expect(directoryStores(folder).records.alone('root', async () => 'ran')).rejects.toMatchObject({
      code: 'effect-failed',
    })
    const failure = new RangeError('its own')
    const { records } = directoryStores(join(folder, 'home'))
    await expect(records.alone('root', () => Promise.reject(failure))).rejects.toBe(failure)
  })
})

async function expectWhole(home: string, confirmed: readonly ConfirmedTurn[]): Promise<void> {
  const { records, artifacts, history, limits } = directoryStores(home)
  const list = await records.list('root')
  const winners = new Map(list.map((record) => [record.key, record.strategy]))
  expect(winners.size).toBe(list.length)
  for (const { turn, winner, artifact } of confirmed) {
    expect(winners.get(`k${turn}`)).toBe(winner)
    expect(await artifacts.get('n', artifact)).toBe(turnText(turn))
  }
  const text = (await history.read(session)) ?? ''
  const entries = historyEntries(text)
  expect(entries.map((one) => one.position)).toEqual(entries.map((_, index) => index))
  for (const { position, markdown } of entries) expect(markdown).toBe(turnText(position))
  const turns = Math.max(...confirmed.map(({ turn }) => turn)) + 1
  expect(entries.length).toBeGreaterThanOrEqual(turns)
  expect((await limits.get(scope))?.window).toBeLessThanOrEqual(1_000_001 - turns)
  const last = entries.length
  await history.append(session, [entry(last, turnText(last))])
  expect(historyEntries((await history.read(session)) ?? '')).toHaveLength(last + 1)
}

/** What the child confirmed before it was killed, some turns after `enough`. */
async function runUntil(enough: number, args: readonly string[]): Promise<readonly ConfirmedTurn[]> {
  const child = startChild('write', args)
  const confirmed: ConfirmedTurn[] = []
  for await (const line of child.lines) {
    confirmed.push(JSON.parse(line) as ConfirmedTurn)
    if (confirmed.length === enough) child.kill()
  }
  await child.gone
  expect(confirmed.length).toBeGreaterThanOrEqual(enough)
  return confirmed
}

function startChild(task: 'write' | 'hold', args: readonly string[]) {
  const child: ChildProcess = spawn(process.execPath, args, {
    env: { ...process.env, PALIMPSEST_CRASH_CHILD: task },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (child.stdout === null) throw new TypeError('The child has no output.')
  return {
    lines: createInterface({ input: child.stdout }),
    gone: once(child, 'exit'),
    kill: () => child.kill('SIGKILL'),
  }
}

async function bundleChild(outDir: string): Promise<string> {
  await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      ssr: join(import.meta.dirname, 'crash-child.test-data.ts'),
      outDir,
      rollupOptions: { output: { entryFileNames: 'child.mjs' } },
    },
  })
  return join(outDir, 'child.mjs')
}

/** Whoever was killed with the lock leaves it for five seconds; here they are over at once. */
async function forgetLock(home: string): Promise<void> {
  const names = await readdir(join(home, 'history', 'n'))
  for (const name of names.filter((one) => one.endsWith('.lock'))) await utimes(join(home, 'history', 'n', name), 0, 0)
}
