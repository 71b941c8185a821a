import { readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { ToolFailure } from '../agent-tool.ts'
import type { IgnoreRules } from './ignore-rules.ts'

/** What stands in a folder. Links are named, never followed. */
export interface FolderEntry {
  readonly name: string
  readonly path: string
  readonly kind: 'file' | 'folder' | 'link' | 'other'
}

/** What is left out: nothing, or what git ignores. The repository's own folder always is. */
export interface EntryOptions {
  readonly rules: IgnoreRules | undefined
  readonly signal: AbortSignal
}

/** The entries of one folder, by its real path, sorted by name, and how many were left out. */
export async function folderEntries(
  folder: string,
  { rules, signal }: EntryOptions,
): Promise<{ readonly entries: readonly FolderEntry[]; readonly ignored: number }> {
  signal.throwIfAborted()
  const found = await readdir(folder, { withFileTypes: true })
  // the folder may have become a link while it was read
  if ((await realpath(folder)) !== folder)
    throw new ToolFailure(`${folder} changed its place while it was read. Try again.`)
  const all = found
    .filter(({ name }) => name !== '.git')
    .map((one): FolderEntry => ({ name: one.name, path: join(folder, one.name), kind: kindOf(one) }))
  const entries = all.filter(({ path, kind }) => rules?.ignores(path, kind === 'folder') !== true)
  return { entries: entries.sort((a, b) => (a.name < b.name ? -1 : 1)), ignored: all.length - entries.length }
}

/** Every file below a folder, in order of names; what may not be entered is left out. */
export async function* filesBelow(folder: string, { rules, signal }: EntryOptions): AsyncGenerator<string> {
  const { entries } = await folderEntries(folder, { rules, signal }).catch((error: unknown) => {
    signal.throwIfAborted()
    if (error instanceof TypeError) throw error
    return { entries: [] }
  })
  for (const { path, kind } of entries) {
    if (kind === 'file') yield path
    else if (kind === 'folder') yield* filesBelow(path, { rules: await rules?.in(path), signal })
  }
}

function kindOf(one: { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }): FolderEntry['kind'] {
  if (one.isSymbolicLink()) return 'link'
  if (one.isDirectory()) return 'folder'
  return one.isFile() ? 'file' : 'other'
}
