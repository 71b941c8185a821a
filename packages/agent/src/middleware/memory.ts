import { join } from 'node:path'
import type { AgentMiddleware, SystemBlock } from '../loop/middleware.ts'
import { type Instructions, readInstructions } from '../memory/instructions.ts'
import { type FoundSkills, readSkills, type Skill } from '../memory/skills.ts'

export interface MemoryOptions {
  readonly cwd: string
  readonly home: string
  /** The folder of the user's own AGENTS.md and skills. Default: `.config/palimpsest` in the home folder. */
  readonly configFolder?: string
  /** Further folders of skills. */
  readonly skills?: readonly string[]
  /** Hears of every file that is left out, once. */
  readonly onWarning?: (message: string) => void
}

/**
 * Adds what people wrote for the agent: the AGENTS.md files from the outermost folder to the working one, and the list of skills.
 * Both are read anew each turn, so both stand behind the prompt-cache breakpoint.
 */
export function memorySlot(options: MemoryOptions): AgentMiddleware {
  const { cwd, home, skills = [], configFolder = join(home, '.config', 'palimpsest') } = options
  const told = new Set<string>()
  const tell = (warning: string) => {
    if (told.has(warning)) return
    told.add(warning)
    options.onWarning?.(warning)
  }
  return {
    name: 'memory',
    async contribute({ signal }) {
      const places = { cwd, home, configFolder, skills }
      const instructions = await readInstructions(places)
      signal.throwIfAborted()
      const found = await readSkills(places)
      signal.throwIfAborted()
      for (const warning of [...instructions.warnings, ...found.warnings]) tell(warning)
      const texts = [instructionText(instructions), skillText(found)]
      return { system: texts.flatMap((text): SystemBlock[] => (text === undefined ? [] : [{ text, volatile: true }])) }
    },
  }
}

function instructionText({ files, warnings }: Instructions): string | undefined {
  if (files.length === 0 && warnings.length === 0) return undefined
  const texts = files.map(({ path, text, note }) => {
    const cut = note === undefined ? '' : `\n[Note: ${note}. Read the file for the rest.]`
    return `<instructions from="${path}">\n${text}${cut}\n</instructions>`
  })
  return [INSTRUCTIONS_HEAD, ...texts, ...warnings.map(noted)].join('\n\n')
}

const INSTRUCTIONS_HEAD = `# Instructions for this work

From files of the user and of the project, the outermost first. Where two disagree, the later one counts; what the user says in \
the conversation counts more than all of them.`

function skillText({ skills, warnings }: FoundSkills): string | undefined {
  if (skills.length === 0 && warnings.length === 0) return undefined
  const listed = skills.slice(0, MOST_SKILLS).map(skillLine)
  const more = skills.length > MOST_SKILLS ? [`- and ${skills.length - MOST_SKILLS} more that are not listed`] : []
  const list = [...listed, ...more].join('\n')
  return [SKILLS_HEAD, ...(list === '' ? [] : [list]), ...warnings.map(noted)].join('\n\n')
}

/** The list is sent with every request. */
const MOST_SKILLS = 100

const SKILLS_HEAD = `# Skills

Each is a file with instructions for one kind of work. Where a task is of that kind, read the file with read_file before you \
begin, and follow it; paths in it start at its folder.`

function skillLine({ name, description, path }: Skill): string {
  return `- ${name}: ${description} (${path})`
}

/** The model can tell the user, or mend it. */
function noted(warning: string): string {
  return `[Note: ${warning}]`
}
