import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { buildCommand, repository } from '../built-command.test-data.ts'
import { Gate, modesLeft, type PtyRepl, replBenches, says } from './repl.test-data.ts'
import { KEYS } from './virtual-repl.test-data.ts'

beforeAll(buildCommand)
const bench = replBenches()

const twice = async (repl: PtyRepl) => {
  repl.press(KEYS.ctrlC)
  await repl.screen.sees('Ctrl+C again leaves.')
  repl.press(KEYS.ctrlC)
}

describe('leaves a clean terminal, and says how to go on', () => {
  it.each<[string, number, (repl: PtyRepl) => Promise<void>]>([
    ['at Ctrl+C, twice', 0, twice],
    ['at Ctrl+D', 0, async (repl) => repl.press(KEYS.ctrlD)],
    ['at /exit', 0, (repl) => repl.enter('/exit')],
    ['at SIGTERM', 130, async (repl) => repl.signal('SIGTERM')],
    ['at SIGHUP', 130, async (repl) => repl.signal('SIGHUP')],
    ['at SIGINT from outside', 130, async (repl) => repl.signal('SIGINT')],
  ])('%s', async (_name, code, leave) => {
    const { start } = await bench({ script: () => says('Hello.') })
    const repl = await start()
    await repl.enter('Hi')
    await repl.screen.sees('Hello.')
    await repl.screen.losesSight('Working…')
    await leave(repl)
    const over = await repl.over
    expect(over.code).toBe(code)
    expect(over.after).toBe(over.before)
    expect(modesLeft(repl.screen.written)).toEqual([])
    expect(repl.screen.whole).toMatch(/palimpsest --resume \S+\nEXIT/)
  })

  it('in the middle of a turn: it is stored as far as it came', async () => {
    const held = new Gate()
    const { start } = await bench({ script: () => held.pass(says('Late.')) })
    const repl = await start()
    await repl.enter('REMEMBER ME')
    await held.reached
    repl.signal('SIGTERM')
    const over = await repl.over
    held.open()
    expect([over.code, over.after]).toEqual([130, over.before])
    expect(modesLeft(repl.screen.written)).toEqual([])
    const again = await start(['--resume'])
    await again.screen.sees('❯ REMEMBER ME')
  })

  it('at once after it started', async () => {
    const { start } = await bench()
    const repl = await start()
    repl.press(KEYS.ctrlD)
    const over = await repl.over
    expect([over.code, over.after]).toEqual([0, over.before])
    expect(modesLeft(repl.screen.written)).toEqual([])
    expect(repl.screen.whole).not.toContain('--resume')
  })

  it('where the terminal knows the key codes of kitty', async () => {
    const { start } = await bench()
    const repl = await start([], { kitty: true })
    await repl.screen.until('the longer key codes', ({ written }) => written.includes('\u001b[>7u'))
    repl.press('\u001b[99;5u')
    await repl.screen.sees('Ctrl+C again leaves.')
    repl.press('\u001b[99;5:3u', '\u001b[99;5u')
    const over = await repl.over
    expect([over.code, over.after]).toEqual([0, over.before])
    expect(modesLeft(repl.screen.written)).toEqual([])
  })

  it.each([
    ['throw', 'A fault of ours'],
    ['crash', 'A fault that nobody awaits'],
  ])('at a fault of ours: %s', async (text, message) => {
    const { start } = await bench()
    const repl = await start([], { program: join(repository, 'packages/cli/dist/repl/faulty-repl-child.test-data.js') })
    await repl.enter(text)
    const over = await repl.over
    expect([over.code, over.after]).toEqual([70, over.before])
    expect(modesLeft(repl.screen.written)).toEqual([])
    expect(repl.screen.whole).toContain(`internal error: TypeError: ${message}`)
  })

  it('at Ctrl+Z, and is all there again after it', async () => {
    const { start } = await bench({ script: () => says('Hello.') })
    const repl = await start([], { jobs: true })
    await repl.enter('Hi')
    await repl.screen.sees('Hello.')
    await repl.screen.losesSight('Working…')
    repl.press('\u001a')
    await repl.screen.until('the shell', ({ written }) => written.includes('RESUMED'))
    const { written } = repl.screen
    const paused = written.slice(written.indexOf('PAUSED') + 'PAUSED'.length, written.indexOf('RESUMED'))
    expect(modesLeft(written.slice(0, written.indexOf('PAUSED')))).toEqual([])
    const resumed = written.indexOf('RESUMED')
    await repl.screen.until('it anew', (screen) => screen.written.slice(resumed).includes('Hello.'))
    await repl.type('again')
    repl.press(KEYS.ctrlC)
    await repl.screen.sees('Ctrl+C again leaves.')
    repl.press(KEYS.ctrlC)
    const over = await repl.over
    expect([over.code, over.after, paused.trim()]).toEqual([0, over.before, over.before])
    expect(modesLeft(repl.screen.written)).toEqual([])
  })

  it('when the terminal itself goes away', async () => {
    const { start } = await bench()
    const repl = await start()
    const { pid } = repl
    await repl.end()
    await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false)
  })
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe('no colours', () => {
  it.each<[string, readonly string[], Record<string, string>, boolean]>([
    ['with NO_COLOR', [], { NO_COLOR: '1' }, false],
    ['with --no-color', ['--no-color'], {}, false],
    ['on a dumb terminal', [], { TERM: 'dumb' }, false],
    ['but else', [], {}, true],
  ])('%s', async (_name, words, env, painted) => {
    const { start } = await bench({ script: () => says('# Title\n\n`code` **bold**\n\n> quote\n\n- item') })
    const repl = await start(words, { env })
    await repl.enter('Hi')
    await repl.screen.sees('item')
    await repl.enter('/context')
    await repl.screen.sees('messages in view')
    expect(repl.screen.painted).toBe(painted)
  })
})
