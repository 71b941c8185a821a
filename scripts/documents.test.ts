import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PRESETS } from 'palimpsest'
import ts from 'typescript'
import { beforeAll, describe, expect, it } from 'vitest'
import { withFreshOutput } from './documents/console-session.mjs'
import { anchorsOf, fencesOf, linksOf, withRegions } from './documents/markdown.mjs'
import { ruleTables } from './documents/rule-tables.mjs'
import { wireFormats } from './generate-wire-formats.mjs'

const root = fileURLToPath(new URL('../', import.meta.url))
const documents = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
].map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
const readme = textOf('README.md')

function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

// Builds what is stale, as the end-to-end tests of the command do.
beforeAll(() => {
  spawnSync(process.execPath, [join(root, 'scripts/prepare.mjs')], { cwd: root, stdio: 'ignore' })
})

describe.each(documents)('$path', ({ path, text }) => {
  it('links to what is there', () => {
    const broken = linksOf(text).filter((link) => !/^https?:/.test(link) && !leadsSomewhere(path, link))
    expect(broken).toEqual([])
  })

  // The example session was made up in /home/dev.
  it('names no place of one machine, and leaves nothing to be done', () => {
    expect(text).not.toMatch(/\/(?:root|work|Users|var|opt)\/|\/home\/(?!dev\/)\w|[A-Z]:\\|\b(?:TODO|FIXME|XXX|TBD)\b/)
  })

  it('quotes names of tests that are in the file it links to', () => {
    const quoted = [...text.matchAll(/\]\((\S+?\.ts)\)[:,] "([^"]+)"/g)]
    const missing = quoted.filter(([, file = '', name = '']) => !textOf(join(dirname(path), file)).includes(name))
    expect(missing.map(([whole]) => whole)).toEqual([])
  })

  it('shows commands, options and scripts that exist', () => {
    expect(commandsIn(text).flatMap(unknownWords)).toEqual([])
  })

  it('shows programs whose types are right', () => {
    // what stands in a file of examples is run there
    const programs = fencesOf(text).filter(({ info }) => /^(?:ts|js)(?: (?!from )|$)/.test(info))
    expect(programs.flatMap((program) => typeErrors(program.text))).toEqual([])
  })
})

function leadsSomewhere(from: string, link: string): boolean {
  const [file = '', anchor] = link.split('#')
  const target = file === '' ? join(root, from) : join(root, dirname(from), decodeURI(file))
  if (!existsSync(target)) return false
  if (anchor === undefined || statSync(target).isDirectory()) return anchor === undefined
  return anchorsOf(readFileSync(target, 'utf8')).includes(anchor)
}

/** Lines that call the command or npm: in shell blocks, in indented ones, and in code between words. */
function commandsIn(text: string): readonly string[] {
  const shown = fencesOf(text).flatMap(({ info, text: inside }) =>
    info === 'console' ? [...inside.matchAll(/^\$ (.*)$/gm)].map((match) => match[1] ?? '') : [],
  )
  const prose = text.replace(/^```[\s\S]*?^```$/gm, '')
  const indented = [...prose.matchAll(/^ {4}(\S.*?)(?:\s+#.*)?$/gm)].map((match) => match[1] ?? '')
  const quoted = [...prose.matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? '')
  return [...shown, ...indented, ...quoted].filter((line) =>
    /^(?:palimpsest|npm|node scripts\/\S+\.mjs)(?: |$)/.test(line),
  )
}

function unknownWords(line: string): readonly string[] {
  const [program, ...words] =
    line
      .split(/[|>]|&&/)[0]
      ?.trim()
      .split(/\s+/) ?? []
  if (program === 'node') return existsSync(join(root, words[0] ?? '')) ? [] : [line]
  if (program === 'npm') return npmKnows(words) ? [] : [line]
  const [first = '', ...options] = words
  if (first === '') return []
  const command = first === 'sessions' && /^[a-z]/.test(options[0] ?? '') ? `${first} ${options.shift()}` : first
  const flags = options.filter((word) => word.startsWith('--') && word !== '--').map((word) => word.split('=')[0] ?? '')
  const help = helpOf(command)
  return flags.filter((flag) => !help.includes(`${flag} `)).map((flag) => `${line}: ${flag}`)
}

const scripts: Readonly<Record<string, string>> = JSON.parse(textOf('package.json')).scripts

function npmKnows([verb = '', name = '', ...rest]: readonly string[]): boolean {
  if (verb === 'run') return name in scripts
  if (verb === 'i') return existsSync(join(root, name.replace('/path/to/clone/', ''), 'package.json'))
  if (verb === 'start') return unknownWords(['palimpsest profile', ...rest].join(' ')).length === 0
  return verb === 'ci' || verb in scripts
}

const helps = new Map<string, string>()

/** What the built command says of itself; nothing for a command that it does not have. */
function helpOf(command: string): string {
  const known = helps.get(command)
  if (known !== undefined) return known
  const built = join(root, 'packages/cli/bin/palimpsest.js')
  const { stdout, status } = spawnSync(process.execPath, [built, ...command.split(' ').filter(Boolean), '--help'], {
    encoding: 'utf8',
  })
  const help = status === 0 ? stdout : ''
  helps.set(command, help)
  return help
}

/** Errors of a program that a user of the library writes, with the compiler options of this repository. */
function typeErrors(program: string): readonly string[] {
  const file = join(root, 'scripts/example-in-a-document.ts')
  const { options } = ts.convertCompilerOptionsFromJson(
    { ...JSON.parse(textOf('tsconfig.base.json')).compilerOptions, composite: false, noEmit: true },
    root,
  )
  const host = ts.createCompilerHost(options)
  const read = host.getSourceFile.bind(host)
  host.getSourceFile = (name, target) =>
    name === file ? ts.createSourceFile(name, program, target) : read(name, target)
  host.fileExists = (name) => name === file || ts.sys.fileExists(name)
  const compiled = ts.createProgram([file], options, host)
  const found = compiled.getSemanticDiagnostics(compiled.getSourceFile(file))
  return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}

describe('README.md', () => {
  it('shows what its commands and its program print today (node scripts/run-documented-commands.mjs writes it anew)', () => {
    expect(withFreshOutput(readme)).toBe(readme)
  })

  it('runs every command that there is, or shows how those run that do not end or want a model, and runs its program', () => {
    const listed = (help: string) =>
      [...help.matchAll(/^ {2}([a-z]+)(?: \[options\]| {2,}\S)/gm)].map(([, name]) => name)
    const ofSessions = listed(helpOf('sessions')).map((name) => `sessions ${name}`)
    const commands = [...listed(helpOf('')).filter((name) => name !== 'sessions'), ...ofSessions]
    expect([commands.length, ofSessions.length]).toEqual([18, 9])
    for (const command of commands) {
      const start = ['proxy', 'run', 'wirelab'].includes(command ?? '') ? '    ' : '\\$ '
      expect(readme).toMatch(new RegExp(`^${start}palimpsest ${command}(?: |$)`, 'm'))
    }
    const fences = fencesOf(readme)
    const program = fences.findIndex(({ info }) => info === 'js agent.mjs')
    expect(fences[program]?.text).toContain('compactConversation(')
    const printed = expect.stringMatching(/^\$ node agent\.mjs\n(?:.*\n)+broken rules: 0$/m)
    expect(fences[program + 1]).toMatchObject({ info: 'console', text: printed })
  })

  it('lists every field of a model profile', () => {
    const source = textOf('packages/palimpsest/src/engine/tokens/profile-overrides.ts')
    const fields = [...source.matchAll(/^ {2}([a-z_]+): \{ ?(?:name: '|$)/gm)].map((match) => match[1] ?? '')
    expect(fields.length).toBeGreaterThan(10)
    expect(fields.filter((field) => !readme.includes(`\`${field}\``))).toEqual([])
  })

  it('tells trigger and rungs of every policy as they are', () => {
    const rows = new Map(
      [...readme.matchAll(/^\| `(\w+)` \| ([\d.]+) of [^|]*\|.*\| ([^|]*) \|$/gm)].map(([, name, share, rungs]) => [
        name,
        { share: Number(share), rungs },
      ]),
    )
    const policies = Object.values(PRESETS).map(({ name, trigger, rungs }) => [
      name,
      {
        share: 'fraction' in trigger ? trigger.fraction : undefined,
        rungs: rungs.map((rung) => rung.strategy).join(' → '),
      },
    ])
    expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(policies))
  })
})

describe('docs/wire-formats.md', () => {
  it('has the rules of today (node scripts/generate-wire-formats.mjs writes them)', () => {
    const current = textOf('docs/wire-formats.md')
    expect(wireFormats(current)).toBe(current)
  })

  it('has every rule that a source of a dialect names, once', () => {
    const listed = Object.values(ruleTables(root)).flatMap((table) => table.map((rule: { id: string }) => rule.id))
    expect(new Set(listed).size).toBe(listed.length)
    expect([...new Set(listed)].sort()).toEqual(rulesInSources().sort())
  })
})

/** Every text of the form `format/rule-id` in the dialects' shipped sources. */
function rulesInSources(): string[] {
  const folder = join(root, 'packages/palimpsest/src/dialects')
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?<!\.test)\.ts$/.test(name),
  )
  const texts = sources
    .filter((name) => !/\.test(-data)?\.ts$/.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
  const prefix = /'((?:anthropic|bedrock|responses|codex|chat|gemini|ai-sdk|langchain)\/[a-z-]+)'/g
  return [...new Set(texts.flatMap((text) => [...text.matchAll(prefix)].map((match) => match[1] ?? '')))]
}

describe('the documents', () => {
  it('are all reached from the README', () => {
    const seen = new Set<string>()
    const open = ['README.md']
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      if (seen.has(path) || !existsSync(join(root, path))) continue
      seen.add(path)
      const links = linksOf(textOf(path)).filter((link) => !/^https?:|^#/.test(link))
      open.push(
        ...links.map((link) => relative(root, join(root, dirname(path), link.split('#')[0] ?? ''))).flatMap(page),
      )
    }
    expect(documents.map(({ path }) => path).filter((path) => !seen.has(path))).toEqual([])
  })
})

/** A link to a folder shows its README. */
function page(path: string): readonly string[] {
  if (path.endsWith('.md')) return [path]
  return existsSync(join(root, path, 'README.md')) ? [join(path, 'README.md')] : []
}

describe('generated regions', () => {
  it('are filled by name, and a missing or superfluous one is told', () => {
    const text = 'a\n<!-- generated: x -->\nold\n<!-- end -->\nb\n'
    expect(withRegions(text, { x: '$&new' })).toBe('a\n<!-- generated: x -->\n\n$&new\n\n<!-- end -->\nb\n')
    expect(() => withRegions(text, {})).toThrow('"x"')
    expect(() => withRegions(text, { x: '', y: '' })).toThrow('y')
  })
})
