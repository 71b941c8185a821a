import { ProcessTerminal, type Terminal } from '@mariozechner/pi-tui'

/** What the agent in the terminal uses of the world: another one in tests. */
export interface ReplDevices {
  readonly terminal: Terminal
  readonly clock: ReplClock
  /** Tells, from now on, what ends the program from outside; gives the way to hear no more of it. */
  listen(listener: EndListener): () => void
  /** Stops the program until the shell goes on with it; then, or where nobody stops it, runs what is given. */
  suspend(then: () => void): void
}

export interface ReplClock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Runs once, after so many milliseconds; gives the way to prevent that. */
  after(milliseconds: number, run: () => void): () => void
}

export interface EndListener {
  /** A signal, or the keyboard is gone. */
  ended(how: 'signal' | 'input-closed'): void
  /** An error that nobody caught. */
  failed(error: unknown): void
  /** The process ends now: only what is done at once is done. */
  exiting(): void
}

/** The terminal, the clock and the signals of this process. */
export function processDevices(): ReplDevices {
  return {
    terminal: new CleanTerminal(),
    clock: {
      now: Date.now,
      after(milliseconds, run) {
        const timer = setTimeout(run, milliseconds)
        return () => clearTimeout(timer)
      },
    },
    listen: listenToProcess,
    suspend(then) {
      // time stands still while it is stopped; who has no shell above it is not stopped at all, and goes on
      setTimeout(then, RESUMED_MILLISECONDS)
      if (process.platform !== 'win32') process.kill(0, 'SIGTSTP')
    },
  }
}

const RESUMED_MILLISECONDS = 100

/**
 * The terminal is asked for longer key codes a moment after it is started, by a timer that nobody can stop: it may be over by
 * then. So that is taken back at the very end.
 */
class CleanTerminal extends ProcessTerminal {
  #isWatched = false

  override start(onInput: (data: string) => void, onResize: () => void): void {
    if (!this.#isWatched) process.once('exit', () => this.write(PLAIN_KEY_CODES))
    this.#isWatched = true
    super.start(onInput, onResize)
  }
}

const PLAIN_KEY_CODES = '\u001b[>4;0m'

const SIGNALS = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const

function listenToProcess(listener: EndListener): () => void {
  const signal = () => listener.ended('signal')
  const closed = () => listener.ended('input-closed')
  const failed = (error: unknown) => listener.failed(error)
  const exiting = () => listener.exiting()
  for (const name of SIGNALS) process.on(name, signal)
  for (const event of ['end', 'close', 'error'] as const) process.stdin.on(event, closed)
  process.on('uncaughtException', failed)
  process.on('unhandledRejection', failed)
  process.on('exit', exiting)
  return () => {
    for (const name of SIGNALS) process.off(name, signal)
    for (const event of ['end', 'close', 'error'] as const) process.stdin.off(event, closed)
    process.off('uncaughtException', failed)
    process.off('unhandledRejection', failed)
    process.off('exit', exiting)
  }
}
