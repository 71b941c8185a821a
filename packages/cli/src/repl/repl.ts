import type { ExitCode } from '../exit-code.ts'
import type { ReplOptions } from './repl-options.ts'

/**
 * Talks with a person in the terminal of this process, until they leave: 0, or until a signal ends it: 130. Closes what it
 * opened, and leaves the terminal as it was, whatever happens. @throws what `open` throws; faults of our own.
 */
export async function repl(options: ReplOptions): Promise<ExitCode> {
  // drawing brings much with it: other commands start without
  const [{ runRepl }, { processDevices }] = await Promise.all([import('./run-repl.ts'), import('./repl-devices.ts')])
  return runRepl(options, processDevices())
}
