import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { findOffences, importsOf, type Offence, repositorySources, type SourceFile } from './imports.test-data.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

it('every import of the repository keeps to the layout', () => {
  const sources = repositorySources(root)
  expect(sources.length).toBeGreaterThan(20)
  expect(findOffences(sources)).toEqual([])
})

describe('what a file imports', () => {
  it('is read from every kind of import, and from nothing that only looks like one', () => {
    const text = [
      `import a from './a.ts'`,
      `import type { B } from "./b.ts"`,
      `import './c.ts'`,
      `export * from './d.ts'`,
      `export * as e from './e.ts'`,
      `export type { F } from './f.ts'`,
      `export {\n  g,\n} from './g.ts'`,
      `const h = await import(/* why */ './h.ts')`,
      `type I = import('./i.ts').I`,
      `const j = require('./j.ts')`,
      'const k = await import(`./k.ts`)',
      `import l = require('./l.ts')`,
      `// import './no-1.ts'`,
      `/* import './no-2.ts' */`,
      `const text = "import './no-3.ts'" + \`import './no-4.ts'\` + /import '.no-5.ts'/.source`,
      `thing.import('./no-6.ts'); thing.require('./no-7.ts')`,
    ].join('\n')
    const found = importsOf({ path: 'x.ts', text })
    expect(found).toEqual('abcdefghijkl'.split('').map((letter) => `./${letter}.ts`))
  })
})

describe('each kind of offence is found', () => {
  it.each<[string, Offence['rule'], Record<string, string>]>([
    ['the engine imports a dialect', 'floor', { 'engine/a.ts': '../dialects/b.ts', 'dialects/b.ts': '' }],
    ['a store imports the compactor', 'floor', { 'stores/a.ts': '../compactor/b.ts', 'compactor/b.ts': '' }],
    ['a room imports the entry point', 'floor', { 'adapters/a.ts': '../index.ts', 'index.ts': '' }],
    ['a store imports a summariser', 'sibling', { 'stores/a.ts': '../summarizers/b.ts', 'summarizers/b.ts': '' }],
    ['telemetry imports the compactor', 'sibling', { 'telemetry/a.ts': '../compactor/b.ts', 'compactor/b.ts': '' }],
    ['a dialect imports another one', 'sibling', { 'dialects/one/a.ts': '../two/b.ts', 'dialects/two/b.ts': '' }],
    [
      'a dialect reaches another one through a shared file',
      'sibling',
      { 'dialects/one/a.ts': '../list.ts', 'dialects/list.ts': './two/b.ts', 'dialects/two/b.ts': '' },
    ],
    ['the engine imports Node', 'node-in-core', { 'engine/a.ts': 'node:fs' }],
    ['a dialect imports Node', 'node-in-core', { 'dialects/one/a.ts': 'node:buffer' }],
    ['the library imports a package', 'third-party', { 'adapters/a.ts': 'somewhere' }],
    [
      'telemetry imports another package than its API',
      'third-party',
      { 'telemetry/a.ts': '@opentelemetry/sdk-metrics' },
    ],
    ['the library imports a bare Node module', 'third-party', { 'stores/a.ts': 'fs' }],
    ['the library imports itself by name', 'package-direction', { 'stores/a.ts': 'palimpsest' }],
    ['a folder has no floor', 'unknown-folder', { 'engine/a.ts': '../newroom/b.ts', 'newroom/b.ts': '' }],
    ['a file is not there', 'missing-file', { 'engine/a.ts': './gone.ts' }],
    [
      'shipped code imports what only tests need',
      'test-only',
      { 'engine/a.ts': './b.test-data.ts', 'engine/b.test-data.ts': '' },
    ],
    [
      'shipped code imports a published suite of tests',
      'test-only',
      { 'stores/a.ts': './store-laws.ts', 'stores/store-laws.ts': '' },
    ],
    ['a published suite imports what it may not', 'third-party', { 'stores/store-laws.ts': 'somewhere' }],
    ['the build is imported', 'built-output', { 'engine/a.ts': '../../dist/engine/b.js' }],
  ])('%s', (_name, rule, files) => {
    const offences = findOffences(library(files))
    expect(offences.map((offence) => offence.rule)).toEqual([rule])
    expect(offences[0]?.imports).toBe(Object.values(files)[0])
  })

  it('two files, or three, that import each other', () => {
    const pair = library({ 'engine/a.ts': './b.ts', 'engine/b.ts': './a.ts' })
    expect(findOffences(pair)).toEqual([
      { rule: 'cycle', file: 'packages/palimpsest/src/engine/a.ts', imports: 'b.ts' },
      { rule: 'cycle', file: 'packages/palimpsest/src/engine/b.ts', imports: 'a.ts' },
    ])
    const round = library({
      'engine/a.ts': './b.ts',
      'engine/b.ts': './c.ts',
      'engine/c.ts': './a.ts',
      'engine/d.ts': './a.ts',
    })
    expect(findOffences(round).map((offence) => offence.file.at(-4))).toEqual(['a', 'b', 'c'])
  })

  it.each([
    ['the library imports the readers', 'packages/palimpsest/src/stores/a.ts', '@palimpsest/sessions'],
    ['the readers import the command', 'packages/sessions/src/a.ts', '@palimpsest/cli'],
    ['the readers reach into the library', 'packages/sessions/src/a.ts', '../../palimpsest/src/index.ts'],
    ['a test reaches into another package', 'packages/cli/src/a.test.ts', '../../sessions/src/index.ts'],
  ])('%s', (_name, path, specifier) => {
    expect(findOffences([{ path, text: `import '${specifier}'` }])).toEqual([
      { rule: 'package-direction', file: path, imports: specifier },
    ])
  })
})

describe('the agent has floors too', () => {
  const offencesOf = (path: string, specifier: string, target: string) =>
    findOffences([
      { path: `packages/agent/src/${path}`, text: `import '${specifier}'` },
      { path: `packages/agent/src/${target}`, text: 'export {}' },
    ]).map(({ rule }) => rule)

  it.each([
    ['a turn imports a slot', 'loop/a.ts', '../middleware/b.ts', ['floor']],
    ['a slot imports the agent', 'middleware/a.ts', '../agent/b.ts', ['floor']],
    ['a tool imports the configuration', 'tools/a.ts', '../config/b.ts', ['floor']],
    ['memory imports a model', 'memory/a.ts', '../models/b.ts', ['sibling']],
    ['a folder has no floor', 'agent/a.ts', '../newroom/b.ts', ['unknown-folder']],
    ['a slot imports the turn', 'middleware/a.ts', '../loop/b.ts', []],
    ['the agent imports a slot', 'agent/a.ts', '../middleware/b.ts', []],
    ['a tool imports another package', 'tools/a.ts', 'somewhere', []],
  ])('%s', (_name, path, specifier, rules) => {
    expect(offencesOf(path, specifier, specifier.slice('../'.length))).toEqual(rules)
  })
})

describe('what is allowed is let through', () => {
  it.each([
    ['imports that point down', { 'compactor/a.ts': '../engine/b.ts', 'engine/b.ts': '' }],
    ['a file that lists all dialects', { 'dialects/list.ts': './two/b.ts', 'dialects/two/b.ts': '' }],
    ['a dialect that uses a shared file', { 'dialects/two/b.ts': '../shared.ts', 'dialects/shared.ts': '' }],
    ['the entry point', { 'index.ts': './adapters/a.ts', 'adapters/a.ts': '' }],
    ['Node in a store', { 'stores/a.ts': 'node:fs' }],
    ['a package behind exact-tokens', { 'exact-tokens/a.ts': 'somewhere' }],
    ['the API of OpenTelemetry in telemetry', { 'telemetry/a.ts': '@opentelemetry/api' }],
    ['Vitest in a published suite of tests', { 'stores/store-laws.ts': 'vitest' }],
    ['a published suite in tests', { 'stores/a.test.ts': './store-laws.ts', 'stores/store-laws.ts': 'fast-check' }],
    ['anything foreign in tests', { 'engine/a.test.ts': 'vitest', 'engine/b.test-data.ts': 'node:fs' }],
  ])('%s', (_name, files) => {
    expect(findOffences(library(files))).toEqual([])
  })

  it('packages that import downward', () => {
    const text = `import '@palimpsest/sessions'; import 'palimpsest'; import 'commander'`
    expect(findOffences([{ path: 'packages/cli/src/a.ts', text }])).toEqual([])
  })
})

/** Sources of the library, each with one import or none. */
function library(files: Readonly<Record<string, string>>): readonly SourceFile[] {
  return Object.entries(files).map(([name, specifier]) => ({
    path: `packages/palimpsest/src/${name}`,
    text: specifier === '' ? 'export {}' : `import '${specifier}'`,
  }))
}
