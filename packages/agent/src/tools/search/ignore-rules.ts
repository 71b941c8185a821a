import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join, relative } from 'node:path'
import ignore, { type Ignore } from 'ignore'
import { isInside } from '../../folders/inside.ts'
import { foldersUpTo, repositoryRoot } from '../../folders/repository.ts'
import { slashed } from '../workspace/workspace.ts'

/** Bytes of a file of rules that are read. */
const MOST_RULES = 1024 * 1024
/** `*` in one part of a rule. */
const MOST_STARS = 5

/** What git leaves out, from the top of a repository down to a folder. A value: going down makes a new one. */
export class IgnoreRules {
  readonly #top: string
  readonly #rules: Ignore

  private constructor(top: string, rules: Ignore) {
    this.#top = top
    this.#rules = rules
  }

  /**
   * The rules that hold in a folder: its own and those above, up to the top of its repository, or to the root where there is none.
   * Who asks for a folder that is itself left out gets the rules below it alone.
   */
  static async above(folder: string, root: string): Promise<IgnoreRules> {
    const top = (await repositoryRoot(folder)) ?? (isInside(folder, root) ? root : folder)
    const excluded = (await rulesText(join(top, '.git', 'info', 'exclude'))) ?? ''
    let rules = new IgnoreRules(top, ignore().add(excluded))
    for (const one of foldersUpTo(folder, top).toReversed()) {
      if (one !== top && rules.ignores(one, true)) return new IgnoreRules(folder, ignore()).in(folder)
      rules = await rules.in(one)
    }
    return rules
  }

  /** With the rules that a folder below has; where they say anything, they beat those above. */
  async in(folder: string): Promise<IgnoreRules> {
    const text = await rulesText(join(folder, '.gitignore'))
    if (text === undefined) return this
    const below = slashed(relative(this.#top, folder))
    return new IgnoreRules(
      this.#top,
      ignore()
        .add(this.#rules)
        .add(below === '' ? text : rulesBelow(below, text)),
    )
  }

  ignores(path: string, isFolder: boolean): boolean {
    return this.#rules.ignores(`${slashed(relative(this.#top, path))}${isFolder ? '/' : ''}`)
  }
}

/** The rules of a folder as they would stand at the top, so that all are one list, of which the last that matches counts. */
function rulesBelow(folder: string, text: string): readonly string[] {
  const place = folder.replace(/[\\*?[\] ]/g, '\\$&')
  return text.split(/\r?\n/).flatMap((line) => {
    if (line.trim() === '' || line.startsWith('#')) return []
    const negation = line.startsWith('!') ? '!' : ''
    const rule = line.slice(negation.length)
    const isRooted = rule.trimEnd().replace(/\/$/, '').includes('/')
    return [`${negation}/${place}/${isRooted ? rule.replace(/^\//, '') : `**/${rule}`}`]
  })
}

/** Links are not followed: git does not, either. */
async function rulesText(path: string): Promise<string | undefined> {
  const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY } = constants
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined)
  if (file === undefined) return undefined
  try {
    const state = await file.stat()
    return state.isFile() && state.size <= MOST_RULES ? bounded(await file.readFile('utf8')) : undefined
  } finally {
    await file.close()
  }
}

/** Without rules that would take forever to match: nobody writes those who means well. */
function bounded(text: string): string {
  const isQuick = (part: string) => part.split('*').length - 1 <= MOST_STARS
  return text
    .split('\n')
    .filter((line) => line.split('/').every(isQuick))
    .join('\n')
}
