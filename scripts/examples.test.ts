import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { type LabCall, type Script, startWirelab, type Wirelab } from '@palimpsest/wirelab'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { fencesOf } from './documents/markdown.mjs'

const root = fileURLToPath(new URL('../', import.meta.url))
const WINDOW = 32_000
const PAGES = 30
const FINAL = 'All pages are read.'
/** What the example with tools does at its end. */
const LOOKING_BACK: readonly [string, object][] = [
  ['search_history', { query: 'marmalade of file 3' }],
  ['read_history', { from: 1, to: 3 }],
  ['compact_conversation', {}],
]
const names = readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.mjs') && name !== 'reading.mjs')

let lab: Wirelab | undefined
let folder: string | undefined
let running: ChildProcess | undefined

// Examples import the packages as a user does: as they are built.
beforeAll(() => {
  spawnSync(process.execPath, [join(root, 'scripts/prepare.mjs')], { cwd: root, stdio: 'ignore' })
})

afterEach(async () => {
  running?.kill()
  await lab?.close()
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
})

test.each(names)('examples/%s ends its loop in a small window, and never hears of an overflow', async (name) => {
  const { output, calls } = await run(name)
  expect(output).toMatch(/^compacted \(threshold\): \d+ → \d+ tokens, /m)
  expect(output).toMatch(/^compacted \(overflow\): /m)
  expect(calls.filter(({ outcome }) => outcome === 'refused').map(({ reason, message }) => message ?? reason)).toEqual(
    [],
  )
  expect(calls.filter(({ outcome }) => outcome === 'faulted')).toHaveLength(1)
  const steps = calls.filter(({ purpose, outcome }) => purpose === 'main' && outcome === 'answered').length
  expect(output).toContain(`${FINAL}\ndone after ${steps} steps`)
  expect(steps).toBeGreaterThan(PAGES)
})

test('the example with tools finds again what left its prompt', async () => {
  const { output, home } = await run('ai-sdk-tools.mjs')
  expect(output).toMatch(/^search_history: \d+ found, /m)
  expect(output).toMatch(/^read_history: [\s\S]*part-0\.md, page 1 of 1/m)
  expect(output).toMatch(/^compacted \(tool\): /m)
  const stored = readdirSync(join(home, 'store'), { recursive: true, encoding: 'utf8' })
  expect(stored.some((path) => /history\/.*\.md$/.test(path))).toBe(true)
})

test('the example with a session goes on where it was killed, and its log is sound', async () => {
  const name = 'session.mjs'
  const { home, lab } = await prepare(name)
  const killed = start(name, home, lab)
  let said = ''
  for await (const piece of killed.stdout) {
    said += piece
    if (/^compacted \(threshold\)/m.test(said)) break
  }
  killed.kill('SIGKILL')
  if (killed.exitCode === null && killed.signalCode === null) await once(killed, 'exit')
  const calls = lab.calls.length
  const { output } = await end(start(name, home, lab))
  expect(output).toMatch(/^done after \d+ steps$/m)
  expect(lab.calls.slice(calls).filter(({ outcome }) => outcome === 'refused')).toEqual([])
  const shown = palimpsest('show', 'reading', '--store', join(home, 'sessions.db'))
  expect(shown).toMatch(/ 2 turns, [1-9]\d* compactions?,/)
  expect(palimpsest('verify', '--store', join(home, 'sessions.db'))).toMatch(/^reading: .* sound$/m)
})

function palimpsest(...words: readonly string[]): string {
  const command = join(root, 'packages/cli/bin/palimpsest.js')
  return spawnSync(process.execPath, [command, 'sessions', ...words], { encoding: 'utf8' }).stdout
}

/** What an example printed, run against the simulator, and what the simulator saw. */
async function run(name: string) {
  const { home, lab } = await prepare(name)
  lab.inject({ kind: 'overflow', when: 'before-first-byte', after: 5, only: 'main' })
  const { output } = await end(start(name, home, lab))
  return { output, calls: lab.calls, home }
}

/** Pages to read, and a simulator whose model reads them. */
async function prepare(name: string): Promise<{ readonly home: string; readonly lab: Wirelab }> {
  const home = mkdtempSync(join(tmpdir(), 'palimpsest-examples-'))
  folder = home
  for (let at = 0; at < PAGES; at++) writeFileSync(join(home, `part-${at}.md`), pageOf(at))
  const started = await startWirelab({ window: WINDOW, script: reader(name) })
  lab = started
  return { home, lab: started }
}

function start(name: string, home: string, { url }: Wirelab) {
  const stores = { STORE: join(home, 'store'), PALIMPSEST_STORE: join(home, 'sessions.db') }
  const child = spawn(process.execPath, [join(root, 'examples', name), home], {
    cwd: home,
    env: { PATH: process.env.PATH, ...stores, ...addresses(url) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running = child
  return child
}

async function end(running: ReturnType<typeof start>): Promise<{ readonly output: string }> {
  const ended = once(running, 'exit')
  const [output, errors] = await Promise.all([text(running.stdout as never), text(running.stderr as never)])
  const [status] = await ended
  expect({ status, errors }).toEqual({ status: 0, errors: '' })
  return { output }
}

/** The usual variables of each SDK. */
function addresses(url: string): Readonly<Record<string, string>> {
  return {
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_KEY: 'not-a-key',
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'not-a-key',
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_API_KEY: 'not-a-key',
  }
}

/** Reads page after page, then looks back where it has tools for that, then is done. */
function reader(example: string): Script {
  const tool = example === 'deepagents.mjs' ? 'read_page' : 'read_file'
  const calls = [
    ...Array.from({ length: PAGES }, (_, at): [string, object] => [tool, { path: `part-${at}.md` }]),
    ...(example === 'ai-sdk-tools.mjs' ? LOOKING_BACK : []),
  ]
  return ({ answered }: LabCall) => {
    const call = calls[answered]
    if (call === undefined) return { parts: [{ kind: 'text', text: FINAL }] }
    const [name, input] = call
    return { parts: [{ kind: 'tool-call', id: `call_${answered}`, name, input }] }
  }
}

function pageOf(at: number): string {
  return Array.from(
    { length: 90 },
    (_, line) => `Line ${line}: the marmalade of file ${at} is worth ${line * 31 + at}.`,
  ).join('\n')
}

describe('README.md', () => {
  const excerpts = fencesOf(readFileSync(join(root, 'README.md'), 'utf8')).flatMap(({ info, text }) => {
    const name = /^js from examples\/(\S+)$/.exec(info)?.[1]
    return name === undefined ? [] : [{ name, text }]
  })

  test.each(names)('shows lines of examples/%s as they stand there', (name) => {
    const source = readFileSync(join(root, 'examples', name), 'utf8')
    const shown = excerpts.filter((excerpt) => excerpt.name === name).flatMap(({ text }) => text.split(/^ *\/\/ …\n/m))
    expect(shown).not.toEqual([])
    expect(shown.filter((lines) => !source.includes(lines))).toEqual([])
  })
})
