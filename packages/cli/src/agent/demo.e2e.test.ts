import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { buildCommand, repository } from '../built-command.test-data.ts'
import { modesLeft, PtyRepl } from '../repl/repl.test-data.ts'
import { KEYS } from '../repl/virtual-repl.test-data.ts'

const demo = join(repository, 'scripts/demo.mjs')
/** No keys, and no configuration of whoever runs the tests. */
const env = { PATH: process.env.PATH ?? '', HOME: '/nowhere', TERM: 'xterm-256color', LANG: 'C.UTF-8' }

beforeAll(buildCommand)

describe('npm run demo', () => {
  it('F2 shows in the terminal how a conversation is compacted, and stays to be talked with', async () => {
    const repl = new PtyRepl([demo], { env, cwd: repository, columns: 100, rows: 40 })
    onTestFinished(() => repl.end())
    const { screen } = repl
    await screen.sees('I look at the project first.')
    await screen.sees('Compacting...')
    await screen.sees('Context compacted automatically.')
    await screen.sees('Mended, and the tests say so.')
    await screen.losesSight('Working…')
    expect(screen.whole.replaceAll('Context compacted automatically.', '')).not.toContain('## Cause')
    await repl.enter('/context')
    await screen.sees('compacted at')
    await repl.enter('run the tests')
    await screen.sees('All of them pass.')
    await screen.losesSight('Working…')
    repl.press(KEYS.ctrlD)
    expect((await repl.over).code).toBe(0)
    expect(modesLeft(screen.written)).toEqual([])
  })

  it('tells in lines what happens where there is no terminal', async () => {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [demo], { env, cwd: repository })
    // it builds what is stale, and says so
    expect(stderr.replace(/^palimpsest: .*\n/gm, '')).toBe('')
    expect(stdout).toMatch(/^> The report is off by some cents/)
    expect(stdout).toMatch(/bash .*node --test/)
    expect(stdout).toMatch(/Compacting\.\.\. \(threshold: \d+ tokens are in the window\)/)
    const [, after, evicted] = /Compacted: (\d+) tokens, (\d+) messages left the window/.exec(stdout) ?? []
    expect(Number(after)).toBeLessThan(10_000)
    expect(Number(evicted)).toBeGreaterThan(0)
    expect(stdout).toMatch(/\*\*Mended\*\*[\s\S]*\n10 steps, \d+ tokens read/)
  })
})
