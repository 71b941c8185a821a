import type { CompactionRecord } from 'palimpsest'
import { type Fields, fieldsOf, listOf, textOf } from '../importers/json-fields.ts'
import type { ExportedSession } from './exported-session.ts'

/** The JSON objects of a text, one per line. */
export function linesOf(text: string): Fields[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Fields)
}

/**
 * What Claude Code sends when it goes on from the last message of a file: the chain of parents back to the newest boundary,
 * and behind its summary the originals that the boundary names.
 */
export function replayClaudeCode(lines: readonly Fields[]): string[] {
  const byId = new Map(lines.filter(({ uuid }) => uuid !== undefined).map((line) => [line.uuid, line]))
  const chainTo = (uuid: unknown): Fields[] => {
    const line = byId.get(uuid)
    return line === undefined ? [] : [...chainTo(line.parentUuid), line]
  }
  const chain = chainTo(lines.findLast((line) => line.type === 'user' || line.type === 'assistant')?.uuid)
  const { preservedSegment, preservedMessages } = fieldsOf(chain[0]?.compactMetadata)
  const { headUuid, tailUuid } = fieldsOf(preservedSegment)
  const tail = chainTo(tailUuid)
  const stretch = tail.slice(tail.findIndex(({ uuid }) => uuid === headUuid))
  const single = listOf(fieldsOf(preservedMessages).uuids).map((uuid) => byId.get(uuid) ?? {})
  const summaryEnd = chain.findIndex(({ isCompactSummary }) => isCompactSummary === true) + 1
  const shown = [
    ...chain.slice(0, summaryEnd),
    ...(preservedSegment ? stretch : []),
    ...single,
    ...chain.slice(summaryEnd),
  ]
  return shown.filter(({ type }) => type !== 'system').map(({ message }) => wordsOf(fieldsOf(message)))
}

/** What pi sends: the newest compaction on the path, the entries from the first kept one on, and everything behind. */
export function replayPi(lines: readonly Fields[]): string[] {
  const byId = new Map(lines.map((line) => [line.id, line]))
  const pathTo = (id: unknown): Fields[] => {
    const line = id === null ? undefined : byId.get(id)
    return line === undefined ? [] : [...pathTo(line.parentId), line]
  }
  const path = pathTo(lines.at(-1)?.id)
  const at = path.findLastIndex(({ type }) => type === 'compaction')
  const compaction = path[at]
  if (compaction === undefined) return path.flatMap(piWords)
  const kept = path.findIndex(({ id }) => id === compaction.firstKeptEntryId)
  const before = kept === -1 || kept > at ? [] : path.slice(kept, at)
  return [String(compaction.summary), ...before.flatMap(piWords), ...path.slice(at + 1).flatMap(piWords)]
}

function piWords(entry: Fields): string[] {
  if (entry.type === 'message') return [wordsOf(fieldsOf(entry.message))]
  return entry.type === 'custom_message' ? [wordsOf(entry)] : []
}

/** A message in a few words: its texts, `call x` and `result x`. */
function wordsOf({ content, role, toolCallId }: Fields): string {
  if (role === 'toolResult') return `result ${String(toolCallId)}`
  if (typeof content === 'string') return content
  const words = listOf(content)
    .map(fieldsOf)
    .map((block) => {
      if (block.type === 'tool_use' || block.type === 'toolCall') return `call ${String(block.id)}`
      if (block.type === 'tool_result') return `result ${String(block.tool_use_id)}`
      return textOf(block.text) ?? String(block.type)
    })
  return words.join('+')
}

/** A record of a plan that drops everything before `keptFrom`, save `keep`, and has a summary in its place. */
export function recordOf(facts: {
  readonly keptFrom: number
  readonly length: number
  readonly summary: string
  readonly keep?: number
}): CompactionRecord {
  const { keptFrom, length, summary, keep } = facts
  const ranges = keep === undefined ? [[0, keptFrom] as const] : [[0, keep] as const, [keep + 1, keptFrom] as const]
  return {
    key: `key of ${summary}`,
    anchor: 'anchor',
    extent: keptFrom,
    length,
    plan: {
      drop: ranges.filter(([from, to]) => from < to).map(([from, to]) => ({ from, to })),
      summaries: [{ insert_after: keptFrom - 1, content: summary }],
    },
    strategy: 'summarize-older',
    reason: 'threshold',
    at_turn: 1,
    kept_from: keptFrom,
    tokens_before: 150_000,
    tokens_after: 20_000,
  }
}

const text = (words: string) => ({ type: 'text', text: words })

/** Ten messages: five questions, and answers of which the second calls a tool. */
export const TEN_MESSAGES: ExportedSession = {
  id: '11111111-2222-4333-8444-555555555555',
  dialect: 'anthropic-messages',
  model: 'model-a',
  cwd: '/project',
  title: 'Ten messages',
  createdAt: Date.UTC(2026, 0, 1),
  items: [
    { role: 'user', content: 'q0' },
    { role: 'assistant', content: [text('a1')] },
    { role: 'user', content: 'q2' },
    { role: 'assistant', content: [text('a3'), { type: 'tool_use', id: 't1', name: 'read', input: { path: 'x' } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: [text('found')] }] },
    { role: 'assistant', content: [text('a5')] },
    { role: 'user', content: 'q6' },
    { role: 'assistant', content: [text('a7')] },
    { role: 'user', content: 'q8' },
    { role: 'assistant', content: [text('a9')] },
  ].map((item, at) => ({ item, timestamp: Date.UTC(2026, 0, 1, 0, at) })),
  calls: [
    { position: 1, usage: { input: 100, cacheRead: 60, cacheWrite: 30, output: 5 }, model: 'model-a' },
    { position: 3, usage: { input: 200, cacheRead: 100, cacheWrite: 0, output: 7 }, model: 'model-b' },
  ],
  compactions: [],
}
