import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative, sep } from 'node:path'
import ts from 'typescript'

/** A source file of the repository: path from the repository root, with `/`. */
export interface SourceFile {
  readonly path: string
  readonly text: string
}

/** An import that breaks a rule of the layout. */
export interface Offence {
  readonly rule:
    | 'floor'
    | 'sibling'
    | 'cycle'
    | 'node-in-core'
    | 'third-party'
    | 'package-direction'
    | 'built-output'
    | 'test-only'
    | 'unknown-folder'
    | 'missing-file'
  readonly file: string
  readonly imports: string
}

/** Packages from the highest floor to the lowest; each may import those that stand after it. */
const packageOrder = [
  '@palimpsest/end-to-end',
  '@palimpsest/cli',
  '@palimpsest/agent',
  '@palimpsest/wirelab',
  '@palimpsest/sessions',
  'palimpsest',
]

const folderOfPackage: Readonly<Record<string, string>> = {
  'packages/end-to-end': '@palimpsest/end-to-end',
  'packages/cli': '@palimpsest/cli',
  'packages/agent': '@palimpsest/agent',
  'packages/wirelab': '@palimpsest/wirelab',
  'packages/sessions': '@palimpsest/sessions',
  'packages/palimpsest': 'palimpsest',
}

const library = 'packages/palimpsest/src/'

/** Floors of a package's folders. Files that stand directly in `src` are entry points and see everything. */
type Floors = Readonly<Record<string, number>>

const libraryFloors: Floors = {
  engine: 1,
  dialects: 2,
  summarizers: 2,
  stores: 2,
  'exact-tokens': 2,
  wire: 2,
  compactor: 3,
  telemetry: 3,
  adapters: 4,
  profile: 4,
  // tests only: the cases that go the whole path
  cases: 5,
}

/** A turn knows the slots around a model call by their interface alone; the agent puts both together. */
const agentFloors: Floors = {
  folders: 1,
  tools: 2,
  config: 3,
  memory: 4,
  models: 4,
  prompt: 4,
  loop: 5,
  middleware: 6,
  telemetry: 6,
  agent: 7,
}

const floorsOfPackage: Readonly<Record<string, Floors>> = {
  palimpsest: libraryFloors,
  '@palimpsest/agent': agentFloors,
}

/** Published suites of tests, which no other shipped file imports, and the packages that they may import. */
const suites: Readonly<Record<string, readonly string[]>> = {
  [`${library}stores/store-laws.ts`]: ['fast-check', 'vitest'],
}

/** Packages that a room may import: optional peers, loaded only where they are there. */
const packagesOfRooms: Readonly<Record<string, readonly string[]>> = {
  telemetry: ['@opentelemetry/api'],
}

/** Every TypeScript source below `packages/…/src` of the repository. */
export function repositorySources(root: string): readonly SourceFile[] {
  return Object.keys(folderOfPackage).flatMap((home) => {
    const folder = join(root, home, 'src')
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => ({
        path: `${home}/src/${name.split(sep).join('/')}`,
        text: readFileSync(join(folder, name), 'utf8'),
      }))
  })
}

/** Every import of `files` that breaks a rule, in the order of the files. */
export function findOffences(files: readonly SourceFile[]): readonly Offence[] {
  const paths = new Set(files.map((file) => file.path))
  const imports = new Map(files.map((file) => [file.path, importsOf(file)]))
  const single = files.flatMap((file) => judgeFile(file.path, imports, paths))
  return [...single, ...cycles(imports)]
}

/**
 * What a file imports, as it is written: static, dynamic and type imports, re-exports and `require`. The compiler's own
 * parser reads it, because a search by pattern is fooled by strings, comments, templates and regular expressions.
 */
export function importsOf(file: SourceFile): readonly string[] {
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    const specifier = specifierOf(node)
    if (specifier !== undefined) found.push(specifier)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file.path, file.text, ts.ScriptTarget.ESNext))
  return found
}

function specifierOf(node: ts.Node): string | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return textOf(node.moduleSpecifier)
  if (ts.isExternalModuleReference(node)) return textOf(node.expression)
  if (ts.isImportTypeNode(node)) return ts.isLiteralTypeNode(node.argument) ? textOf(node.argument.literal) : undefined
  if (!ts.isCallExpression(node)) return undefined
  const isRequire = ts.isIdentifier(node.expression) && node.expression.text === 'require'
  return isRequire || node.expression.kind === ts.SyntaxKind.ImportKeyword ? textOf(node.arguments[0]) : undefined
}

function textOf(node: ts.Node | undefined): string | undefined {
  return node !== undefined && ts.isStringLiteralLike(node) ? node.text : undefined
}

type Imports = ReadonlyMap<string, readonly string[]>

function judgeFile(path: string, imports: Imports, paths: ReadonlySet<string>): readonly Offence[] {
  return (imports.get(path) ?? []).flatMap((specifier) => {
    const rules = specifier.startsWith('.')
      ? judgeRelative(path, resolve(path, specifier), imports, paths)
      : judgeForeign(path, specifier)
    return rules.map((rule) => ({ rule, file: path, imports: specifier }))
  })
}

function judgeForeign(path: string, specifier: string): readonly Offence['rule'][] {
  if (/(^|\/)dist(\/|$)/.test(specifier)) return ['built-output']
  const own = packageOrder.find((name) => specifier === name || specifier.startsWith(`${name}/`))
  if (own !== undefined) {
    return packageOrder.indexOf(own) > packageOrder.indexOf(packageOf(path)) ? [] : ['package-direction']
  }
  if (!path.startsWith(library) || isTestOnly(path)) return []
  if (specifier.startsWith('node:')) return ['engine', 'dialects'].includes(roomOf(path)) ? ['node-in-core'] : []
  const packages = suites[path] ?? packagesOfRooms[roomOf(path)] ?? []
  return roomOf(path) === 'exact-tokens' || packages.includes(specifier) ? [] : ['third-party']
}

function judgeRelative(
  path: string,
  target: string,
  imports: Imports,
  paths: ReadonlySet<string>,
): readonly Offence['rule'][] {
  if (/(^|\/)dist\//.test(target)) return ['built-output']
  if (packageOf(path) !== packageOf(target)) return ['package-direction']
  if (!paths.has(target) && target.endsWith('.ts')) return ['missing-file']
  if (isTestOnly(path)) return []
  if (isTestOnly(target) || target in suites) return ['test-only']
  const floors = floorsOfPackage[packageOf(path)]
  return floors === undefined ? [] : judgeFloors(path, target, { floors, imports })
}

interface House {
  readonly floors: Floors
  readonly imports: Imports
}

function judgeFloors(path: string, target: string, { floors, imports }: House): readonly Offence['rule'][] {
  const [from, to] = [roomOf(path), roomOf(target)]
  if (from === '') return []
  if (to === '') return ['floor']
  const [fromFloor, toFloor] = [floors[from], floors[to]]
  if (fromFloor === undefined || toFloor === undefined) return ['unknown-folder']
  if (fromFloor < toFloor) return ['floor']
  if (fromFloor === toFloor && from !== to) return ['sibling']
  return from === 'dialects' && dialectsBehind(path, target, imports) ? ['sibling'] : []
}

/**
 * Does a file of one dialect's folder reach another dialect: directly, or through a file that all dialects share and
 * that itself imports a dialect (a list of all dialects, say)?
 */
function dialectsBehind(path: string, target: string, imports: Imports): boolean {
  const own = dialectOf(path)
  if (own === '') return false
  const reached = [target, ...(dialectOf(target) === '' ? reachable(target, imports) : [])]
  return reached.some((file) => file.startsWith(`${library}dialects/`) && !['', own].includes(dialectOf(file)))
}

function reachable(start: string, imports: Imports): ReadonlySet<string> {
  const seen = new Set<string>()
  const open = [start]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file)) continue
    seen.add(file)
    open.push(...relativeImports(file, imports))
  }
  return seen
}

/** One offence for each file of a package with floors from which its own imports lead back to it: types count too. */
function cycles(imports: Imports): readonly Offence[] {
  const files = [...imports.keys()].filter((file) => packageOf(file) in floorsOfPackage && !isTestOnly(file))
  return files.flatMap((file) => {
    const back = relativeImports(file, imports).find((next) => next === file || reachable(next, imports).has(file))
    return back === undefined ? [] : [{ rule: 'cycle', file, imports: relative(dirname(file), back) } as const]
  })
}

function relativeImports(file: string, imports: Imports): readonly string[] {
  return (imports.get(file) ?? []).filter((name) => name.startsWith('.')).map((name) => resolve(file, name))
}

function resolve(path: string, specifier: string): string {
  return normalize(join(dirname(path), specifier))
    .split(sep)
    .join('/')
}

function packageOf(path: string): string {
  return folderOfPackage[path.split('/').slice(0, 2).join('/')] ?? path
}

/** The folder of its package's `src` that a file stands in; '' for a file directly in it. */
function roomOf(path: string): string {
  const [room, ...rest] = path.split('/').slice(DEPTH_OF_SOURCES)
  return rest.length === 0 ? '' : (room ?? '')
}

function dialectOf(path: string): string {
  const [, dialect, ...rest] = path.split('/').slice(DEPTH_OF_SOURCES)
  return rest.length === 0 ? '' : (dialect ?? '')
}

/** `packages/…/src` */
const DEPTH_OF_SOURCES = 3

function isTestOnly(path: string): boolean {
  return /\.test(-data)?\.ts$/.test(path)
}
