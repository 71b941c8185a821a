import type { Paint } from './repl-theme.ts'
import { SLASH_COMMANDS } from './slash-commands.ts'

const KEYS = [
  ['Enter', 'send; while a turn runs: queue'],
  ['Shift+Enter, \\ Enter', 'a new line'],
  ['Up', 'earlier texts; the last queued message, where one waits'],
  ['Esc', 'end a compaction alone'],
  ['Ctrl+C', 'end what runs; with nothing running clear the line, then leave'],
  ['Ctrl+D', 'leave, on an empty line'],
  ['Ctrl+Z', 'back to the shell for a while; fg goes on'],
  ['Ctrl+O', 'tool calls and reasoning whole, or folded'],
  ['Tab, @', 'complete commands and paths'],
] as const

/** What `/help` prints. */
export function helpReport(paint: Paint): readonly string[] {
  const commands = SLASH_COMMANDS.map(({ name, argument, says }) => [`/${name} ${argument}`.trim(), says] as const)
  const rows = ([left, right]: readonly [string, string]) => `${paint.cyan(left.padEnd(WIDTH))} ${right}`
  return [paint.bold('Commands'), ...commands.map(rows), '', paint.bold('Keys'), ...KEYS.map(rows)]
}

const WIDTH = 23
