import { type ChildProcess, spawn } from 'node:child_process'
import { StringDecoder } from 'node:string_decoder'
import { setTimeout as wait } from 'node:timers/promises'
import { ToolFailure } from '../agent-tool.ts'
import { codeOf } from '../workspace/workspace.ts'
import { OutputBuffer } from './output-buffer.ts'

export interface CommandOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly seconds: number
  readonly signal: AbortSignal
}

/** How a command ended, and what it printed. */
export interface CommandEnd {
  /** As bash has it: 128 and the number of the signal that ended it. */
  readonly exitCode: number
  readonly killedBy?: string
  /** The time was over. */
  readonly late: boolean
  /** Something that it started still holds its output open. */
  readonly background: boolean
  readonly output: string
}

/** Standard error goes where standard output goes, so that their lines stay in order; then bash becomes the one that runs it. */
const ONE_OUTPUT = 'exec bash -c "$1" 2>&1'

/**
 * Runs a command with bash, in a process group of its own, without input. When the time is over, or the signal is aborted, the
 * whole group is ended; then, in the second case, rejects with the signal's reason. @throws ToolFailure where bash cannot start.
 */
export async function runCommand(command: string, options: CommandOptions): Promise<CommandEnd> {
  const { cwd, env, seconds, signal } = options
  signal.throwIfAborted()
  if (command.includes('\0')) throw new ToolFailure('A command cannot hold a NUL character; printf makes one: `\\0`.')
  const child = spawn('bash', ['-c', ONE_OUTPUT, 'bash', command], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const output = collected(child)
  const stop = new AbortController()
  const onAbort = () => stop.abort()
  signal.addEventListener('abort', onAbort, { once: true })
  const timer = setTimeout(onAbort, seconds * 1_000)
  // a program that ends takes with it what it started
  const killAll = () => signalGroup(child, 'SIGKILL')
  process.once('exit', killAll)
  try {
    const { code, killedBy } = await ended(child, stop.signal)
    const late = stop.signal.aborted
    const background = await output.end()
    signal.throwIfAborted()
    return {
      exitCode: code,
      ...(killedBy && { killedBy }),
      late,
      background,
      output: output.text(),
    }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    process.removeListener('exit', killAll)
  }
}

interface Ended {
  readonly code: number
  readonly killedBy?: string
}

/** Waits for the end, and brings it about when told to. */
async function ended(child: ChildProcess, stop: AbortSignal): Promise<Ended> {
  const exit = exitOf(child)
  let stopping: Promise<void> | undefined
  const onStop = () => {
    stopping = endGroup(child)
  }
  stop.addEventListener('abort', onStop, { once: true })
  if (stop.aborted) onStop()
  try {
    const end = await exit
    await stopping
    return end
  } finally {
    stop.removeEventListener('abort', onStop)
  }
}

function exitOf(child: ChildProcess): Promise<Ended> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(startFailure(error)))
    child.once('exit', (code, name) => {
      resolve(name === null ? { code: code ?? 1 } : { code: 128 + (SIGNALS[name] ?? 0), killedBy: name })
    })
  })
}

/** Those that end commands; by their numbers, which are the same on every system that has bash. */
const SIGNALS: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGTRAP: 5,
  SIGABRT: 6,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
}

function startFailure(error: Error): Error {
  if (codeOf(error) === 'E2BIG') return new ToolFailure('The command is too long. Write it to a file, and run that.')
  if (codeOf(error) === 'ENOENT')
    return new ToolFailure('The command could not be started: bash, or the folder of the workspace, is not there.')
  return error
}

/** Milliseconds between asking a group to end, and ending it. */
const GRACE = 2_000
const POLL = 25

async function endGroup(child: ChildProcess): Promise<void> {
  if (!signalGroup(child, 'SIGTERM')) return
  for (let waited = 0; waited < GRACE; waited += POLL) {
    await wait(POLL)
    if (!signalGroup(child, 0)) return
  }
  signalGroup(child, 'SIGKILL')
}

/** Is there anybody left in the group? */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (pid === undefined) return false
  try {
    process.kill(-pid, signal)
    return true
  } catch {
    return false
  }
}

/** Milliseconds without output after which what is still open belongs to something in the background. */
const QUIET = 100
/** Milliseconds after which something that goes on printing is left alone. */
const MOST_PATIENCE = 2_000

/** Reads what a child prints, into bounded memory. */
function collected(child: ChildProcess) {
  const buffer = new OutputBuffer()
  const decoder = new StringDecoder('utf8')
  let bytes = 0
  let listening = true
  child.stdout?.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (listening) buffer.add(decoder.write(chunk))
  })
  const closed = new Promise<true>((resolve) => child.once('close', () => resolve(true)))
  return {
    /** Waits for the last of it. Gives true where something still holds it open; that is read on, so that it never hangs. */
    async end(): Promise<boolean> {
      let before = -1
      for (let waited = 0; waited < MOST_PATIENCE && before !== bytes; waited += QUIET) {
        before = bytes
        if (await Promise.race([closed, wait(QUIET, false, { ref: true })])) break
      }
      const isOpen = child.stdout?.readableEnded === false
      listening = false
      buffer.add(decoder.end())
      if (isOpen) unref(child)
      return isOpen
    },
    text: () => buffer.text(),
  }
}

/** It no longer keeps our own process from ending. */
function unref(child: ChildProcess): void {
  child.unref()
  const { stdout } = child
  if (stdout !== null && 'unref' in stdout && typeof stdout.unref === 'function') stdout.unref()
}
