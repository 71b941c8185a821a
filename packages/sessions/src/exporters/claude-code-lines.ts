import { fieldsOf, listOf, present } from '../importers/json-fields.ts'
import type { Marker } from './compaction-marker.ts'
import type { ExportedSession, ExportView } from './exported-session.ts'
import type { LossTally } from './loss-tally.ts'
import { type ItemStep, isoTime, type MarkerStep, sessionSteps, sessionUuid, uuidOf } from './session-steps.ts'

/**
 * The lines of a Claude Code session file: one for each item, chained by parents, with boundaries where compactions were.
 * Compacted originals stay in the file, so going on from the last line shows the summary and what was kept.
 */
export function claudeCodeLines(session: ExportedSession, view: ExportView, losses: LossTally): readonly object[] {
  const file = new ClaudeCodeFile(session, losses)
  const steps = sessionSteps(session, view, losses)
  file.expect(steps.flatMap((step) => (step.kind === 'item' ? [step] : [])))
  for (const step of steps) {
    if (step.kind === 'item') file.item(step)
    else file.marker(step)
  }
  return file.lines()
}

class ClaudeCodeFile {
  readonly #session: ExportedSession
  readonly #losses: LossTally
  readonly #sessionId: string
  readonly #lines: object[] = []
  /** Written items, in order, with the ids of their lines. */
  #items: readonly { readonly position: number; readonly uuid: string }[] = []
  /** The line that the next one hangs on. */
  #parent: string | null = null
  #lastItem: string | undefined
  /** Each boundary begins another chain; in which one the items stand. */
  #chain = 0
  readonly #chains = new Map<string, number>()

  constructor(session: ExportedSession, losses: LossTally) {
    this.#session = session
    this.#losses = losses
    this.#sessionId = sessionUuid(session)
  }

  /** The items that will come: boundaries name those that were kept. */
  expect(items: readonly ItemStep[]): void {
    this.#items = items
      .filter(({ item }) => item.content.length > 0)
      .map(({ position, seed }) => ({ position, uuid: uuidOf(seed) }))
  }

  item(step: ItemStep): void {
    const { item, position, seed, injected } = step
    const { content } = item
    if (content.length === 0) {
      this.#losses.add('empty message', position)
      return
    }
    const isAnswer = item.role === 'assistant'
    if (!isAnswer && item.role !== 'user')
      this.#losses.add('role of a system message (carried as the user’s)', position)
    const message = isAnswer ? this.#answer(step, content) : { role: 'user', content }
    const meta = injected || (!isAnswer && item.role !== 'user') ? { isMeta: true } : {}
    this.#append({ type: isAnswer ? 'assistant' : 'user', message, ...meta }, seed, step.timestamp)
    this.#lastItem = uuidOf(seed)
    this.#chains.set(this.#lastItem, this.#chain)
  }

  marker(step: MarkerStep): void {
    const { marker, seed, timestamp } = step
    if (marker.kind === 'micro') this.#append(microBoundary(marker), seed, timestamp)
    else if (marker.kind === 'summary' && marker.summary !== undefined) this.#summary(step, marker.summary)
    else this.#besideChain(step)
  }

  lines(): readonly object[] {
    const { title } = this.#session
    if (title === undefined || this.#lastItem === undefined) return this.#lines
    return [...this.#lines, { type: 'summary', summary: title, leafUuid: this.#lastItem }]
  }

  #answer({ item, seed, call }: ItemStep, content: string | readonly unknown[]): object {
    const calls = listOf(content).some((block) => fieldsOf(block).type === 'tool_use')
    const usage = call?.usage
    const model = call?.model ?? this.#session.model
    return {
      id: `msg_${seed.slice(0, 24)}`,
      type: 'message',
      role: item.role,
      ...present({ model }),
      content,
      stop_reason: calls ? 'tool_use' : 'end_turn',
      stop_sequence: null,
      usage: {
        input_tokens: usage === undefined ? 0 : Math.max(0, usage.input - usage.cacheRead - usage.cacheWrite),
        cache_creation_input_tokens: usage?.cacheWrite ?? 0,
        cache_read_input_tokens: usage?.cacheRead ?? 0,
        output_tokens: usage?.output ?? 0,
      },
    }
  }

  /** A boundary begins a chain of its own: what came before is history, but for what it names as kept. */
  #summary({ marker, position, seed, timestamp }: MarkerStep, summary: string): void {
    const before = this.#parent
    const uuid = uuidOf(`${seed}summary`)
    const kept = this.#kept(marker, position, uuid)
    this.#chain += 1
    this.#parent = null
    this.#append({ ...boundary(marker, kept), logicalParentUuid: before }, seed, timestamp)
    const message = { role: 'user', content: summary }
    const flags = { isVisibleInTranscriptOnly: true, isCompactSummary: true }
    this.#append({ type: 'user', message, ...flags }, `${seed}summary`, timestamp)
  }

  /** Nothing is known that could stand for the history: it stays on the chain, and the boundary beside it. */
  #besideChain({ marker, seed, timestamp }: MarkerStep): void {
    const before = this.#parent
    this.#parent = null
    this.#append({ ...boundary(marker), logicalParentUuid: before }, seed, timestamp)
    this.#parent = before
  }

  /** The originals that stay in view: a stretch of one chain by its ends, anything else one by one. */
  #kept({ keptFrom, keptBefore }: Marker, position: number, anchorUuid: string): object {
    const isKept = (at: number) =>
      at < position && (keptBefore.includes(at) || (keptFrom !== undefined && at >= keptFrom))
    const kept = this.#items.filter((item) => isKept(item.position))
    const [head] = kept
    const tail = kept.at(-1)
    if (head === undefined || tail === undefined) return {}
    const isStretch = keptBefore.length === 0 && this.#chains.get(head.uuid) === this.#chain
    if (!isStretch) return { preservedMessages: { anchorUuid, uuids: kept.map(({ uuid }) => uuid) } }
    return { preservedSegment: { headUuid: head.uuid, anchorUuid, tailUuid: tail.uuid } }
  }

  #append(line: object, seed: string, timestamp: number): void {
    const uuid = uuidOf(seed)
    this.#lines.push({
      parentUuid: this.#parent,
      isSidechain: false,
      userType: 'external',
      ...present({ cwd: this.#session.cwd }),
      sessionId: this.#sessionId,
      version: FILE_VERSION,
      ...line,
      uuid,
      timestamp: isoTime(timestamp),
    })
    this.#parent = uuid
  }
}

function boundary(marker: Marker, kept: object = {}): object {
  const { trigger, tokensBefore, tokensAfter, kind } = marker
  const opaque = kind === 'opaque' ? true : undefined
  return {
    type: 'system',
    subtype: 'compact_boundary',
    content: kind === 'opaque' ? 'Conversation compacted by its provider (encrypted)' : 'Conversation compacted',
    isMeta: false,
    level: 'info',
    compactMetadata: {
      ...present({ trigger: trigger === 'unknown' ? undefined : trigger, preTokens: tokensBefore }),
      ...present({ postTokens: tokensAfter, opaque }),
      ...kept,
    },
  }
}

function microBoundary({ trigger, tokensBefore, tokensAfter, callIds }: Marker): object {
  const tokensSaved =
    tokensBefore === undefined || tokensAfter === undefined ? undefined : Math.max(0, tokensBefore - tokensAfter)
  return {
    type: 'system',
    subtype: 'microcompact_boundary',
    content: 'Context microcompacted',
    isMeta: false,
    level: 'info',
    microcompactMetadata: {
      ...present({ trigger: trigger === 'unknown' ? undefined : trigger, preTokens: tokensBefore, tokensSaved }),
      compactedToolIds: callIds,
    },
  }
}

/** The client whose lines these are like. */
const FILE_VERSION = '2.1.0'
