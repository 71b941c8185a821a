import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PRESETS } from 'palimpsest'
import { beforeAll, describe, expect, it } from 'vitest'
import { withFreshOutput } from './documents/console-session.mjs'
import { commandsIn, helpOf, unknownIn } from './documents/documented-commands.mjs'
import { anchorsOf, fencesOf, linksOf, looseNamesOf, withRegions } from './documents/markdown.mjs'
import { ruleTables } from './documents/rule-tables.mjs'
import { typeErrors } from './documents/type-errors.mjs'
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
    const own = linksOf(text).filter((link) => !isForeign(link))
    expect(own.filter((link) => !leadsSomewhere(path, link))).toEqual([])
    expect(looseNamesOf(text)).toEqual([])
  })

  it('links to other sites by whole, safe addresses', () => {
    const broken = linksOf(text).filter((link) => isForeign(link) && !isSafe(link))
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
    expect(commandsIn(text).flatMap(unknownIn)).toEqual([])
  })

  it('shows programs whose types are right', () => {
    // what stands in a file of examples is run there
    const programs = fencesOf(text).filter(({ info }) => /^(?:ts|js)(?: (?!from )|$)/.test(info))
    expect(typeErrors(programs.map((program) => program.text)).flat()).toEqual([])
  })

  it('shows blocks of kinds that are checked, and whose text is of that kind', () => {
    expect(fencesOf(text).flatMap(faultOf)).toEqual([])
  })
})

// the agent's: it reads the heads of skills with it
const { parse: parseYaml } = createRequire(join(root, 'packages/agent/package.json'))('yaml')

/** Kinds of blocks with what reads them; those without are read elsewhere, or are nothing but text. */
const KINDS: Readonly<Record<string, ((text: string) => unknown) | undefined>> = {
  json: JSON.parse,
  yaml: (text) => parseYaml(text, { strict: true }),
  toml: undefined,
  markdown: undefined,
  '': undefined,
  // commands and programs: tests of this file
  sh: undefined,
  console: undefined,
  js: undefined,
  ts: undefined,
  // diagrams, and queries whose names are checked against those that the code emits: tests beside those documents
  mermaid: undefined,
  promql: undefined,
  traceql: undefined,
}

function faultOf({ info, text }: { readonly info: string; readonly text: string }): readonly string[] {
  const [kind = ''] = info.split(' ')
  if (!Object.hasOwn(KINDS, kind)) return [`nothing checks a block of "${info}"`]
  try {
    KINDS[kind]?.(text)
    return []
  } catch (error) {
    return [`${info}: ${(error as Error).message}`]
  }
}

function isForeign(link: string): boolean {
  return /^[a-z][a-z+.-]*:/i.test(link)
}

/** A site by HTTPS with a name of its own; addresses of this machine may go without. */
function isSafe(link: string): boolean {
  if (!URL.canParse(link)) return false
  const { protocol, hostname } = new URL(link)
  const own = ['127.0.0.1', 'localhost'].includes(hostname)
  return own ? protocol === 'http:' : protocol === 'https:' && /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(hostname)
}

function leadsSomewhere(from: string, link: string): boolean {
  const [file = '', anchor] = link.split('#')
  const target = file === '' ? join(root, from) : join(root, dirname(from), decodeURI(file))
  if (!existsSync(target)) return false
  if (anchor === undefined || statSync(target).isDirectory()) return anchor === undefined
  return anchorsOf(readFileSync(target, 'utf8')).includes(anchor)
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

describe('docs/comparison.md', () => {
  it('compares with the versions that are installed', () => {
    const named = [...textOf('docs/comparison.md').matchAll(/`((?:@[\w-]+\/)?[\w-]+)@(\d+\.\d+\.\d+)`/g)]
    const installed = named.filter(([, name = '']) => existsSync(join(root, 'node_modules', name)))
    expect(installed.map(([, name]) => name)).toEqual(['deepagents', 'langchain', 'ai', '@ai-sdk/anthropic'])
    for (const [, name, version] of installed) {
      expect([name, JSON.parse(textOf(`node_modules/${name}/package.json`)).version]).toEqual([name, version])
    }
  })

  it('has a cell for each of those whom a table compares', () => {
    const tables = textOf('docs/comparison.md')
      .split(/\n\n/)
      .filter((block) => block.startsWith('|'))
    for (const rows of tables.map((table) => table.split('\n'))) {
      const cells = rows.map((row) => row.split('|').map((cell) => cell.trim()))
      expect(cells.filter((row) => row.length !== cells[0]?.length || row.slice(2, -1).includes(''))).toEqual([])
    }
    expect(tables.length).toBe(3)
  })
})

describe('docs/wire-formats.md', () => {
  it('has the rules of today (node scripts/generate-wire-formats.mjs writes them)', () => {
    const current = textOf('docs/wire-formats.md')
    expect(wireFormats(current)).toBe(current)
  })

  it('names a source of every group of rules, with the version of the SDK that is installed', () => {
    const rows = new Map(
      [...textOf('docs/wire-formats.md').matchAll(/^\| `([a-z-]+)\/…` \| (.*) \|$/gm)].map(([, group, row]) => [
        group,
        row,
      ]),
    )
    const groups = rulesInSources().map((rule) => rule.split('/')[0] ?? '')
    expect([...rows.keys()].sort()).toEqual([...new Set(groups)].sort())
    const named = [...rows.values()].flatMap((row) => [...(row ?? '').matchAll(/`(\S+)` (\d+\.\d+\.\d+)/g)])
    expect(named.length).toBeGreaterThan(6)
    for (const [, name, version] of named) {
      expect([name, JSON.parse(textOf(`node_modules/${name}/package.json`)).version]).toEqual([name, version])
    }
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
      const links = linksOf(textOf(path)).filter((link) => !isForeign(link) && !link.startsWith('#'))
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

describe('commands of documents', () => {
  it('are found in blocks, indented lines and code between words', () => {
    const text =
      'Say `palimpsest check x.json` to `palimpsest it`:\n\n    A=1 palimpsest proxy --port 1   # now\n\n```sh\ncat a |\\\n  jq .\n```\n'
    expect(commandsIn(text)).toEqual(['cat a |  jq .', 'palimpsest proxy --port 1', 'palimpsest check x.json'])
  })

  it('are told where a command, an option, a script or a file does not exist', () => {
    const lines = ['palimpsest chekc x', 'palimpsest check --jsno', 'npm run no', 'node scripts/no.mjs', 'frobnicate']
    expect(lines.map((line) => unknownIn(line).length)).toEqual([1, 1, 1, 1, 1])
    expect(unknownIn('cat a.json | palimpsest check - --json && npm test')).toEqual([])
  })
})

describe('links by name', () => {
  it('are told where one side is missing', () => {
    expect(looseNamesOf('[a][x] and [b][y]\n\n[x]: https://x.example\n[z]: https://z.example\n')).toEqual(['y', 'z'])
  })
})

describe('generated regions', () => {
  it('are filled by name, and a missing or superfluous one is told', () => {
    const text = 'a\n<!-- generated: x -->\nold\n<!-- end -->\nb\n'
    expect(withRegions(text, { x: '$&new' })).toBe('a\n<!-- generated: x -->\n\n$&new\n\n<!-- end -->\nb\n')
    expect(() => withRegions(text, {})).toThrow('"x"')
    expect(() => withRegions(text, { x: '', y: '' })).toThrow('y')
  })
})
