import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runCommandLine } from './command-line.ts'
import { recordingTerminal } from './recording-terminal.test-data.ts'

export const repository = fileURLToPath(new URL('../../../', import.meta.url))
export const exampleSession = join(repository, 'examples/sessions/ledger-service.jsonl')

const command = join(repository, 'packages/cli/dist/main.js')

/** What one run of the built command gave. */
export interface CommandResult {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export interface CommandOptions {
  readonly input?: string
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

/** Builds what is stale, so that the tests run what the sources say. Its output shows only when a test fails after it. */
export function buildCommand(): void {
  spawnSync(process.execPath, [join(repository, 'scripts/prepare.mjs')], { cwd: repository, stdio: 'ignore' })
}

/** Runs the built command as its own process, without colours and away from the home folder. */
export function palimpsest(words: readonly string[], options: CommandOptions = {}): CommandResult {
  const { NO_COLOR: _, FORCE_COLOR: __, ...env } = process.env
  const result = spawnSync(process.execPath, [command, ...words], {
    cwd: options.cwd ?? repository,
    env: { ...env, HOME: tmpdir(), USERPROFILE: tmpdir(), COLUMNS: '80', ...options.env },
    input: options.input ?? '',
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  })
  return { code: result.status, out: result.stdout, err: result.stderr }
}

/** The built command while it runs. */
export interface RunningCommand {
  readonly child: ChildProcess
  readonly ended: Promise<CommandResult>
  /** When standard output has this; rejects when the command ends without it. */
  printed(what: string | RegExp): Promise<void>
}

/** Starts the built command as its own process, so that this one can serve it; away from the home folder and from keys. */
export function startPalimpsest(words: readonly string[], options: CommandOptions = {}): RunningCommand {
  const child = spawn(process.execPath, [command, ...words], {
    cwd: options.cwd ?? repository,
    env: { PATH: process.env.PATH, HOME: tmpdir(), USERPROFILE: tmpdir(), COLUMNS: '80', ...options.env },
  })
  const heard = { code: null as number | null, out: '', err: '' }
  const watchers = new Set<() => void>()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    heard.out += text
    for (const watch of watchers) watch()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    heard.err += text
  })
  // one that ends before it has read all of its input
  child.stdin.on('error', () => {})
  child.stdin.end(options.input ?? '')
  const ended = new Promise<CommandResult>((resolve) => {
    child.on('close', (code) => resolve({ ...heard, code }))
  })
  const printed = (what: string | RegExp) =>
    new Promise<void>((resolve, reject) => {
      const watch = () => {
        if (heard.out.search(what) < 0) return
        watchers.delete(watch)
        resolve()
      }
      watchers.add(watch)
      watch()
      void ended.then(({ code, err }) => reject(new Error(`ended with ${code} before it printed ${what}: ${err}`)))
    })
  return { child, ended, printed }
}

/** Runs the command in this process, from its sources: the same without the start of Node, for cases by the dozen. */
export async function palimpsestHere(words: readonly string[], input = ''): Promise<CommandResult> {
  const terminal = recordingTerminal({ input })
  const code = await runCommandLine(words, terminal)
  return { code, out: terminal.written, err: terminal.said.map((line) => `${line}\n`).join('') }
}

/** A folder for one test file; `remove` takes it away with all that is in it. */
export function scratchFolder() {
  const path = mkdtempSync(join(tmpdir(), 'palimpsest-cli-'))
  return {
    path,
    file(name: string, content: string | object): string {
      const file = join(path, name)
      writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
      return file
    },
    /** A folder in it, without anything. */
    folder(name: string): string {
      const folder = join(path, name)
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder)
      return folder
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}
