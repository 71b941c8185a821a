import { readdir, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { isInside } from '../../folders/inside.ts'

const MOST_NAMES = 5
/** Entries of a folder that are compared. */
const MOST_COMPARED = 5_000
/** Share of pairs of letters from which two names are similar. */
const SIMILAR = 0.5

/** What a missing file's folder has instead: names like the one that was asked for, or the folder that is still there. */
export async function similarNames(real: string, root: string): Promise<string> {
  const folder = dirname(real)
  if (!isInside(folder, root)) return ''
  const names = await readdir(folder).catch(() => undefined)
  if (names === undefined) return missingFolder(folder, root)
  const wanted = basename(real)
  const alike = names
    .slice(0, MOST_COMPARED)
    .map((name) => ({ name, score: similarity(name.toLowerCase(), wanted.toLowerCase()) }))
    .filter(({ score }) => score >= SIMILAR)
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
    .slice(0, MOST_NAMES)
  return alike.length === 0 ? '' : ` Its folder has ${alike.map(({ name }) => name).join(', ')}.`
}

async function missingFolder(folder: string, root: string): Promise<string> {
  let there = dirname(folder)
  while (isInside(there, root) && !(await isFolder(there))) there = dirname(there)
  return isInside(there, root) ? ` Its folder is not there either; ${there} is.` : ''
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true
}

/** Shared pairs of letters, from 0 to 1 (Dice's coefficient). */
function similarity(a: string, b: string): number {
  const own = pairsOf(a)
  const others = pairsOf(b)
  const shared = [...own].filter((pair) => others.has(pair)).length
  return (2 * shared) / Math.max(1, own.size + others.size)
}

function pairsOf(name: string): ReadonlySet<string> {
  const padded = `^${name}$`
  return new Set(Array.from({ length: padded.length - 1 }, (_, at) => padded.slice(at, at + 2)))
}
