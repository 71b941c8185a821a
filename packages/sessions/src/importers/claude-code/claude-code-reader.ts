import { pairResults, type SaidItem } from '../anthropic-transcript.ts'
import type { RecordedCall } from '../imported-session.ts'
import { type Fields, isFields, present, textOf } from '../json-fields.ts'
import type { RecordReader, Transcript } from '../record-reader.ts'
import type { SkipTally } from '../skip-tally.ts'
import { type ClaudeLine, type ClaudeMessage, type ClaudeSaid, claudeLine } from './claude-line.ts'
import { type ChainLine, mainChain } from './main-chain.ts'
import { recordedCompactions } from './recorded-compactions.ts'

/** Reads the lines of Claude Code: its session files, and its `stream-json` output. */
export class ClaudeCodeReader implements RecordReader {
  readonly format = 'claude-code'
  readonly #skipped: SkipTally
  readonly #lines: ClaudeLine[] = []
  readonly #ids = new Set<string>()
  readonly #titles = new SessionTitles()
  #id: string | undefined
  #cwd: string | undefined

  constructor(skipped: SkipTally) {
    this.#skipped = skipped
  }

  read(record: unknown, line: number): void {
    if (isFields(record)) this.#readLine(record, claudeLine(record, line, this.#lines.length))
    else this.#skipped.add('unknown record', line)
  }

  finish(): Transcript {
    const lines = this.#mainLines()
    const chain = mainChain(lines)
    const items = pairResults(chain.lines.flatMap(said), this.#skipped)
    const calls = recordedCalls(items)
    const { compactions, unused } = recordedCompactions(lines, chain, items)
    for (const line of [...chain.abandoned, ...unused]) this.#skipped.add('abandoned branch', line.line)
    return {
      dialect: 'anthropic-messages',
      items: items.map(({ item, from }) => ({
        item,
        line: from[0].line,
        ...present({ timestamp: from[0].timestamp }),
        ...(from.every(isInjected) && { injected: true }),
      })),
      calls,
      compactions,
      ...present({
        id: this.#id,
        cwd: this.#cwd,
        title: this.#titles.best(this.#ids),
        model: calls.findLast((call) => call.model !== undefined)?.model,
      }),
    }
  }

  #readLine(record: Fields, read: ClaudeLine): void {
    // A forked or resumed session copies lines; a copy keeps its uuid.
    if (read.uuid !== undefined && this.#ids.has(read.uuid)) {
      this.#skipped.add('duplicate line', read.line)
      return
    }
    if (read.uuid !== undefined) this.#ids.add(read.uuid)
    if (read.body.kind === 'link') this.#skipped.add(read.body.reason, read.line)
    this.#titles.read(record)
    this.#id ??= textOf(record.sessionId) ?? textOf(record.session_id)
    this.#cwd ??= textOf(record.cwd)
    if (isChained(record)) this.#lines.push(read)
  }

  /** The file of a subagent holds nothing but its sidechain: then that is the conversation. */
  #mainLines(): readonly ClaudeLine[] {
    const main = this.#lines.filter((line) => !line.sidechain)
    if (!main.some((line) => line.body.kind === 'message')) return this.#lines
    for (const line of this.#lines) {
      if (line.sidechain && line.body.kind !== 'link') this.#skipped.add('sidechain', line.line)
    }
    return main
  }
}

/** Snapshots, titles, modes and queue entries stand beside the conversation: no message is chained to them. */
function isChained(record: Fields): boolean {
  if ('uuid' in record || 'parentUuid' in record) return true
  return record.type === 'user' || record.type === 'assistant' || record.type === 'system'
}

function said({ source, rank, onChain }: ChainLine): ClaudeSaid[] {
  if (source.body.kind !== 'message') return []
  const { line, order, timestamp } = source
  return [{ ...source.body.message, line, order, timestamp, main: onChain, source, rank }]
}

function isInjected({ source: { body } }: ClaudeSaid): boolean {
  return body.kind === 'message' && body.message.injected
}

/** One for each answer of the model. Every line of an answer repeats its usage; the last one has the whole output. */
function recordedCalls(items: readonly SaidItem<ClaudeSaid>[]): RecordedCall[] {
  return items.flatMap(({ item, from }, position) => {
    if (item.role !== 'assistant') return []
    const messages = from
      .map((line) => line.source.body)
      .flatMap((body) => (body.kind === 'message' ? [body.message] : []))
    const usage = messages.map((message) => message.usage).reduce(larger, undefined)
    const model = messages.find((message) => message.model !== undefined)?.model
    if (usage === undefined && model === undefined) return []
    return [{ position, ...present({ usage, model, timestamp: from[0].timestamp }) }]
  })
}

function larger(a: ClaudeMessage['usage'], b: ClaudeMessage['usage']): ClaudeMessage['usage'] {
  return a === undefined || (b !== undefined && b.output >= a.output) ? (b ?? a) : a
}

/** Titles come on lines of their own: the user's beats the model's, which beats the older kind of title. */
class SessionTitles {
  #given: string | undefined
  #generated: string | undefined
  readonly #summaries: { readonly title: string; readonly leaf: string | undefined }[] = []

  read(record: Fields): void {
    if (record.type === 'custom-title') this.#given = textOf(record.customTitle) ?? this.#given
    if (record.type === 'ai-title') this.#generated = textOf(record.aiTitle) ?? this.#generated
    const title = record.type === 'summary' ? textOf(record.summary) : undefined
    if (title !== undefined) this.#summaries.push({ title, leaf: textOf(record.leafUuid) })
  }

  /** A `summary` line names the message it is about, and that may stand in another session's file. */
  best(ids: ReadonlySet<string>): string | undefined {
    const own = this.#summaries.findLast(({ leaf }) => leaf !== undefined && ids.has(leaf))
    return this.#given ?? this.#generated ?? own?.title
  }
}
