import { nearestNames } from '@palimpsest/agent'

/** What can be typed behind a slash, in the order of `/help`, and whether it works while a turn runs. */
export const SLASH_COMMANDS = [
  { name: 'help', argument: '', says: 'what works here', when: 'always' },
  { name: 'context', argument: '', says: 'how full the window is, and with what', when: 'always' },
  { name: 'compact', argument: '[focus]', says: 'summarise what is old, with more about the focus', when: 'idle' },
  { name: 'cost', argument: '', says: 'what this session has cost so far', when: 'always' },
  { name: 'model', argument: '[provider:model]', says: 'go on with another model', when: 'idle' },
  { name: 'resume', argument: '[id]', says: 'go on with an earlier session', when: 'idle' },
  { name: 'fork', argument: '', says: 'go on in a copy of this session', when: 'idle' },
  { name: 'undo', argument: '', says: 'go back to before a turn or a compaction', when: 'idle' },
  { name: 'exit', argument: '', says: 'leave', when: 'always' },
] as const

export type SlashCommand = (typeof SLASH_COMMANDS)[number]

/** Does it work while a turn runs? */
export function isAlwaysThere(name: SlashCommand['name']): boolean {
  return SLASH_COMMANDS.some((one) => one.name === name && one.when === 'always')
}

/** What was typed: words for the model, a command, or what looks like one and is none. */
export type TypedLine =
  | { readonly kind: 'prompt' }
  | { readonly kind: 'command'; readonly command: SlashCommand; readonly argument: string }
  | { readonly kind: 'unknown'; readonly name: string; readonly similar: readonly string[] }

/** A path (`/etc/hosts is wrong`) is no command, and neither is what starts with a slash and a space. */
export function readTypedLine(text: string): TypedLine {
  const match = /^\/([A-Za-z][\w-]*)(?:\s+([\s\S]*))?$/.exec(text.trim())
  if (match === null) return { kind: 'prompt' }
  const name = (match[1] ?? '').toLowerCase()
  const command = SLASH_COMMANDS.find((one) => one.name === name)
  if (command !== undefined) return { kind: 'command', command, argument: (match[2] ?? '').trim() }
  return { kind: 'unknown', name, similar: nearestNames(name, NAMES) }
}

const NAMES = SLASH_COMMANDS.map(({ name }) => name)
