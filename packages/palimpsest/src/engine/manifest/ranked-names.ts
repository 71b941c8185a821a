import type { BriefingScope } from './briefing-scope.ts'
import { COMMON_NAMES } from './common-names.ts'
import type { FileUse } from './file-uses.ts'
import { type NameRecord, SEEN_IN } from './name-uses.ts'
import type { NameKind } from './names-in-text.ts'

/** A name with what it is worth to the agent. */
export interface RankedName {
  readonly name: string
  readonly kind: NameKind
  /** The file it is printed with, relative to the folder of the briefing. */
  readonly file: string | undefined
  /** How likely it is to be needed, per character that it costs. */
  readonly worth: number
}

/** Steps that count as recent for arguments. */
const RECENT_STEPS = 40

/** Names less likely than this are not worth sorting. */
const LEAST_SCORE = -6.5

/**
 * Log-odds weights of a logistic model over recorded sessions: was this name needed after a compaction? What the agent
 * typed itself counts most; a name that only scrolled by counts by how often it did.
 */
const WEIGHT = {
  base: -4.3,
  age: -0.5,
  argument: 2.8,
  arguments: 0.8,
  recentArguments: 0.45,
  timesTyped: -0.8,
  timesScrolledBy: 0.55,
  assistant: 1.05,
  user: 0.65,
  error: 0.65,
  path: -0.8,
  pathScrolledBy: 0.6,
  pathUsed: 1.2,
  pathChanged: 0.3,
  id: -0.6,
} as const

/** Names of the scope that are worth a place, the most worth per character first; a path written in two ways counts once. */
export function rankNames(scope: BriefingScope, uses: ReadonlyMap<string, FileUse>): readonly RankedName[] {
  const ranked: RankedName[] = []
  for (const record of mergedPaths(scope)) {
    if (record.kind === 'ident' ? COMMON_NAMES.has(record.name) : isPassingNumber(record)) continue
    const score = scoreOf(record, uses, scope.lastStep)
    if (score < LEAST_SCORE) continue
    const worth = 1 / (1 + Math.exp(-score)) / (record.name.length + 4)
    ranked.push({ name: record.name, kind: record.kind, file: fileOf(record, scope), worth })
  }
  // Ties by name, so that the order does not hang on how a map was filled.
  return ranked.sort((a, b) => b.worth - a.worth || (a.name < b.name ? -1 : 1))
}

/** A number that nobody typed or wrote about is a size, a time or a mode. */
function isPassingNumber(record: NameRecord): boolean {
  const said = SEEN_IN.argument | SEEN_IN.assistant | SEEN_IN.user
  return record.kind === 'id' && (record.seenIn & said) === 0 && /^\d+$/.test(record.name)
}

function fileOf(record: NameRecord, scope: BriefingScope): string | undefined {
  return record.file === undefined ? undefined : scope.relative(record.file)
}

function scoreOf(record: NameRecord, uses: ReadonlyMap<string, FileUse>, lastStep: number): number {
  const isTyped = (record.seenIn & SEEN_IN.argument) !== 0
  const has = (where: number) => ((record.seenIn & where) !== 0 ? 1 : 0)
  return (
    WEIGHT.base +
    WEIGHT.age * Math.log(1 + Math.max(0, lastStep - record.lastStep)) +
    (isTyped ? WEIGHT.timesTyped : WEIGHT.timesScrolledBy) * Math.log(1 + record.times) +
    WEIGHT.argument * has(SEEN_IN.argument) +
    WEIGHT.arguments * Math.log(1 + record.argumentSteps.length) +
    WEIGHT.recentArguments * Math.log(1 + recentArguments(record, lastStep)) +
    WEIGHT.assistant * has(SEEN_IN.assistant) +
    WEIGHT.user * has(SEEN_IN.user) +
    WEIGHT.error * has(SEEN_IN.error) +
    kindScore(record, isTyped, uses.get(record.name))
  )
}

function kindScore(record: NameRecord, isTyped: boolean, use: FileUse | undefined): number {
  if (record.kind === 'id') return WEIGHT.id
  if (record.kind === 'ident') return 0
  const used = use === undefined ? 0 : WEIGHT.pathUsed + (use.changes > 0 ? WEIGHT.pathChanged : 0)
  return WEIGHT.path + (isTyped ? 0 : WEIGHT.pathScrolledBy) + used
}

function recentArguments(record: NameRecord, lastStep: number): number {
  const steps = record.argumentSteps
  let count = 0
  for (let at = steps.length - 1; at >= 0 && (steps[at] ?? 0) > lastStep - RECENT_STEPS; at -= 1) count += 1
  return count
}

function mergedPaths(scope: BriefingScope): readonly NameRecord[] {
  const records: NameRecord[] = []
  const paths = new Map<string, NameRecord>()
  for (const record of scope.names()) {
    const name = record.kind === 'path' ? scope.relative(record.name) : record.name
    if (record.kind !== 'path') records.push(record)
    else if (name !== '.') paths.set(name, merged(paths.get(name), { ...record, name }))
  }
  records.push(...paths.values())
  return records
}

function merged(known: NameRecord | undefined, other: NameRecord): NameRecord {
  if (known === undefined) return other
  return {
    ...known,
    seenIn: known.seenIn | other.seenIn,
    times: known.times + other.times,
    lastStep: Math.max(known.lastStep, other.lastStep),
    argumentSteps: [...known.argumentSteps, ...other.argumentSteps].sort((a, b) => a - b),
  }
}
