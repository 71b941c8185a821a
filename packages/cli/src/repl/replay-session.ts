import { type Displayed, isAbandoned, type SessionEntry, type SessionSnapshot } from '@palimpsest/sessions'
import type { Dialect, MessageView, PartView } from 'palimpsest'
import type { Segment, ToolResult } from './repl-screen.ts'

/** What was said beside the results of calls, in the order of the calls that have one id. */
export type Briefs = ReadonlyMap<string, readonly (string | undefined)[]>

/** What the log of a session says beside the results of its tools. */
export function briefsOf(entries: readonly SessionEntry[], { abandoned }: Pick<SessionSnapshot, 'abandoned'>): Briefs {
  const briefs = new Map<string, (string | undefined)[]>()
  for (const entry of entries) {
    if (entry.type !== 'action-completed' || isAbandoned(abandoned, entry.seq)) continue
    const { brief } = (entry.output ?? {}) as { readonly brief?: unknown }
    briefs.set(entry.action, [...(briefs.get(entry.action) ?? []), typeof brief === 'string' ? brief : undefined])
  }
  return briefs
}

/** What a session has shown so far, in order: messages, tool calls with their results, and what was shown beside them. */
export function replaySession(
  display: readonly Displayed[],
  dialect: Dialect<unknown, object>,
  briefs: Briefs = new Map(),
): readonly Segment[] {
  const segments: Segment[] = []
  const seen = new Map<string, number>()
  const briefOf = (id: string) => {
    const at = seen.get(id) ?? 0
    seen.set(id, at + 1)
    return briefs.get(id)?.[at]
  }
  for (const entry of display) {
    if (entry.type === 'display-segment') segments.push({ kind: entry.role, text: entry.text })
    else if (entry.injected !== true) addMessage(segments, dialect.view(entry.item as object), briefOf)
  }
  return segments
}

type BriefOf = (id: string) => string | undefined

function addMessage(segments: Segment[], { role, parts }: MessageView, briefOf: BriefOf): void {
  for (const part of parts) {
    if (part.kind === 'tool-result') addResult(segments, part, briefOf)
    else segments.push(...segmentOf(part, role))
  }
}

function segmentOf(part: PartView, role: MessageView['role']): readonly Segment[] {
  const text = part.text()
  switch (part.kind) {
    case 'text':
      if (part.injected === true || text.trim() === '' || (role !== 'user' && role !== 'assistant')) return []
      return [{ kind: role, text }]
    case 'reasoning':
      return text.trim() === '' ? [] : [{ kind: 'reasoning', text }]
    case 'tool-call':
      return [{ kind: 'tool', id: part.callId ?? '', name: part.toolName ?? 'tool', input: inputOf(text) }]
    case 'image':
    case 'document':
      return [{ kind: role === 'user' ? 'user' : 'assistant', text: `[${part.kind}]` }]
    default:
      return []
  }
}

/** The newest call of that id that has no result yet; one without a call stands alone. */
function addResult(segments: Segment[], part: PartView, briefOf: BriefOf): void {
  const id = part.callId ?? ''
  const brief = briefOf(id)
  const result: ToolResult = {
    text: part.text(),
    failed: part.isError === true,
    ...(brief !== undefined && { brief }),
  }
  const at = segments.findLastIndex((one) => one.kind === 'tool' && one.result === undefined && one.id === id)
  const call = segments[at]
  if (call?.kind === 'tool') segments[at] = { ...call, result }
  else segments.push({ kind: 'tool', id, name: part.toolName ?? 'tool', input: {}, result })
}

function inputOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
