import { CommanderError } from 'commander'
import { PalimpsestError, type PalimpsestErrorCode } from 'palimpsest'
import { type ExitCode, exitCode } from './exit-code.ts'
import type { Terminal } from './terminal.ts'

const exitCodes: Readonly<Record<PalimpsestErrorCode, ExitCode>> = {
  'invalid-input': exitCode.unusable,
  'plan-mismatch': exitCode.wrong,
  'cannot-fit': exitCode.cannotFit,
  'no-progress': exitCode.cannotFit,
  'invalid-transcript': exitCode.wrong,
  'history-on-server': exitCode.unusable,
  'context-overflow': exitCode.cannotFit,
  'effect-failed': exitCode.unusable,
  'not-found': exitCode.unusable,
  conflict: exitCode.unusable,
}

/** Says what went wrong and what would work, one line each, and gives the exit code that goes with it. */
export function reportError(error: unknown, terminal: Terminal): ExitCode {
  // Commander has said its part already; `--help` and `--version` end this way too.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.fine : exitCode.unusable
  if (error instanceof PalimpsestError) {
    sayError(error, terminal)
    return exitCodeOf(error)
  }
  terminal.say(`internal error: ${oneLine(error instanceof Error ? `${error.name}: ${error.message}` : String(error))}`)
  terminal.say(
    'hint: this is a fault of palimpsest; please report it with the command that you ran and the lines below',
  )
  if (error instanceof Error && error.stack !== undefined) terminal.say(withoutHead(error.stack))
  return exitCode.internal
}

/** What went wrong and what would work, one line each. */
export function sayError({ message, hint }: PalimpsestError, terminal: Terminal): void {
  terminal.say(`error: ${oneLine(message)}`)
  if (hint !== undefined) terminal.say(`hint: ${oneLine(hint)}`)
}

/** What a command ends with that could not be carried out for this reason. */
export function exitCodeOf({ code }: PalimpsestError): ExitCode {
  return exitCodes[code]
}

/** A mistake in how the command was called, or in what it was given. */
export function usageError(message: string, hint?: string, cause?: unknown): PalimpsestError {
  return new PalimpsestError('invalid-input', message, {
    ...(hint === undefined ? {} : { hint }),
    ...(cause === undefined ? {} : { cause }),
  })
}

/** The same errors, with the name of what was read in front; of promises too. */
export function inFile<T>(name: string, read: () => T): T {
  try {
    const result = read()
    return result instanceof Promise ? (result.catch((error) => rethrow(name, error)) as T) : result
  } catch (error) {
    return rethrow(name, error)
  }
}

/**
 * Runs a command on a file; where its values are nested more deeply than the stack goes, that is said of the file.
 * @throws PalimpsestError `invalid-input` instead of the RangeError of the stack.
 */
export async function refuseTooDeep<T>(file: string | undefined, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof RangeError) || !error.message.startsWith('Maximum call stack')) throw error
    throw usageError(
      `${inputName(file)}: nested too deeply to be read (more than a few thousand levels).`,
      undefined,
      error,
    )
  }
}

/** What messages call an input: its path, or `standard input`. */
export function inputName(file: string | undefined): string {
  return file === undefined || file === '-' ? 'standard input' : file
}

function rethrow(name: string, error: unknown): never {
  if (!(error instanceof PalimpsestError)) throw error
  const hint = error.hint === undefined ? {} : { hint: error.hint }
  throw new PalimpsestError(error.code, `${name}: ${error.message}`, { cause: error, ...hint })
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ')
}

function withoutHead(stack: string): string {
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line))
  return frames.slice(0, 8).join('\n')
}
