import type { ContextMeter, ContextSource } from '@palimpsest/agent'
import type { SessionSnapshot } from '@palimpsest/sessions'
import type { CompactionReason, CompactionRecord } from 'palimpsest'
import { formatCount, formatShare, formatShort, plural } from '../format-number.ts'
import type { Paint } from './repl-theme.ts'

const SOURCES: readonly (readonly [ContextSource, string])[] = [
  ['system', 'system'],
  ['memory', 'memory'],
  ['tools', 'tool definitions'],
  ['human', 'you'],
  ['model', 'model'],
  ['tool', 'tool results'],
  ['summary', 'summary'],
]

/**
 * What `/context` prints: a bar for each source, against the window and the trigger of compactions, and what the newest
 * compaction did.
 */
export function contextReport(
  meter: ContextMeter,
  { record, compactions }: Pick<SessionSnapshot, 'record' | 'compactions'>,
  { width, paint }: { readonly width: number; readonly paint: Paint },
): readonly string[] {
  const total = SOURCES.reduce((sum, [source]) => sum + meter.sources[source], 0)
  const room = Math.max(4, Math.min(40, width - LABEL - NUMBER - 2))
  const full = Math.max(meter.window ?? meter.trigger, total, 1)
  const row = (label: string, tokens: number, look: (text: string) => string) =>
    `${label.padEnd(LABEL)}${formatShort(tokens).padStart(NUMBER)} ${look(bar(tokens / full, room))}`
  return [
    paint.bold('Context'),
    ...SOURCES.map(([source, label]) => row(label, meter.sources[source], paint.cyan)),
    row('all, estimated', total, paint.green),
    row('compacted at', meter.trigger, paint.yellow),
    ...(meter.window === undefined ? [] : [row('window', meter.window, paint.dim)]),
    usedLine(meter),
    `${formatCount(meter.messages.inView)} messages in view, ${formatCount(meter.messages.all)} in all`,
    ...(record === undefined ? [] : compactionLines(record, compactions)),
  ]
}

const REASONS: Readonly<Record<CompactionReason, string>> = {
  threshold: 'the trigger was reached',
  overflow: 'the provider refused the request as too large',
  tool: 'the model asked for it',
  manual: 'you asked for it',
  truncate: 'old results were shortened',
}

function compactionLines(record: CompactionRecord, compactions: number): readonly string[] {
  const sizes = `${formatShort(record.tokens_before)} → ${formatShort(record.tokens_after)} tokens`
  return [`${plural(compactions, 'compaction')}, the newest: ${sizes}, because ${REASONS[record.reason]}`]
}

const LABEL = 17
const NUMBER = 6

function bar(share: number, room: number): string {
  const cells = share > 0 ? Math.max(1, Math.round(share * room)) : 0
  return `${'█'.repeat(cells)}${'░'.repeat(Math.max(0, room - cells))}`
}

function usedLine({ used, window }: ContextMeter): string {
  if (used === 'waiting') return 'The next answer tells how much is used.'
  const share = window === undefined ? '' : `, ${formatShare(used.tokens / window)} of the window`
  return `${formatCount(used.tokens)} tokens used (${used.kind})${share}`
}
