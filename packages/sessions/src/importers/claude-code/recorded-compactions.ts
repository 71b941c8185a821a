import type { SaidItem } from '../anthropic-transcript.ts'
import { lastAtMost } from '../bounded-search.ts'
import type { RecordedCompaction } from '../imported-session.ts'
import { present } from '../json-fields.ts'
import type { ClaudeCompaction, ClaudeLine, ClaudeSaid } from './claude-line.ts'
import type { MainChain } from './main-chain.ts'

/**
 * The compactions of the conversation, in order, and the summaries that belong to none (of a branch that the user left).
 * The client's summary is a message behind the boundary; where the boundary is lost, the summary alone tells of it.
 */
export function recordedCompactions(
  lines: readonly ClaudeLine[],
  chain: MainChain,
  items: readonly SaidItem<ClaudeSaid>[],
): { readonly compactions: readonly RecordedCompaction[]; readonly unused: readonly ClaudeLine[] } {
  const boundaries = boundariesOf(lines, chain)
  const places = new CompactionPlaces(chain, new Set(boundaries.values()))
  const summaries = new Map([...boundaries].map(([summary, boundary]) => [boundary, summary]))
  const item = itemPlaces(items)
  const found: { readonly rank: number; readonly compaction: RecordedCompaction }[] = []
  const unused: ClaudeLine[] = []
  for (const line of lines) {
    const teller = line.body.kind === 'summary' ? (boundaries.get(line) ?? line) : line
    if (teller.body.kind !== 'compaction' && teller.body.kind !== 'summary') continue
    const rank = places.rankOf(teller)
    if (rank === undefined && line.body.kind === 'summary') unused.push(line)
    else if (rank !== undefined && teller === line) {
      found.push({ rank, compaction: recorded(line, summaries.get(line) ?? line, rank, item) })
    }
  }
  return { compactions: found.sort((a, b) => a.rank - b.rank).map(({ compaction }) => compaction), unused }
}

/** Where in the conversation a compaction stands, if it belongs to it. */
class CompactionPlaces {
  readonly #chain: MainChain
  readonly #summarised: ReadonlySet<ClaudeLine>
  readonly #ranks: ReadonlyMap<ClaudeLine, number>
  /** The chain itself, by rank. */
  readonly #main: ReadonlyMap<number, ClaudeLine>

  constructor(chain: MainChain, summarised: ReadonlySet<ClaudeLine>) {
    this.#chain = chain
    this.#summarised = summarised
    this.#ranks = new Map(chain.lines.map(({ source, rank }) => [source, rank]))
    const main = chain.lines.filter(({ onChain }) => onChain)
    this.#main = new Map(main.map(({ source, rank }) => [rank, source]))
  }

  rankOf(line: ClaudeLine): number | undefined {
    const rank = this.#ranks.get(line)
    return rank ?? (line.body.kind === 'compaction' ? this.#rankBeside(line, line.body.compaction) : undefined)
  }

  /**
   * A boundary beside the chain happened if the conversation went past it: the next message was chained to the last one
   * that the client kept, or the summary that leads to the boundary is lost.
   */
  #rankBeside(line: ClaudeLine, compaction: ClaudeCompaction): number | undefined {
    const before = this.#chain.before(line)
    const rank = before === undefined ? undefined : this.#ranks.get(before)
    if (rank === undefined || compaction.kind === 'micro') return rank
    const next = this.#main.get(rank + 1)
    if (next !== undefined && next.order < line.order) return undefined
    return compaction.kept !== undefined || !this.#summarised.has(line) ? rank : undefined
  }
}

interface ItemPlaces {
  /** Place of the last item that has something of this rank or a lower one. */
  lastAt(rank: number): number | undefined
  /** Place of the first item that the line of this id is part of. */
  ofLine(uuid: string): number | undefined
}

function itemPlaces(items: readonly SaidItem<ClaudeSaid>[]): ItemPlaces {
  const lastAt = lastAtMost(
    items.map(({ from }) => from.reduce((lowest, { rank }) => Math.min(lowest, rank), Number.POSITIVE_INFINITY)),
  )
  const places = new Map<string | undefined, number>()
  items.forEach(({ from }, place) => {
    for (const { source } of from) if (!places.has(source.uuid)) places.set(source.uuid, place)
  })
  return { lastAt, ofLine: (uuid) => places.get(uuid) }
}

function recorded(line: ClaudeLine, summaryLine: ClaudeLine, rank: number, item: ItemPlaces): RecordedCompaction {
  const { kept, ...facts } = line.body.kind === 'compaction' ? line.body.compaction : UNTOLD
  return {
    position: (item.lastAt(rank) ?? -1) + 1,
    ...facts,
    ...present({
      keptFrom: kept?.head === undefined ? undefined : item.ofLine(kept.head),
      summary: summaryLine.body.kind === 'summary' ? summaryLine.body.text : undefined,
    }),
  }
}

/** What a summary without its boundary tells of the compaction. */
const UNTOLD: ClaudeCompaction = { kind: 'summary', trigger: 'unknown', kept: undefined }

/** The boundary that each summary follows, links between them passed over. A boundary has one summary. */
function boundariesOf(lines: readonly ClaudeLine[], chain: MainChain): ReadonlyMap<ClaudeLine, ClaudeLine> {
  const boundaries = new Map<ClaudeLine, ClaudeLine>()
  const taken = new Set<ClaudeLine>()
  for (const line of lines) {
    const boundary = line.body.kind === 'summary' ? boundaryBefore(line, chain) : undefined
    if (boundary === undefined || taken.has(boundary)) continue
    boundaries.set(line, boundary)
    taken.add(boundary)
  }
  return boundaries
}

function boundaryBefore(summary: ClaudeLine, chain: MainChain): ClaudeLine | undefined {
  let line = chain.before(summary)
  for (let steps = 0; steps < MAX_LINKS && line?.body.kind === 'link'; steps++) line = chain.before(line)
  return line?.body.kind === 'compaction' && line.body.compaction.kind === 'summary' ? line : undefined
}

/** Hook and progress lines that may stand between a boundary and its summary; stops a walk in a circle. */
const MAX_LINKS = 1_000
