import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lockDifference, whyBuild, whyInstall } from './prepare.mjs'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palimpsest-prepare-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function write(path: string, text: string, seconds = 1_000): void {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  utimesSync(file, seconds, seconds)
}

const lock = {
  '': { name: 'workspace' },
  'node_modules/left': { version: '1.0.0', integrity: 'sha512-a' },
  'node_modules/ours': { resolved: 'packages/ours', link: true },
  'packages/ours': { version: '0.1.0' },
  'node_modules/native-sun': { version: '2.0.0', optional: true, os: ['sunos'] },
}
const { '': _root, 'node_modules/native-sun': _native, ...installed } = lock

describe('whether npm ci must run', () => {
  it('is content when npm wrote down what the lock file asks for, other platforms left out', () => {
    expect(lockDifference(lock, installed, 'linux')).toBeUndefined()
  })

  it.each([
    ['another version', { ...installed, 'node_modules/left': { version: '1.0.1', integrity: 'sha512-a' } }, /^left is/],
    ['other content', { ...installed, 'node_modules/left': { version: '1.0.0', integrity: 'sha512-b' } }, /^left is/],
    ['a package that left', { ...installed, 'node_modules/old': { version: '1.0.0' } }, /^old is no longer/],
    [
      'a folder from another system',
      { ...installed, 'node_modules/native-sun': lock['node_modules/native-sun'] },
      /platform/,
    ],
  ])('sees %s', (_name, found, reason) => {
    expect(lockDifference(lock, found, 'linux')).toMatch(reason)
  })

  it('sees a clone with nothing installed, and a package folder that was deleted', () => {
    write('package-lock.json', JSON.stringify({ packages: lock }))
    expect(whyInstall(folder)).toBe('nothing is installed yet')
    write('node_modules/.package-lock.json', JSON.stringify({ packages: installed }))
    for (const path of ['node_modules/ours/x', 'packages/ours/x']) write(path, '')
    expect(whyInstall(folder)).toBe('left is gone from node_modules')
    write('node_modules/left/x', '')
    expect(whyInstall(folder)).toBeUndefined()
  })
})

describe('whether the packages must be built', () => {
  beforeEach(() => {
    write('tsconfig.base.json', '{}')
    write('packages/ours/tsconfig.json', '{}')
    write('packages/ours/src/deep/a.ts', '')
  })

  it('sees a package that was never built', () => {
    expect(whyBuild(folder)).toEqual({ text: 'ours is not built yet', force: false })
  })

  it('is content when every source is older than the build and has its output', () => {
    write('packages/ours/dist/.tsbuildinfo', '{}', 2_000)
    write('packages/ours/dist/deep/a.js', '', 2_000)
    expect(whyBuild(folder)).toBeUndefined()
  })

  it('sees a build that ended with errors, and one whose notes cannot be read', () => {
    write('packages/ours/dist/deep/a.js', '', 2_000)
    write('packages/ours/dist/.tsbuildinfo', '{"semanticDiagnosticsPerFile":[[1,[]]]}', 2_000)
    expect(whyBuild(folder)?.text).toBe('the last build of ours had errors')
    write('packages/ours/dist/.tsbuildinfo', '{"fileNames":', 2_000)
    expect(whyBuild(folder)?.text).toBe('the last build of ours had errors')
  })

  it('sees a newer source, a newer setting, and a lost output that only a forced build brings back', () => {
    write('packages/ours/dist/.tsbuildinfo', '{}', 2_000)
    expect(whyBuild(folder)).toEqual({ text: 'packages/ours/dist/deep/a.js is missing', force: true })
    write('packages/ours/dist/deep/a.js', '', 2_000)
    write('packages/ours/src/deep/a.ts', '', 3_000)
    expect(whyBuild(folder)?.text).toBe('packages/ours/src/deep/a.ts is newer than its build')
    write('packages/ours/dist/.tsbuildinfo', '{}', 4_000)
    write('tsconfig.base.json', '{}', 5_000)
    expect(whyBuild(folder)?.text).toBe('tsconfig.base.json is newer than its build')
  })
})

describe('two that prepare at once', () => {
  beforeEach(() => {
    write('package-lock.json', JSON.stringify({ packages: {} }))
    write('node_modules/.package-lock.json', JSON.stringify({ packages: {} }))
    write('tsconfig.base.json', '{}')
    write('packages/ours/tsconfig.json', '{}')
    write('packages/ours/src/a.ts', '')
    // Stands in for the compiler: it takes a while, then writes what a build writes, and notes that it ran.
    write(
      'node_modules/@typescript/native/bin/tsc',
      `const fs = require('node:fs')
      fs.appendFileSync('runs', 'x')
      setTimeout(() => {
        fs.mkdirSync('packages/ours/dist', { recursive: true })
        fs.writeFileSync('packages/ours/dist/a.js', '')
        fs.writeFileSync('packages/ours/dist/.tsbuildinfo', '{}')
      }, 300)`,
    )
  })

  const script = fileURLToPath(new URL('./prepare.mjs', import.meta.url))
  const preparing = () =>
    spawn(process.execPath, [
      '-e',
      `import(${JSON.stringify(script)}).then((m) => { process.exitCode = m.prepare(${JSON.stringify(folder)}) ? 0 : 1 })`,
    ])

  it('build once: the second waits and finds it done', async () => {
    const codes = await Promise.all([preparing(), preparing()].map(async (child) => (await once(child, 'exit'))[0]))
    expect(codes).toEqual([0, 0])
    expect(readFileSync(join(folder, 'runs'), 'utf8')).toBe('x')
    expect(existsSync(join(folder, '.palimpsest/preparing'))).toBe(false)
  })

  it('do not wait for one that was stopped in the middle', async () => {
    const gone = spawn(process.execPath, ['-e', ''])
    await once(gone, 'exit')
    write('.palimpsest/preparing', String(gone.pid))
    const [code] = await once(preparing(), 'exit')
    expect(code).toBe(0)
    expect(readFileSync(join(folder, 'runs'), 'utf8')).toBe('x')
  })
})
