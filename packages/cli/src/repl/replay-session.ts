import type { Displayed } from '@palimpsest/sessions'
import type { Dialect, MessageView, PartView } from 'palimpsest'
import type { Segment, ToolResult } from './repl-screen.ts'

/** What a session has shown so far, in order: messages, tool calls with their results, and what was shown beside them. */
export function replaySession(display: readonly Displayed[], dialect: Dialect<unknown, object>): readonly Segment[] {
  const segments: Segment[] = []
  for (const entry of display) {
    if (entry.type === 'display-segment') segments.push({ kind: entry.role, text: entry.text })
    else if (entry.injected !== true) addMessage(segments, dialect.view(entry.item as object))
  }
  return segments
}

function addMessage(segments: Segment[], { role, parts }: MessageView): void {
  for (const part of parts) {
    if (part.kind === 'tool-result') addResult(segments, part)
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
function addResult(segments: Segment[], part: PartView): void {
  const result: ToolResult = { text: part.text(), failed: part.isError === true }
  const id = part.callId ?? ''
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
