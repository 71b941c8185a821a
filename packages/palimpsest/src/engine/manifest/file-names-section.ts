import type { BriefingScope, Section } from './briefing-scope.ts'
import { type FileUse, fileUses, usesInWords } from './file-uses.ts'
import { visitNames } from './names-in-text.ts'
import { type RankedName, rankNames } from './ranked-names.ts'

export const FILES_HEADING = '## Files read and changed, with names in them'
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

interface Chosen {
  readonly files: Map<string, FileLine>
  readonly flat: string[]
}

/**
 * Files and names, the likeliest to be needed first, each identifier on the line of its file. `shown` is text of the
 * briefing that stands already: ids and names without a file are not repeated from it.
 */
export function fileNamesSection(scope: BriefingScope, shown: () => string): Section {
  const uses = fileUses(scope)
  const ranked = rankNames(scope)
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
  const chosen: Chosen = { files: new Map(), flat: [] }
  let left = room
  const openFile = (path: string): boolean => {
    if (chosen.files.has(path)) return true
    const cost = path.length + 22
    if (cost > left) return false
    left -= cost
    chosen.files.set(path, { path, names: [] })
    return true
  }
  const changed = [...uses.values()].filter((use) => use.changes > 0).sort((a, b) => b.lastUse - a.lastUse)
  for (const use of changed) if (left > room * (1 - CHANGED_SHARE)) openFile(use.path)
  for (const name of ranked) {
    if (left <= 0) break
    if (name.kind === 'path' && uses.has(name.name)) openFile(name.name)
    else {
      const cost = name.name.length + 1
      if (cost > left) continue
      if (name.file !== undefined && name.kind !== 'path' && uses.has(name.file) && openFile(name.file)) {
        chosen.files.get(name.file)?.names.push(name.name)
      } else if (shown.has(name.name)) continue
      else chosen.flat.push(name.name)
      left -= cost
    }
  }
  return chosen
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
  const use = uses.get(line.path)
  const lines: string[] = []
  let current = `- ${line.path}${use === undefined ? '' : ` (${usesInWords(use)})`}`
  let separator = ': '
  for (const name of line.names) {
    if (current.length + name.length > LINE_LENGTH) {
      lines.push(current)
      current = `- ${line.path.slice(line.path.lastIndexOf('/') + 1)}`
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
