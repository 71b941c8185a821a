import { lstat, readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { isInside } from '../../folders/inside.ts'
import { ToolFailure } from '../agent-tool.ts'

/** Where a path leads. */
export interface Place {
  /** Absolute, no link in it at the time of asking, the last name included. */
  readonly real: string
  /** For models and people: relative to the workspace, with `/`; absolute elsewhere. */
  readonly shown: string
}

export interface WorkspaceOptions {
  readonly root: string
  /** Further folders that may be read. */
  readonly readable?: readonly string[]
}

/** The folder that tools work in, and what may be read beside it. What a path says does not count, only where it leads. */
export class Workspace {
  readonly root: string
  readonly #readable: readonly string[]

  constructor({ root, readable = [] }: WorkspaceOptions) {
    this.root = resolve(root)
    this.#readable = readable.map((folder) => resolve(root, folder))
  }

  /** Does the path, as it is written, name something in the workspace? */
  names(path: string): boolean {
    return isInside(resolve(this.root, path), this.root)
  }

  /** @throws ToolFailure where that is outside of what may be read or written; it names the path and what would work. */
  async locate(path: string, purpose: 'read' | 'write'): Promise<Place> {
    if (path.includes('\0')) throw new ToolFailure('A path cannot hold a NUL character.')
    const root = await realOf(this.root)
    const real = await realOf(resolve(this.root, path))
    if (isInside(real, root)) return { real, shown: slashed(relative(root, real)) || '.' }
    if (purpose === 'read') {
      for (const folder of this.#readable) if (isInside(real, await realOf(folder))) return { real, shown: real }
    }
    throw new ToolFailure(await this.#refusal(path, real, purpose))
  }

  async #refusal(path: string, real: string, purpose: 'read' | 'write'): Promise<string> {
    const readable = (await Promise.all(this.#readable.map(realOf))).some((folder) => isInside(real, folder))
    if (readable) return `${echo(path)} may be read, not written. Write to a path in the workspace ${this.root}.`
    const leads = resolve(this.root, path) === real ? 'is' : `leads to ${echo(real)},`
    const also =
      purpose === 'read' && this.#readable.length > 0
        ? `, and to ${this.#readable.slice(0, MOST_NAMED).join(', ')}`
        : ''
    return `${echo(path)} ${leads} outside of the workspace. Paths are confined to ${this.root}${also}; \
give one relative to the workspace.`
  }
}

/** Folders that a refusal names. */
const MOST_NAMED = 5
/** UTF-16 units of a path that an answer repeats. */
const LONGEST_ECHO = 300
/** Links to links, as far as systems follow them. */
const MOST_LINKS = 40

export function echo(path: string): string {
  return JSON.stringify(path.length > LONGEST_ECHO ? `${path.slice(0, LONGEST_ECHO)}…` : path)
}

/** A path below a folder, as tools take it. */
export function shownBelow(folder: Place, below: string): string {
  return folder.shown === '.' ? below : `${folder.shown}/${below}`
}

export function slashed(path: string): string {
  return sep === '/' ? path : path.split(sep).join('/')
}

/** Where an absolute path leads, also one of something that is not there yet: links that lead nowhere are followed, too. */
async function realOf(path: string, links = 0): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw unreachable(path, error)
  }
  const parent = await realOf(dirname(path), links)
  const own = join(parent, basename(path))
  const target = await linkTarget(own)
  if (target === undefined) return own
  if (links >= MOST_LINKS) throw new ToolFailure(`${echo(path)} is a link that leads in a circle.`)
  return realOf(resolve(parent, target), links + 1)
}

async function linkTarget(path: string): Promise<string | undefined> {
  const found = await lstat(path).catch(() => undefined)
  return found?.isSymbolicLink() ? readlink(path) : undefined
}

function unreachable(path: string, error: unknown): Error {
  const reasons: Readonly<Record<string, string>> = {
    ENOTDIR: 'a part of it is a file, not a folder',
    ELOOP: 'a link in it leads in a circle',
    EACCES: 'a folder in it may not be entered',
    ENAMETOOLONG: 'it is too long',
  }
  const reason = reasons[codeOf(error) ?? '']
  if (reason !== undefined) return new ToolFailure(`${echo(path)} cannot be reached: ${reason}.`)
  return error instanceof Error ? error : new Error(String(error))
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
