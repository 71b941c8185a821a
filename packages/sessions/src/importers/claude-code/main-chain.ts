import { fieldsOf, listOf, textOf } from '../json-fields.ts'
import type { ClaudeLine } from './claude-line.ts'

/** A line that belongs to the conversation, and where. */
export interface ChainLine {
  readonly source: ClaudeLine
  /** Grows along the conversation. A line beside the chain has the rank of the chain line it hangs on. */
  readonly rank: number
  readonly onChain: boolean
}

export interface MainChain {
  /** Every line of the conversation, links and boundaries too, in order. */
  readonly lines: readonly ChainLine[]
  /** Messages on branches that the user left. */
  readonly abandoned: readonly ClaudeLine[]
  /** The line that a line follows; undefined: it begins the conversation. */
  before(line: ClaudeLine): ClaudeLine | undefined
}

/**
 * The conversation that the newest message ends: its chain of parents, and beside it what parallel tool calls left on
 * side branches (the other lines of an answer, the results of its calls, what hangs on those). `lines` is one file's,
 * in order, without sidechains. Parents that the file lacks are taken to be the line before.
 */
export function mainChain(lines: readonly ClaudeLine[]): MainChain {
  const tree = treeOf(lines)
  const chain = tree.chainTo(leafOf(lines))
  const included = new Set(chain)
  includeGaps(chain, included, tree)
  includeAnswers(lines, included)
  includeResults(lines, included)
  includeHangers(lines, included, tree, new Set(chain))
  const rankOf = ranking(chain, tree)
  const onChain = new Set(chain)
  const place = new Map(lines.map((line, at) => [line, at]))
  const ranked = [...included].map((source) => ({ source, rank: rankOf(source), onChain: onChain.has(source) }))
  ranked.sort(
    (a, b) =>
      a.rank - b.rank ||
      Number(b.onChain) - Number(a.onChain) ||
      (place.get(a.source) ?? 0) - (place.get(b.source) ?? 0),
  )
  return {
    lines: ranked,
    abandoned: lines.filter((line) => line.body.kind === 'message' && !included.has(line)),
    before: tree.before,
  }
}

interface Tree {
  /** Does the line name a parent that the file lacks? */
  lacksParent(line: ClaudeLine): boolean
  before(line: ClaudeLine): ClaudeLine | undefined
  /** The lines that stand behind this one in the file. */
  from(line: ClaudeLine): Iterable<ClaudeLine>
  /** From the beginning of the conversation to the line. */
  chainTo(leaf: ClaudeLine | undefined): ClaudeLine[]
}

function treeOf(lines: readonly ClaudeLine[]): Tree {
  const place = new Map(lines.map((line, at) => [line, at]))
  const byId = new Map(lines.flatMap((line) => (line.uuid === undefined ? [] : [[line.uuid, line] as const])))

  function lacksParent(line: ClaudeLine): boolean {
    return typeof line.parent === 'string' && !byId.has(line.parent)
  }

  function before(line: ClaudeLine): ClaudeLine | undefined {
    if (line.parent === null) return undefined
    const named = line.parent === undefined ? undefined : byId.get(line.parent)
    return named ?? keptTail(line) ?? lines[(place.get(line) ?? 0) - 1]
  }

  /** A boundary may name a parent that was never written; the last message it kept is as good. */
  function keptTail(line: ClaudeLine): ClaudeLine | undefined {
    const tail = line.body.kind === 'compaction' ? line.body.compaction.kept?.tail : undefined
    return tail === undefined ? undefined : byId.get(tail)
  }

  function* from(line: ClaudeLine): Generator<ClaudeLine> {
    for (let at = (place.get(line) ?? 0) + 1; at < lines.length; at++) yield lines[at] ?? line
  }

  function chainTo(leaf: ClaudeLine | undefined): ClaudeLine[] {
    const chain = new Set<ClaudeLine>()
    for (let line = leaf; line !== undefined; line = unvisited(before(line), chain, line)) chain.add(line)
    return [...chain].reverse()
  }

  /** Guessed parents can lead back to where the walk has been: then the nearest line before that it has not seen. */
  function unvisited(parent: ClaudeLine | undefined, seen: ReadonlySet<ClaudeLine>, from: ClaudeLine) {
    if (parent === undefined || !seen.has(parent)) return parent
    for (let at = (place.get(from) ?? 0) - 1; at >= 0; at--) {
      const line = lines[at]
      if (line !== undefined && !seen.has(line)) return line
    }
    return undefined
  }

  return { lacksParent, before, from, chainTo }
}

/**
 * The newest message that is no result of a known call: a result can be written late, behind messages that follow it,
 * and comes in with its call.
 */
function leafOf(lines: readonly ClaudeLine[]): ClaudeLine | undefined {
  const calls = new Set(lines.flatMap(callIds))
  return (
    lines.findLast((line) => isSpoken(line) && !resultIds(line).some((id) => calls.has(id))) ??
    lines.findLast(isSpoken) ??
    lines.at(-1)
  )
}

function isSpoken(line: ClaudeLine): boolean {
  return line.body.kind === 'message' || line.body.kind === 'summary' || isClientError(line)
}

/** An error message of the client is not sent, but the conversation went on behind it. */
function isClientError(line: ClaudeLine): boolean {
  return line.body.kind === 'link' && line.body.reason === 'client error message'
}

/**
 * Where a parent is lost, so is the way to what stood above it: a line that was written in that gap, and hangs on the
 * chain line before it, is taken to be part of the way. A boundary's parent is often not written; it leaves no gap.
 */
function includeGaps(chain: readonly ClaudeLine[], included: Set<ClaudeLine>, tree: Tree): void {
  chain.forEach((line, at) => {
    const last = chain[at - 1]
    if (last === undefined || line.body.kind === 'compaction' || !tree.lacksParent(line)) return
    const end = chain[at + 1]?.order ?? Number.POSITIVE_INFINITY
    const gap = new Set([last])
    for (const other of tree.from(last)) {
      if (other.order >= end) break
      const parent = tree.before(other)
      if (parent === undefined || !gap.has(parent) || included.has(other)) continue
      gap.add(other)
      included.add(other)
    }
  })
}

/** The lines of one answer are chained one after the other, or each to another parent: all are the answer. */
function includeAnswers(lines: readonly ClaudeLine[], included: Set<ClaudeLine>): void {
  const answers = new Set([...included].map(answerOf).filter((answer) => answer !== undefined))
  for (const line of lines) {
    const answer = answerOf(line)
    if (answer !== undefined && answers.has(answer)) included.add(line)
  }
}

function includeResults(lines: readonly ClaudeLine[], included: Set<ClaudeLine>): void {
  const calls = new Set([...included].flatMap(callIds))
  for (const line of lines) {
    if (resultIds(line).some((id) => calls.has(id))) included.add(line)
  }
}

/**
 * What hangs on a side branch that belongs to the conversation: skill texts, notes and boundaries behind a result there,
 * and results whose call the file lost. A branch that begins at the chain itself is one that the user left.
 */
function includeHangers(
  lines: readonly ClaudeLine[],
  included: Set<ClaudeLine>,
  tree: Tree,
  chain: ReadonlySet<ClaudeLine>,
): void {
  const calls = new Set(lines.flatMap(callIds))
  const hanging = hangingLines(lines, included, tree)
  // What comes in is looked at in its turn: a line can stand before the one it hangs on.
  for (const parent of included) {
    for (const line of hanging.get(parent) ?? []) if (!chain.has(parent) || isOfLostCall(line)) included.add(line)
  }

  function isOfLostCall(line: ClaudeLine): boolean {
    const ids = resultIds(line)
    return ids.length > 0 && !ids.some((id) => calls.has(id))
  }
}

/** The lines that are not yet included and belong to no answer, by the line that they follow. */
function hangingLines(
  lines: readonly ClaudeLine[],
  included: ReadonlySet<ClaudeLine>,
  tree: Tree,
): ReadonlyMap<ClaudeLine, readonly ClaudeLine[]> {
  const hanging = new Map<ClaudeLine, ClaudeLine[]>()
  for (const line of lines) {
    const parent = included.has(line) || answerOf(line) !== undefined ? undefined : tree.before(line)
    if (parent === undefined) continue
    const others = hanging.get(parent)
    if (others === undefined) hanging.set(parent, [line])
    else others.push(line)
  }
  return hanging
}

/** Rank of a chain line: its place. Rank of another: that of the nearest chain line above it. */
function ranking(chain: readonly ClaudeLine[], tree: Tree): (line: ClaudeLine) => number {
  const ranks = new Map(chain.map((line, rank) => [line, rank]))
  return (line) => {
    const path: ClaudeLine[] = []
    let at: ClaudeLine | undefined = line
    while (at !== undefined && !ranks.has(at) && path.length <= MAX_SIDE_BRANCH) {
      path.push(at)
      at = tree.before(at)
    }
    const rank = (at === undefined ? undefined : ranks.get(at)) ?? 0
    for (const passed of path) ranks.set(passed, rank)
    return rank
  }
}

/** Longer than any side branch of parallel calls; stops a walk in a circle. */
const MAX_SIDE_BRANCH = 10_000

function answerOf(line: ClaudeLine): string | undefined {
  return line.body.kind === 'message' ? line.body.message.answer : undefined
}

function callIds(line: ClaudeLine): string[] {
  return blockIds(line, 'assistant', 'tool_use', 'id')
}

function resultIds(line: ClaudeLine): string[] {
  return blockIds(line, 'user', 'tool_result', 'tool_use_id')
}

function blockIds(line: ClaudeLine, role: string, type: string, key: string): string[] {
  if (line.body.kind !== 'message' || line.body.message.role !== role) return []
  const blocks = listOf(line.body.message.content).map(fieldsOf)
  return blocks.map((block) => (block.type === type ? textOf(block[key]) : undefined)).filter((id) => id !== undefined)
}
