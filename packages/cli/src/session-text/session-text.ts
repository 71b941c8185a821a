import type { PathCompaction, SessionEntry, SessionSummary, WholeSession } from '@palimpsest/sessions'
import type { MessageView } from 'palimpsest'
import { formatCount, formatShort, plural } from '../format-number.ts'
import { type MessageTextOptions, messageText, toolNamesOf } from './message-text.ts'
import { clipped, oneLine } from './plain-text.ts'
import { utcMinute } from './utc-time.ts'

/** What is known of a session as a whole. */
export function headText(summary: SessionSummary, { snapshot }: WholeSession): string {
  const { imported, dialect, model, cwd, toolResults } = snapshot.started
  const origin = imported === undefined ? [] : [`imported from ${imported.format}`]
  const fork =
    summary.forked === undefined ? [] : [`forked from ${summary.forked.from} before entry ${summary.forked.until}`]
  const facts = [dialect, model, ...origin, ...fork, ...(toolResults === 'compact' ? ['results not kept'] : [])]
  const input =
    snapshot.lastInputTokens === undefined ? [] : [`last input ${formatCount(snapshot.lastInputTokens)} tokens`]
  const counts = [
    plural(snapshot.length, 'message'),
    plural(summary.entries, 'entry', 'entries'),
    ...(snapshot.turn > 0 ? [plural(snapshot.turn, 'turn')] : []),
    plural(snapshot.compactions, 'compaction'),
    ...input,
  ]
  const times = `first entry ${utcMinute(summary.createdAt)}, last ${utcMinute(summary.updatedAt)} (UTC)`
  const lines = [summary.id, summary.title, facts.filter(Boolean).join(', '), cwd, counts.join(', '), times]
  return lines
    .filter((line) => line !== undefined)
    .map(oneLine)
    .join('\n')
}

/** Calls stand at most so many messages before their results. */
const CALLS_BEFORE = 50

/** Messages from one position to another, with the compactions between them, where they happened. */
export function transcriptText(
  { from, to }: { readonly from: number; readonly to: number },
  { path, dialect }: WholeSession,
  options: MessageTextOptions,
): string {
  const views = path.messages
    .slice(0, to)
    .map(({ item }, at) => (at < from - CALLS_BEFORE ? NO_VIEW : dialect.view(item as object)))
  const toolNames = toolNamesOf(views)
  const marksAt = (position: number) => path.compactions.filter((one) => one.position === position).map(compactionLine)
  const blocks = path.messages.slice(from, to).flatMap(({ position, at, injected }) => {
    const view = views[position] ?? NO_VIEW
    const role = injected ? `${view.role}, by the client` : view.role
    const text = messageText(view, { ...options, toolNames })
    return [...marksAt(position), `[${position}] ${role}  ${utcMinute(at)}\n${text}`]
  })
  // those behind the last message belong to the page that holds the end
  return [...blocks, ...(to === path.messages.length ? marksAt(to) : [])].join('\n\n')
}

const NO_VIEW: MessageView = { role: 'user', parts: [] }

/** One line for a compaction: ours, with what it made of the size, or one that another client made. */
export function compactionLine({ entry }: PathCompaction): string {
  if (entry.type === 'compaction-applied') {
    const { record } = entry
    const sizes = `${formatCount(record.tokens_before)} → ${formatCount(record.tokens_after)} tokens`
    return `── compaction (${record.reason}, ${record.strategy}): ${sizes}; whole from message ${record.kept_from} on ──`
  }
  const known = [entry.tokensBefore, entry.tokensAfter].map((tokens) =>
    tokens === undefined ? '?' : formatCount(tokens),
  )
  const sizes = known.every((one) => one === '?') ? '' : `: ${known.join(' → ')} tokens`
  const kind = entry.kind === 'opaque' ? 'encrypted' : entry.kind
  return `── compaction by the client (${entry.trigger}, ${kind})${sizes} ──`
}

/** One line for each entry of the log. */
export function logText(entries: readonly SessionEntry[], columns: number): string {
  return entries
    .map((entry) =>
      clipped(oneLine(`${entry.seq}  ${utcMinute(entry.at)}  ${entry.hash.slice(0, 8)}  ${entryText(entry)}`), columns),
    )
    .join('\n')
}

function entryText(entry: SessionEntry): string {
  switch (entry.type) {
    case 'session-started':
      return `session-started ${entry.dialect} ${entry.model ?? ''}`
    case 'message-appended':
      return `message-appended ${entry.position}${entry.injected ? ' by the client' : ''}`
    case 'action-requested':
      return `action-requested ${entry.kind} ${entry.name} ${entry.action}`
    case 'action-completed':
      return `action-completed ${entry.action} ${entry.status}`
    case 'compaction-applied':
      return `compaction-applied ${entry.record.reason} ${formatShort(entry.record.tokens_before)} → ${formatShort(entry.record.tokens_after)} ${entry.record.key.slice(0, 8)}`
    case 'compaction-imported':
      return `compaction-imported ${entry.trigger} ${entry.kind}`
    case 'display-segment':
      return `display-segment ${entry.role} ${entry.text}`
    case 'usage-recorded':
      return `usage-recorded ${entry.purpose} ${formatCount(entry.usage.input)} in, ${formatCount(entry.usage.output)} out`
    case 'turn-ended':
      return `turn-ended ${entry.outcome}`
    case 'rewound':
      return `rewound to ${entry.to}`
    case 'checkpoint':
      return `checkpoint of ${plural(entry.state.length, 'message')}`
    default:
      return (entry as SessionEntry).type
  }
}
