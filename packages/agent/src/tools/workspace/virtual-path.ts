import { lstat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { VirtualFiles } from 'palimpsest'
import type { Workspace } from './workspace.ts'

/** What can be read: the workspace, and what left the conversation, as files. */
export interface ReadablePlaces {
  readonly workspace: Workspace
  readonly history: VirtualFiles
}

/**
 * The path, where it is one of the stored histories or artifacts; undefined where it belongs to the file system. What really
 * stands in the workspace comes first: a folder may be called `artifacts`.
 */
export async function virtualPath(
  path: string,
  { workspace, history }: ReadablePlaces,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (path.trim().startsWith('artifact:')) return path
  if (workspace.names(path) && (await exists(resolve(workspace.root, path)))) return undefined
  return (await history.holds(path, { signal })) ? path : undefined
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined
}
