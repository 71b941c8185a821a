import { lstat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/** The folder with `.git` at or above this one; undefined where there is none. */
export async function repositoryRoot(folder: string): Promise<string | undefined> {
  for (const at of foldersUp(folder)) {
    // a worktree has a file of this name
    if (await exists(resolve(at, '.git'))) return at
  }
  return undefined
}

/** This folder and those above it up to `top`, the innermost first; only this one where `top` is none of them. */
export function foldersUpTo(folder: string, top: string | undefined): readonly string[] {
  const all = foldersUp(folder)
  const last = top === undefined ? -1 : all.indexOf(resolve(top))
  return all.slice(0, Math.max(0, last) + 1)
}

function foldersUp(folder: string): readonly string[] {
  const all = [resolve(folder)]
  for (let at = resolve(folder); dirname(at) !== at; at = dirname(at)) all.push(dirname(at))
  return all
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}
