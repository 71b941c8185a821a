import { quotedStrings } from './command-text.ts'
import { type NameKind, visitNames } from './names-in-text.ts'
import type { ToolCall } from './tool-call.ts'

/** What a call refers to: a name, or an exact string that no list of names can give back. */
export interface Reference {
  readonly kind: NameKind | 'exact'
  readonly text: string
}

/** Lines and quoted strings shorter than this are not exact references. */
const SHORTEST_EXACT = 12
const LONGEST_EXACT = 300

/**
 * What a tool call refers to, each once, in order: paths (without `folder`), identifiers, ids, and exact strings: lines
 * of the text that an edit replaces, quoted strings of a command, search patterns.
 */
export function referencesOfCall(call: ToolCall, folder = ''): readonly Reference[] {
  const found = new Map<string, Reference>()
  const add = (kind: Reference['kind'], text: string) => {
    if (!found.has(text)) found.set(text, { kind, text })
  }
  const addPath = (path: string) => {
    const short = withoutFolder(path, folder)
    if (short !== '' && short !== '.') add('path', short)
  }
  for (const path of call.paths) addPath(path)
  for (const text of exactStrings(call)) add('exact', text)
  const visit = (kind: NameKind, name: string) => (kind === 'path' ? addPath(name) : add(kind, name))
  visitNames(call.command ?? '', visit, true)
  visitNames(call.pattern ?? '', visit)
  // Slashes in text that is written are mostly prose and markup: paths count where they are acted on.
  visitNames(call.otherText, (kind, name) => kind !== 'path' && add(kind, name))
  return [...found.values()]
}

/** A path without the folder that it lies in, and without `./`. */
export function withoutFolder(path: string, folder: string): string {
  const clean = path.startsWith('./') ? path.slice(2) : path
  const root = folder.endsWith('/') ? folder.slice(0, -1) : folder
  if (root === '' || !(clean === root || clean.startsWith(`${root}/`))) return clean
  return clean.slice(root.length + 1)
}

function exactStrings(call: ToolCall): readonly string[] {
  const replaced = call.edits.flatMap((edit) => edit.before?.split('\n') ?? [])
  const quoted = call.command === undefined ? [] : quotedStrings(call.command)
  const patterns = call.pattern === undefined ? [] : [call.pattern]
  return [...replaced, ...quoted, ...patterns]
    .map((text) => text.trim())
    .filter((text) => text.length >= SHORTEST_EXACT && text.length <= LONGEST_EXACT && !text.includes('\n'))
}
