// The commands that documents show: which there are, and what in them does not exist.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../prepare.mjs'
import { fencesOf } from './markdown.mjs'

/** Lines that a reader types: in console and shell blocks, in indented ones, and those of ours in code between words. */
export function commandsIn(markdown) {
  const fences = fencesOf(markdown)
  const sessions = fences.filter(({ info }) => info === 'console')
  const typed = sessions.flatMap(({ text }) => [...text.matchAll(/^\$ (.*)$/gm)].map(([, line]) => line))
  const shell = fences
    .filter(({ info }) => info === 'sh')
    .flatMap(({ text }) => text.replaceAll('\\\n', '').split('\n'))
  const prose = markdown.replace(/^```[\s\S]*?^```$/gm, '')
  const indented = [...prose.matchAll(/^ {4}(\S.*)$/gm)].map(([, line]) => line).filter((line) => OURS.test(bare(line)))
  const quoted = [...prose.matchAll(/`([^`\n]+)`/g)]
    .map(([, code]) => code)
    .filter((code) => OURS.test(code) && !NAME.test(code))
  return [...typed, ...shell, ...indented, ...quoted].map(bare).filter((line) => line !== '')
}

const OURS = /^(?:palimpsest|npm|npx|node (?:scripts|examples)\/\S+\.mjs)(?: |$)/

/** Two words in a sentence may name something else: a span, a table. */
const NAME = /^palimpsest [\w-]+$/

/** The command without what stands around it: a comment behind it, variables before it. */
function bare(line) {
  return line
    .replace(/(?:^|\s+)#\s.*$/, '')
    .replace(/^(?:[A-Z_]+=(?:'[^']*'|"[^"]*"|\S*)(?: |$))+/, '')
    .trim()
}

/** What in this line is no command, option, script or file of ours, each with the line. Programs of others are named. */
export function unknownIn(line) {
  return line.split(/\s*(?:\||&&|;)\s*/).flatMap((command) => {
    const alone = command.replace(/^do\s+|\s*[<>].*$/g, '')
    return /^(?:for \w+ in |done$)/.test(alone) ? [] : unknownInOne(alone, line)
  })
}

function unknownInOne(command, line) {
  const [program = '', ...words] = command.trim().split(/\s+/)
  if (program === 'palimpsest') return unknownOptions(words).map((word) => `${line}: ${word}`)
  if (program === 'npm') return npmKnows(words) ? [] : [line]
  // a program that the document itself shows stands in no folder
  if (program === 'node') return !words[0]?.includes('/') || existsSync(join(root, words[0])) ? [] : [line]
  return OTHERS.has(program) ? [] : [`${line}: what is ${program}?`]
}

/** Programs that readers have, or are told to get. */
const OTHERS = new Set(
  `cat cd claude cmp codex cp curl cut docker echo export gemini git grep head jq ls mkdir npx opencode openssl promtool psql rm
  tail wc`.split(/\s+/),
)

function unknownOptions([first = '', ...rest]) {
  const named = /^[a-z]/.test(first)
  const [own, options] = named ? [first, rest] : ['', [first, ...rest]]
  const command = own === 'sessions' && /^[a-z]/.test(options[0] ?? '') ? `${own} ${options.shift()}` : own
  const help = helpOf(command)
  if (help === '') return [command]
  const flags = options.filter((word) => /^--\w/.test(word)).map((word) => word.split('=')[0] ?? '')
  return flags.filter((flag) => !help.includes(`${flag} `) && !help.includes(`${flag}\n`))
}

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

function npmKnows([verb = '', name = '', ...rest]) {
  if (verb === 'run') return name in scripts
  if (verb === 'i') return existsSync(join(root, name.replace('/path/to/clone/', ''), 'package.json'))
  if (verb === 'start')
    return unknownOptions(['profile', ...[name, ...rest].filter((word) => word !== '--')]).length === 0
  return verb === 'ci' || verb in scripts
}

const helps = new Map()

/** What the built command says of itself; nothing for a command that it does not have. */
export function helpOf(command) {
  const known = helps.get(command)
  if (known !== undefined) return known
  const built = join(root, 'packages/cli/bin/palimpsest.js')
  const words = [...command.split(' ').filter(Boolean), '--help']
  const { stdout, status } = spawnSync(process.execPath, [built, ...words], { encoding: 'utf8' })
  // a word that is no command is answered with the help of all
  const help =
    status === 0 && stdout.startsWith(`Usage: palimpsest${command === '' ? '' : ` ${command}`} `) ? stdout : ''
  helps.set(command, help)
  return help
}
