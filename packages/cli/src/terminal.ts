import { createInterface } from 'node:readline'
import { PalimpsestError } from 'palimpsest'
import { exitCode } from './exit-code.ts'
import { plainText } from './session-text/plain-text.ts'
import { reason } from './written-file.ts'

/** Where a command reads and writes: data on one stream, everything said to a person on the other. */
export interface Terminal {
  /** Data. Nothing is added, not even a line end. */
  data(content: string | Uint8Array): void
  /** One line for the person. What of it would steer a terminal, names of sessions and files included, is shown as a sign. */
  say(line: string): void
  /** A line that the next one replaces; nothing where no person watches. An empty one wipes it away. */
  status(line: string): void
  /** Columns to write in. */
  readonly columns: number
  /** May data carry colours? */
  readonly color: boolean
  /** Does a person watch what is said? */
  readonly watched: boolean
  /** Does a person read the data as it comes: is standard output a screen? */
  readonly screen: boolean
  /** Is standard input a keyboard, so that waiting for a file there would be a surprise? */
  readonly keyboard: boolean
  /** All of standard input. */
  input(): Promise<Uint8Array>
  /** The line that a person types behind this question; empty where standard input ends. */
  ask(question: string): Promise<string>
}

/**
 * The terminal of this process. A reader that goes away (`| head`) ends the output without a word; a stream that cannot be
 * written for another reason ends the process with `unusable`.
 */
export function processTerminal(): Terminal {
  const { stdin, stdout, stderr, env } = process
  stdout.on('error', (error) =>
    leave(error, () => stderr.write(`error: standard output could not be written: ${reason(error)}.\n`)),
  )
  stderr.on('error', (error) => leave(error, () => {}))
  const watched = stderr.isTTY === true
  let shown = false
  const wipe = () => {
    if (shown) stderr.write('\r\u001b[2K')
    shown = false
  }
  return {
    data(content) {
      wipe()
      stdout.write(content)
    },
    say(line) {
      wipe()
      stderr.write(`${plainText(line)}\n`)
    },
    status(line) {
      wipe()
      if (!watched || line === '') return
      stderr.write(plainText(line).slice(0, (columnsOf(stderr.columns) ?? 80) - 1))
      shown = true
    },
    columns: columnsOf(stdout.columns) ?? columnsOf(env.COLUMNS) ?? 80,
    color: wantsColor(env, stdout.isTTY === true),
    watched,
    screen: stdout.isTTY === true,
    keyboard: stdin.isTTY === true,
    async input() {
      const chunks: Buffer[] = []
      try {
        for await (const chunk of stdin) chunks.push(chunk as Buffer)
      } catch (cause) {
        throw new PalimpsestError('effect-failed', `standard input cannot be read: ${reason(cause)}.`, { cause })
      }
      return Buffer.concat(chunks)
    },
    async ask(question) {
      wipe()
      const lines = createInterface({ input: stdin, output: stderr, terminal: false })
      stderr.write(question)
      for await (const line of lines) return line
      return ''
    },
  }
}

/** `NO_COLOR` (any value but the empty one) and a dumb terminal forbid colours; else a terminal has them. */
export function wantsColor(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  if ((env.NO_COLOR ?? '') !== '' || env.TERM === 'dumb') return false
  if ((env.FORCE_COLOR ?? '') !== '') return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false'
  return isTerminal
}

/** A terminal that does not know its width says 0. */
function columnsOf(text: string | number | undefined): number | undefined {
  const columns = Number(text)
  return Number.isInteger(columns) && columns > 0 ? columns : undefined
}

function leave(error: NodeJS.ErrnoException, tell: () => void): never {
  if (error.code === 'EPIPE') process.exit(process.exitCode ?? exitCode.fine)
  tell()
  process.exit(exitCode.unusable)
}
