import { plainCommand } from './plain-command.ts'

/** What an answer for the whole session covers: one command word for word, or a program's commands with the same beginning. */
export type CommandLikeness =
  | { readonly kind: 'exact'; readonly command: string }
  | { readonly kind: 'reading'; readonly program: string }
  | { readonly kind: 'beginning'; readonly words: readonly string[]; readonly options: readonly string[] }

/**
 * What is like a command. Only programs that are known to do no more than their words say are remembered by their beginning,
 * and then with the options that were seen, no other: an option can turn a harmless command into any command
 * (`git grep -O…`, `git diff --output=…`). Everything else is remembered as itself.
 */
export function likenessOf(command: string): CommandLikeness {
  const words = plainCommand(command)
  const exact: CommandLikeness = { kind: 'exact', command }
  if (words === undefined) return exact
  const [program = ''] = words
  if (READING.has(program)) return { kind: 'reading', program }
  const beginning = beginningOf(words)
  if (beginning === undefined) return exact
  return { kind: 'beginning', words: beginning, options: optionsOf(words) }
}

/** Is this command like the one that was allowed? */
export function isAlike(likeness: CommandLikeness, command: string): boolean {
  if (likeness.kind === 'exact') return likeness.command === command
  const words = plainCommand(command)
  if (words === undefined) return false
  if (likeness.kind === 'reading') return words[0] === likeness.program
  return (
    likeness.words.every((word, at) => words[at] === word) &&
    optionsOf(words).every((option) => likeness.options.includes(option))
  )
}

/** For the person who is asked: what `session` would allow. */
export function likenessText(likeness: CommandLikeness): string {
  if (likeness.kind === 'exact') return 'this command, word for word'
  if (likeness.kind === 'reading') return `\`${likeness.program} …\``
  const options =
    likeness.options.length === 0 ? 'without options' : `with no options but ${likeness.options.join(' ')}`
  return `\`${likeness.words.join(' ')} …\`, ${options}`
}

/** They print, and have no argument that writes a file or starts a program. */
const READING = new Set(
  'basename cat cmp cut df dirname du echo grep head ls nl pwd realpath stat tail tr uname wc which whoami'.split(' '),
)

/** Programs, and those of their commands that a beginning stands for. Nothing that takes a program, a package or a server to work with. */
const COMMANDS: Readonly<Record<string, string>> = {
  git: 'add blame branch commit describe diff grep log ls-files rev-parse shortlog show status',
  npm: 'run test',
  pnpm: 'run test',
  yarn: 'run test',
  bun: 'run test',
  cargo: 'bench build check clippy fmt test',
  go: 'build test vet',
  npx: 'biome eslint jest mocha prettier tsc vitest',
}
/** Checkers and runners of tests, remembered by their name alone. */
const ALONE = new Set('biome eslint jest mocha mypy prettier pytest ruff tsc vitest'.split(' '))

function beginningOf(words: readonly string[]): readonly string[] | undefined {
  const [program = '', command = '', script] = words
  if (ALONE.has(program)) return [program]
  const known = Object.hasOwn(COMMANDS, program) ? COMMANDS[program]?.split(' ') : undefined
  if (known?.includes(command) !== true) return undefined
  if (command !== 'run') return [program, command]
  return script === undefined || script.startsWith('-') ? undefined : [program, command, script]
}

function optionsOf(words: readonly string[]): readonly string[] {
  return [...new Set(words.slice(1).filter((word) => /^[-+]/.test(word)))]
}
