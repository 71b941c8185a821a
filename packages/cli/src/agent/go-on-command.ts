import { storePlace } from '../session-store/store-place.ts'
import type { AgentFlags } from './agent-flags.ts'

/**
 * The command that goes on with a session: what was said on the command line of where it is kept, and in which folder the agent
 * works, is said again. Of a URL without its password.
 */
export function goOnCommand(id: string, { store, namespace, cwd }: AgentFlags): string {
  const words = [
    'palimpsest',
    ...(cwd === undefined ? [] : ['--cwd', cwd]),
    ...(store === undefined ? [] : ['--store', storePlace(store).shown]),
    ...(namespace === undefined ? [] : ['--namespace', namespace]),
    ...['--resume', id],
  ]
  return words.map(quoted).join(' ')
}

/** As a shell takes it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
