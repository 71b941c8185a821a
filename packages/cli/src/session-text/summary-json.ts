import type { SessionSummary } from '@palimpsest/sessions'
import { isoTime } from './utc-time.ts'

/** What `--json` tells of a session. */
export function summaryJson(session: SessionSummary): object {
  return {
    id: session.id,
    dialect: session.dialect,
    model: session.model,
    cwd: session.cwd,
    title: session.title,
    tool_results: session.toolResults,
    created_at: isoTime(session.createdAt),
    updated_at: isoTime(session.updatedAt),
    entries: session.entries,
    messages: session.messages,
    last_input_tokens: session.lastInputTokens,
    compactions: session.compactions,
    forked_from: session.forked?.from,
    forked_before_entry: session.forked?.until,
  }
}
