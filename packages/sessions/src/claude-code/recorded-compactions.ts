import type { SaidItem } from '../anthropic-transcript.ts'
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
  const ranks = new Map(chain.lines.map(({ source, rank }) => [source, rank]))
  const boundaries = boundariesOf(lines, chain)
  const summaries = new Map([...boundaries].map(([summary, boundary]) => [boundary, summary]))
  const found: { readonly rank: number; readonly compaction: RecordedCompaction }[] = []
  const unused: ClaudeLine[] = []
  for (const line of lines) {
    const { body } = line
    if (body.kind === 'compaction') {
      const rank = ranks.get(line) ?? rankBeside(line, body.compaction)
      if (rank !== undefined) found.push({ rank, compaction: recorded(body.compaction, rank, line) })
      continue
    }
    if (body.kind !== 'summary') continue
    const boundary = boundaries.get(line)
    const rank = ranks.get(line)
    if (boundary === undefined && rank !== undefined) found.push({ rank, compaction: told(body.text, rank) })
    else if (boundary === undefined || !isRecorded(boundary)) unused.push(line)
  }
  return { compactions: found.sort((a, b) => a.rank - b.rank).map(({ compaction }) => compaction), unused }

  function isRecorded(line: ClaudeLine): boolean {
    return line.body.kind === 'compaction' && (ranks.get(line) ?? rankBeside(line, line.body.compaction)) !== undefined
  }

  /**
   * A boundary beside the chain happened if the conversation went past it: the next message was chained to the last one
   * that the client kept, or the summary that leads to the boundary is lost.
   */
  function rankBeside(line: ClaudeLine, compaction: ClaudeCompaction): number | undefined {
    const before = chain.before(line)
    const rank = before === undefined ? undefined : ranks.get(before)
    if (rank === undefined || compaction.kind === 'micro') return rank
    const next = chain.lines.find((other) => other.onChain && other.rank > rank)
    if (next !== undefined && next.source.order < line.order) return undefined
    return compaction.kept !== undefined || !summaries.has(line) ? rank : undefined
  }

  function recorded(compaction: ClaudeCompaction, rank: number, line: ClaudeLine): RecordedCompaction {
    const { kept, ...facts } = compaction
    const summary = summaries.get(line)?.body
    const keptFrom = items.findIndex(({ from }) => from.some((said) => said.source.uuid === kept?.head))
    return {
      position: positionAt(rank),
      ...facts,
      ...present({
        keptFrom: kept?.head === undefined || keptFrom === -1 ? undefined : keptFrom,
        summary: summary?.kind === 'summary' ? summary.text : undefined,
      }),
    }
  }

  function told(summary: string, rank: number): RecordedCompaction {
    return { position: positionAt(rank), trigger: 'unknown', kind: 'summary', summary }
  }

  function positionAt(rank: number): number {
    return items.findLastIndex(({ from }) => from.some((said) => said.rank <= rank)) + 1
  }
}

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
