import { constants } from 'node:fs'
import { lstat, open } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import ignore, { type Ignore } from 'ignore'
import { isInside, slashed } from '../workspace/workspace.ts'

interface Level {
  readonly folder: string
  readonly rules: Ignore
}

/** Bytes of a file of rules that are read. */
const MOST_RULES = 1024 * 1024

/** What git leaves out, from the top of a repository down to a folder. A value: going down makes a new one. */
export class IgnoreRules {
  readonly #levels: readonly Level[]

  private constructor(levels: readonly Level[]) {
    this.#levels = levels
  }

  /** No rules but those that are found further down. */
  static readonly none = new IgnoreRules([])

  /** The rules that hold in a folder: its own and those above, up to the top of its repository, or to the root where there is none. */
  static async above(folder: string, root: string): Promise<IgnoreRules> {
    const top = (await repositoryOf(folder)) ?? (isInside(root, folder) ? root : folder)
    const excluded = await levelOf(top, join(top, '.git', 'info', 'exclude'))
    let rules = excluded === undefined ? IgnoreRules.none : new IgnoreRules([excluded])
    for (const one of foldersBetween(top, folder)) {
      if (one !== top && rules.ignores(one, true)) return IgnoreRules.none.in(folder)
      rules = await rules.in(one)
    }
    return rules
  }

  /** With the rules that the folder itself has. */
  async in(folder: string): Promise<IgnoreRules> {
    const level = await levelOf(folder, join(folder, '.gitignore'))
    return level === undefined ? this : new IgnoreRules([...this.#levels, level])
  }

  /** The deepest rule that says anything counts. */
  ignores(path: string, isFolder: boolean): boolean {
    let ignored = false
    for (const { folder, rules } of this.#levels) {
      const found = rules.test(`${slashed(relative(folder, path))}${isFolder ? '/' : ''}`)
      if (found.ignored || found.unignored) ignored = found.ignored
    }
    return ignored
  }
}

async function levelOf(folder: string, file: string): Promise<Level | undefined> {
  const text = await rulesText(file)
  return text === undefined ? undefined : { folder, rules: ignore().add(text) }
}

/** Links are not followed: git does not, either. */
async function rulesText(path: string): Promise<string | undefined> {
  const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY } = constants
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined)
  if (file === undefined) return undefined
  try {
    const state = await file.stat()
    return state.isFile() && state.size <= MOST_RULES ? await file.readFile('utf8') : undefined
  } finally {
    await file.close()
  }
}

async function repositoryOf(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    if ((await lstat(join(at, '.git')).catch(() => undefined)) !== undefined) return at
    if (dirname(at) === at) return undefined
  }
}

function foldersBetween(top: string, folder: string): readonly string[] {
  const folders = [folder]
  for (let at = folder; at !== top && dirname(at) !== at; ) {
    at = dirname(at)
    folders.unshift(at)
  }
  return folders
}
