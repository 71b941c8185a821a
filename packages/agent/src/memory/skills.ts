import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { isInside, realPlace } from '../folders/inside.ts'
import { foldersUpTo, repositoryRoot } from '../folders/repository.ts'
import { readBounded } from './bounded-text.ts'
import { frontMatterOf } from './front-matter.ts'
import type { MemoryPlaces } from './instructions.ts'

export interface SkillPlaces extends MemoryPlaces {
  /** Further folders of skills; they count before all others. */
  readonly skills?: readonly string[]
}

/** Instructions for one kind of work, which the model reads when it needs them. */
export interface Skill {
  readonly name: string
  readonly description: string
  /** Its SKILL.md. */
  readonly path: string
}

export interface FoundSkills {
  /** By name. */
  readonly skills: readonly Skill[]
  /** What could not be taken, in one line each. */
  readonly warnings: readonly string[]
}

/** Where skills are kept in a repository, and in each folder down to the working one. */
const FOLDERS = ['.palimpsest/skills', '.agents/skills', '.claude/skills'] as const
const FILE = 'SKILL.md'
const MOST_FRONT_MATTER_BYTES = 16_384
const MOST_NAME = 64
const MOST_DESCRIPTION = 1_024

/** All skills that count for work in a folder: of two with one name the nearer one, the user's own being the farthest. */
export async function readSkills(places: SkillPlaces): Promise<FoundSkills> {
  const found = new Map<string, Skill>()
  const seen = new Set<string>()
  const warnings: string[] = []
  for (const folder of await readableFolders(places, warnings)) {
    for (const read of await skillsIn(folder)) {
      if (seen.has(read.real)) continue
      seen.add(read.real)
      const other = 'skill' in read ? found.get(read.skill.name) : undefined
      if ('fault' in read) warnings.push(`${read.path} is left out: ${read.fault}.`)
      else if (other === undefined) found.set(read.skill.name, read.skill)
      else warnings.push(`${read.path} is left out: ${other.path} has the same name, ${read.skill.name}.`)
    }
  }
  return { skills: [...found.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1)), warnings }
}

/**
 * The folders that a reader of skills must be allowed to read, as they stand and as they really are: those of skills, and where a
 * skill is a link, what it leads to.
 */
export async function skillFolders(places: SkillPlaces): Promise<readonly string[]> {
  const readable: string[] = []
  for (const folder of await readableFolders(places, [])) {
    const linked = (await skillsIn(folder)).filter((read) => 'skill' in read && !isInside(read.real, folder.real))
    readable.push(folder.path, folder.real, ...linked.map(({ real }) => real))
  }
  return [...new Set(readable)]
}

interface SkillFolder {
  readonly path: string
  readonly real: string
  /** Nothing that stands in a repository may lead out of it. */
  readonly within?: string
}

/** Those that there are, the nearest first. */
async function readableFolders(places: SkillPlaces, warnings: string[]): Promise<readonly SkillFolder[]> {
  const { cwd, configFolder, skills = [] } = places
  const root = (await repositoryRoot(cwd)) ?? cwd
  const within = (await realPlace(root)) ?? resolve(root)
  const own = foldersUpTo(cwd, root).flatMap((folder) => FOLDERS.map((name) => ({ path: join(folder, name), within })))
  const all: readonly { path: string; within?: string }[] = [
    ...skills.map((path) => ({ path: resolve(cwd, path) })),
    ...own,
    { path: join(configFolder, 'skills') },
  ]
  const there: SkillFolder[] = []
  for (const folder of all) {
    const real = await realPlace(folder.path)
    if (real === undefined || there.some((other) => other.real === real)) continue
    if (folder.within === undefined || isInside(real, folder.within)) there.push({ ...folder, real })
    else warnings.push(`${folder.path} is left out: it leads out of ${folder.within}.`)
  }
  return there
}

/** What stands in one folder of a folder of skills; `real` is that folder as it really is. */
type ReadSkill = { readonly real: string; readonly path: string } & SkillOrFault

type SkillOrFault = { readonly skill: Skill } | { readonly fault: string }

async function skillsIn({ path: folder, within }: SkillFolder): Promise<readonly ReadSkill[]> {
  const names = await readdir(folder).catch((): string[] => [])
  const read: ReadSkill[] = []
  for (const name of names.toSorted()) {
    const path = join(folder, name, FILE)
    const real = await realPlace(join(folder, name))
    const file = await realPlace(path)
    if (real === undefined || file === undefined) continue
    const leadsOut = within !== undefined && !(isInside(real, within) && isInside(file, within))
    const skill: SkillOrFault = leadsOut ? { fault: `it leads out of ${within}` } : await readSkill(path)
    read.push({ real, path, ...skill })
  }
  return read
}

async function readSkill(path: string): Promise<SkillOrFault> {
  const read = await readBounded(path, MOST_FRONT_MATTER_BYTES)
  if (read.kind !== 'text') return { fault: read.kind === 'absent' ? 'it is gone' : read.why }
  const front = frontMatterOf(read.text)
  if ('fault' in front) return front
  const name = line(front.fields.name)
  const description = line(front.fields.description)
  if (name === '') return { fault: 'its front matter has no name' }
  if (name.length > MOST_NAME) return { fault: `its name has more than ${MOST_NAME} characters` }
  if (description === '') return { fault: 'its front matter has no description' }
  return { skill: { name, description: shortened(description), path } }
}

/** A text on one line; empty for what is no text. */
function line(value: unknown): string {
  return typeof value === 'string' ? value.replace(/[\s\p{Cc}]+/gu, ' ').trim() : ''
}

function shortened(text: string): string {
  return text.length <= MOST_DESCRIPTION ? text : `${text.slice(0, MOST_DESCRIPTION - 1).toWellFormed()}…`
}
