import { join, resolve } from 'node:path'
import { isInside, realPlace } from '../folders/inside.ts'
import { foldersUpTo, repositoryRoot } from '../folders/repository.ts'
import { readBounded } from './bounded-text.ts'

/** Whose instructions and skills count for work in a folder. */
export interface MemoryPlaces {
  readonly cwd: string
  readonly home: string
  /** The folder of the user's own configuration. */
  readonly configFolder: string
}

/** What people wrote for an agent that works here. */
export interface Instructions {
  /** The outermost first. */
  readonly files: readonly InstructionFile[]
  /** What could not be taken, in one line each. */
  readonly warnings: readonly string[]
}

export interface InstructionFile {
  readonly path: string
  readonly text: string
  /** What is not as in the file. */
  readonly note?: string
}

const NAME = 'AGENTS.md'
/** Of one file. Instructions are sent with every request: what is longer belongs into a skill. */
const MOST_BYTES = 32_768

/**
 * The user's own AGENTS.md, and those from the root of the repository (outside of one: from the home folder) down to the working
 * folder. Files that are empty, or the same one again, are left out.
 */
export async function readInstructions(places: MemoryPlaces): Promise<Instructions> {
  const files: InstructionFile[] = []
  const warnings: string[] = []
  const seen = new Set<string>()
  for (const { folder, within } of await foldersOf(places)) {
    const path = join(folder, NAME)
    const real = await realPlace(path)
    // a link that leads nowhere is no file either
    if (real === undefined || seen.has(real)) continue
    seen.add(real)
    if (within !== undefined && !isInside(real, within)) {
      warnings.push(`${path} is left out: it leads out of ${within}.`)
      continue
    }
    const read = await readBounded(path, MOST_BYTES)
    if (read.kind === 'unusable') warnings.push(`${path} is left out: ${read.why}.`)
    if (read.kind !== 'text' || read.text.trim() === '') continue
    files.push({ path, text: read.text.trim(), ...(read.note !== undefined && { note: read.note }) })
  }
  return { files, warnings }
}

interface InstructionFolder {
  readonly folder: string
  /** Whatever stands in a repository must lie in it: a link to somewhere else is not followed. */
  readonly within?: string
}

async function foldersOf({ cwd, home, configFolder }: MemoryPlaces): Promise<readonly InstructionFolder[]> {
  const root = await repositoryRoot(cwd)
  const folders = foldersUpTo(cwd, root ?? home)
  const top = folders.at(-1) ?? cwd
  const within = (await realPlace(top)) ?? resolve(top)
  return [{ folder: configFolder }, ...folders.toReversed().map((folder) => ({ folder, within }))]
}
