import { isAbandoned, type SessionEntry, type SessionSnapshot } from '@palimpsest/sessions'
import { type AiSdkMessage, aiSdk } from 'palimpsest'
import type { UndoPoint } from './agent.ts'

/** The turns and compactions of a session that still count, newest first: what can be gone back before. */
export function undoPointsOf(entries: readonly SessionEntry[], { abandoned }: SessionSnapshot): readonly UndoPoint[] {
  const live = entries.filter(({ seq }) => !isAbandoned(abandoned, seq))
  return live.flatMap((entry, at) => pointAt(entry, live[at + 1]) ?? []).toReversed()
}

function pointAt(entry: SessionEntry, next: SessionEntry | undefined): UndoPoint | undefined {
  const place = { to: entry.seq - 1, at: entry.at }
  if (entry.type === 'compaction-applied') {
    const { tokens_before: before, tokens_after: after } = entry.record
    return { kind: 'compaction', ...place, label: `${before} → ${after} tokens` }
  }
  // a turn without words of the user is one of ours: a compaction by hand
  const text = entry.type === 'turn-started' && next?.type === 'message-appended' ? userText(next.item) : undefined
  return text === undefined ? undefined : { kind: 'turn', ...place, label: shortened(text), text }
}

function userText(item: unknown): string | undefined {
  const { role, parts } = aiSdk.view(item as AiSdkMessage)
  return role === 'user' ? parts.map((part) => part.text()).join('\n') : undefined
}

const LONGEST_LABEL = 80

function shortened(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ')
  return line.length > LONGEST_LABEL ? `${line.slice(0, LONGEST_LABEL - 1).toWellFormed()}…` : line
}
