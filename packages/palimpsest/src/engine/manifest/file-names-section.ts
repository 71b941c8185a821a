import type { BriefingScope, Section } from './briefing-scope.ts'
import type { FileUse } from './file-uses.ts'
import { visitNames } from './names-in-text.ts'
import { type RankedName, rankNames } from './ranked-names.ts'

export const FILES_HEADING = '## Files (M changed, R read only), with names in them'
export const NAMES_HEADING = '## Other names in use'

/** A name further than this from its file's name is not read as belonging to it; then the file is named again. */
const LINE_LENGTH = 360
/** Share of the section that lines of changed files may take before names compete for it. */
const CHANGED_SHARE = 0.3
/** Names that the density of tokens is measured on. */
const SAMPLE = 300

interface FileLine {
  readonly path: string
  readonly names: string[]
}

/** Characters of a file's line beside its path and names. */
const FILE_COST = 5

interface Chosen {
  readonly files: Map<string, FileLine>
  readonly flat: string[]
}

/**
 * Files and names, the likeliest to be needed first, each identifier on the line of its file. `shown` is text of the
 * briefing that stands already: ids and names without a file are not repeated from it.
 */
export function fileNamesSection(
  scope: BriefingScope,
  uses: ReadonlyMap<string, FileUse>,
  shown: () => string,
): Section {
  const ranked = rankNames(scope, uses)
  const sample = ranked
    .slice(0, SAMPLE)
    .map((name) => name.name)
    .join(' ')
  const density = sample === '' ? 0.25 : Math.max(0.05, scope.estimate(sample) / sample.length)
  return {
    isEmpty: ranked.length === 0,
    render(budget) {
      const heads = [FILES_HEADING, NAMES_HEADING].join('\n\n')
      const room = (budget - scope.estimate(heads) - scope.estimate(folderLine(scope))) / density
      if (!(room > 0)) return ''
      return printed(choose(ranked, uses, namesIn(shown()), room), uses, scope)
    },
  }
}

function choose(
  ranked: readonly RankedName[],
  uses: ReadonlyMap<string, FileUse>,
  shown: ReadonlySet<string>,
  room: number,
): Chosen {
  const choice = new Choice(room, shown)
  const changed = [...uses.values()].filter((use) => use.changes > 0).sort((a, b) => b.lastUse - a.lastUse)
  for (const use of changed) if (choice.left > room * (1 - CHANGED_SHARE)) choice.openFile(use.path)
  for (const name of ranked) {
    if (choice.left <= 0) break
    if (name.kind === 'path' && uses.has(name.name)) choice.openFile(name.name)
    else if (name.kind === 'ident' && name.file !== undefined && uses.has(name.file)) choice.addTo(name.file, name.name)
    else choice.addFlat(name.name)
  }
  return choice
}

/** Names taken so far, and the characters that are left for more. */
class Choice implements Chosen {
  readonly files = new Map<string, FileLine>()
  readonly flat: string[] = []
  left: number
  /** Names that can be read off what was taken: folders and base names of paths, words of dotted names. */
  readonly #covered = new Set<string>()
  readonly #shown: ReadonlySet<string>

  constructor(room: number, shown: ReadonlySet<string>) {
    this.left = room
    this.#shown = shown
  }

  openFile(path: string): boolean {
    if (this.files.has(path)) return true
    if (!this.#pay(path.length + FILE_COST)) return false
    this.files.set(path, { path, names: [] })
    this.#cover(path, '/')
    return true
  }

  /** Puts a name on its file's line; beside the files where that line cannot be opened. */
  addTo(path: string, name: string): void {
    if (this.#covered.has(name)) return
    if (!this.openFile(path)) this.addFlat(name)
    else if (this.#pay(name.length + 1)) {
      this.files.get(path)?.names.push(name)
      this.#cover(name, '.')
    }
  }

  addFlat(name: string): void {
    if (this.#covered.has(name) || this.#shown.has(name) || !this.#pay(name.length + 1)) return
    this.flat.push(name)
    this.#cover(name, name.includes('/') ? '/' : '.')
  }

  #pay(cost: number): boolean {
    if (cost > this.left) return false
    this.left -= cost
    return true
  }

  #cover(name: string, joint: string): void {
    this.#covered.add(name)
    for (let at = name.indexOf(joint); at > 0; at = name.indexOf(joint, at + 1)) {
      this.#covered.add(name.slice(0, at))
      this.#covered.add(name.slice(at + 1))
    }
  }
}

function namesIn(text: string): ReadonlySet<string> {
  const names = new Set<string>()
  visitNames(text, (_, name) => names.add(name), true)
  return names
}

function printed(chosen: Chosen, uses: ReadonlyMap<string, FileUse>, scope: BriefingScope): string {
  const lines = [...chosen.files.values()]
    .sort((a, b) => lastUse(uses, b.path) - lastUse(uses, a.path))
    .flatMap((line) => fileLines(line, uses))
  const files = lines.length === 0 ? [] : [[FILES_HEADING, ...folderLines(scope), ...lines].join('\n')]
  const names = chosen.flat.length === 0 ? [] : [`${NAMES_HEADING}\n${chosen.flat.join(' ')}`]
  return [...files, ...names].join('\n\n')
}

function fileLines(line: FileLine, uses: ReadonlyMap<string, FileUse>): readonly string[] {
  const lines: string[] = []
  let current = `${(uses.get(line.path)?.changes ?? 0) > 0 ? 'M' : 'R'} ${line.path}`
  let separator = ': '
  for (const name of line.names) {
    if (current.length + name.length > LINE_LENGTH) {
      lines.push(current)
      current = `  ${line.path.slice(line.path.lastIndexOf('/') + 1)}`
      separator = ': '
    }
    current += `${separator}${name}`
    separator = ' '
  }
  return [...lines, current]
}

function lastUse(uses: ReadonlyMap<string, FileUse>, path: string): number {
  return uses.get(path)?.lastUse ?? -1
}

function folderLines(scope: BriefingScope): readonly string[] {
  const line = folderLine(scope)
  return line === '' ? [] : [line]
}

function folderLine(scope: BriefingScope): string {
  return scope.folder === '' ? '' : `Paths are relative to ${scope.folder}`
}
