import type { CompactorEvent } from 'palimpsest'
import type { WireWarning } from 'palimpsest/fetch'
import type { LogLine, ProxyLog } from './log-line.ts'

/** One line for what an operator wants to know of a compactor: each compaction, and what kept one from happening. */
export function logEvent(event: CompactorEvent, log: ProxyLog): void {
  const line = lineOf(event)
  if (line !== undefined) log(line)
}

function lineOf(event: CompactorEvent): LogLine | undefined {
  const { session, model } = event
  switch (event.type) {
    case 'compaction-applied':
      return { level: 'info', message: 'compacted', fields: { session, model, ...compactionFields(event) } }
    case 'compaction-failed': {
      const { reason, error } = event
      return { level: 'warn', message: 'compaction failed', fields: { session, model, reason, error: error.code } }
    }
    case 'overflow-detected': {
      const { facts, attempt } = event
      return { level: 'info', message: 'overflow', fields: { session, model, kind: facts.kind, attempt } }
    }
    case 'store-failed':
      return { level: 'error', message: 'store failed', fields: { session, error: event.error.message } }
    case 'unknown-model':
      return { level: 'info', message: unknownModel, fields: { model } }
    default:
      return undefined
  }
}

function compactionFields(event: Extract<CompactorEvent, { type: 'compaction-applied' }>): LogLine['fields'] {
  return {
    reason: event.reason,
    tokens_before: Math.round(event.tokensBefore),
    tokens_after: Math.round(event.tokensAfter),
    evicted: event.evicted,
    strategies: event.strategies.join('+'),
    history: event.historyPath,
  }
}

const unknownModel = 'the model is not known, so the default limits hold: set --window or PALIMPSEST_MODEL_PROFILES'

/** A call that was not looked after. Not its error's words: they may quote the body. */
export function logWarning({ type, url, error }: WireWarning, log: ProxyLog): void {
  log({ level: 'warn', message: WARNINGS[type], fields: { url: url.replace(/\?.*$/s, ''), error: error.code } })
}

const WARNINGS: Readonly<Record<WireWarning['type'], string>> = {
  'signed-request': 'sent as it came: a signature covers the body (use a bearer token, said once)',
  'unread-body': 'sent as it came: the body is no JSON, or of an encoding that is not known',
  'not-prepared': 'sent as it came: it could not be prepared',
}
