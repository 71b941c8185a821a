import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type IPty, spawn } from '@lydell/node-pty'
import { type Reply, type ReplyPart, startWirelab, type Wirelab, type WirelabOptions } from '@palimpsest/wirelab'
import { afterEach } from 'vitest'
import { repository } from '../built-command.test-data.ts'
import { ScreenReader } from './screen-reader.test-data.ts'

const command = join(repository, 'packages/cli/dist/main.js')

export interface BenchOptions extends WirelabOptions {
  readonly files?: Readonly<Record<string, string>>
}

export interface StartOptions {
  readonly columns?: number
  readonly rows?: number
  readonly env?: Readonly<Record<string, string>>
  /** Does the terminal know the longer key codes of kitty? */
  readonly kitty?: boolean
  /** Another program than the built command. */
  readonly program?: string
  /** Does the shell go on when the program is suspended, and then go on with it (`fg`)? */
  readonly jobs?: boolean
}

/** A simulator, a folder to work in, and the command in pseudo-terminals. */
export interface ReplBench {
  readonly lab: Wirelab
  /** The folder that it works in. */
  readonly cwd: string
  /** Starts the command, and waits until it can be typed. */
  start(words?: readonly string[], options?: StartOptions): Promise<PtyRepl>
}

/** Benches of a test file; each ends with its test. */
export function replBenches(): (options?: BenchOptions) => Promise<ReplBench> {
  const ends: (() => Promise<void> | void)[] = []
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end()
  })
  return async ({ files = {}, ...options } = {}) => {
    const lab = await startWirelab({ window: WINDOW, ...options })
    ends.push(() => lab.close())
    const home = mkdtempSync(join(tmpdir(), 'palimpsest-repl-'))
    ends.push(() => rmSync(home, { recursive: true, force: true, maxRetries: 3 }))
    const cwd = join(home, 'work')
    mkdirSync(cwd)
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(cwd, name)), { recursive: true })
      writeFileSync(join(cwd, name), text)
    }
    return {
      lab,
      cwd,
      async start(words = [], { program = command, ...start } = {}) {
        const env = { ...environment(home, lab.url), ...start.env }
        const flags = ['--model', 'anthropic:lab-model', '--window', String(WINDOW), ...words]
        const repl = new PtyRepl([program, ...(program === command ? flags : words)], { ...start, env, cwd })
        ends.push(() => repl.end())
        await repl.screen.sees('/help')
        return repl
      },
    }
  }
}

/** Tokens that the simulated model takes at once. */
export const WINDOW = 20_000

function environment(home: string, url: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: home,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    ANTHROPIC_API_KEY: 'any',
    ANTHROPIC_BASE_URL: url,
  }
}

/** The command in a terminal of its own, as a person has it: behind a shell that tells the state of the terminal before and after. */
export class PtyRepl {
  readonly screen: ScreenReader
  /** What the shell said at the end: the command's exit code, and `stty -a` before and after it. */
  readonly over: Promise<{ readonly code: number; readonly before: string; readonly after: string }>
  readonly #pty: IPty
  readonly #gone: Promise<void>

  constructor(
    words: readonly string[],
    options: StartOptions & { readonly env: Record<string, string>; readonly cwd: string },
  ) {
    const { columns = 80, rows = 24, env, cwd, kitty = false, jobs = false } = options
    this.screen = new ScreenReader({ columns, rows })
    const shell = ['-c', jobs ? SHELL_WITH_JOBS : SHELL, 'sh', process.execPath, ...words]
    this.#pty = spawn('/bin/sh', shell, { cols: columns, rows, cwd, env })
    this.#pty.onData((data) => {
      this.screen.feed(data)
      if (kitty && data.includes('\u001b[?u')) this.#pty.write('\u001b[?0u')
    })
    this.screen.onReply((data) => this.#pty.write(data))
    this.#gone = new Promise((resolve) => {
      this.#pty.onExit(() => resolve())
    })
    this.over = this.#gone.then(async () => {
      await this.screen.settled()
      return endingOf(this.screen.written)
    })
    this.over.catch(() => {})
  }

  press(...keys: readonly string[]): void {
    for (const key of keys) this.#pty.write(key)
  }

  /** Types a text and waits until it stands on the screen: then the keys that follow come after it. */
  async type(text: string): Promise<void> {
    this.#pty.write(text)
    await this.screen.sees(text)
  }

  async enter(text: string): Promise<void> {
    await this.type(text)
    this.press('\r')
  }

  resize(columns: number, rows: number): void {
    this.#pty.resize(columns, rows)
    this.screen.resize(columns, rows)
  }

  /** Sends a signal to the command itself. */
  signal(name: NodeJS.Signals): void {
    process.kill(this.pid, name)
  }

  get pid(): number {
    return Number(/PID (\d+)/.exec(this.screen.written)?.[1])
  }

  /** The terminal goes away. */
  async end(): Promise<void> {
    this.#pty.kill()
    await this.#gone
  }
}

/** The inner shell becomes the command, so that its id is known. */
const RUN = 'sh -c \'echo PID $$; exec "$@"\' sh "$@"'
const SHELL = `stty -a; ${RUN}; echo "EXIT $?"; stty -a; echo END`
const SHELL_WITH_JOBS = `set -m; stty -a; ${RUN}; echo PAUSED; stty -a; echo RESUMED; fg; echo "EXIT $?"; stty -a; echo END`

function endingOf(written: string): { code: number; before: string; after: string } {
  const match = /^([\s\S]*?)PID \d+[\s\S]*EXIT (\d+)\r?\n([\s\S]*?)END/.exec(written)
  if (match === null) throw new Error(`The shell did not get to its end: ${JSON.stringify(written.slice(-2_000))}`)
  const [, before = '', code, after = ''] = match
  return { code: Number(code), before: before.trim(), after: after.trim() }
}

/** Modes that the program switched on and did not switch off. */
export function modesLeft(written: string): readonly string[] {
  return MODES.filter(({ on, off }) => lastOf(written, on) > lastOf(written, off)).map(({ name }) => name)
}

const MODES = [
  { name: 'cursor hidden', on: '\u001b[?25l', off: '\u001b[?25h' },
  { name: 'bracketed paste', on: '\u001b[?2004h', off: '\u001b[?2004l' },
  { name: 'kitty keys', on: '\u001b[>7u', off: '\u001b[<u' },
  { name: 'modified keys', on: '\u001b[>4;2m', off: '\u001b[>4;0m' },
  { name: 'synchronised output', on: '\u001b[?2026h', off: '\u001b[?2026l' },
  { name: 'alternate screen', on: '\u001b[?1049h', off: '\u001b[?1049l' },
]

function lastOf(text: string, part: string): number {
  return text.lastIndexOf(part)
}

/** An answer that the simulator holds until the test lets it go. */
export class Gate {
  readonly #open: Promise<void>
  readonly #reached: Promise<void>
  #letGo: () => void = () => {}
  #arrive: () => void = () => {}

  constructor() {
    this.#open = new Promise((resolve) => {
      this.#letGo = resolve
    })
    this.#reached = new Promise((resolve) => {
      this.#arrive = resolve
    })
  }

  /** For the simulator: waits here. */
  async pass<Value>(value: Value): Promise<Value> {
    this.#arrive()
    await this.#open
    return value
  }

  /** For the test: resolves when the simulator waits here. */
  get reached(): Promise<void> {
    return this.#reached
  }

  open(): void {
    this.#letGo()
  }
}

export function says(text: string): Reply {
  return { parts: [{ kind: 'text', text }] }
}

/** Words, and a call of a tool. */
export function calls(name: string, input: object, text?: string): Reply {
  const call: ReplyPart = { kind: 'tool-call', id: `toolu_${name}_${JSON.stringify(input).length}`, name, input }
  return { parts: text === undefined ? [call] : [{ kind: 'text', text }, call] }
}

/** Text of about so many tokens, no line of it like another. */
export function prose(tokens: number, about: string): string {
  return Array.from({ length: tokens / 8 }, (_, n) => `${about} line ${n} tells of item ${n * 7}.`).join('\n')
}
