type Fields = Record<string, unknown>

/** Lines of a made-up Claude Code session. `parent` null begins a conversation. */
export function userLine(uuid: string, parent: string | null, content: unknown, more: Fields = {}): Fields {
  return { ...common(uuid, parent), type: 'user', message: { role: 'user', content }, ...more }
}

/** One line of the answer `id`; its usage is what every line of it repeats. */
export function answerLine(uuid: string, parent: string | null, id: string, block: Fields, more: Fields = {}): Fields {
  const usage = { input_tokens: 3, cache_read_input_tokens: 90, cache_creation_input_tokens: 7, output_tokens: 5 }
  const message = {
    id,
    type: 'message',
    role: 'assistant',
    model: 'model-a',
    content: [block],
    stop_reason: null,
    usage,
  }
  return { ...common(uuid, parent), type: 'assistant', message, requestId: `req-${id}`, ...more }
}

export function resultLine(uuid: string, parent: string | null, call: string, more: Fields = {}): Fields {
  const content = [{ type: 'tool_result', tool_use_id: call, content: `output of ${call}` }]
  return userLine(uuid, parent, content, { toolUseResult: { stdout: 'x'.repeat(50) }, ...more })
}

export function boundaryLine(uuid: string, logicalParent: string | undefined, metadata: Fields): Fields {
  const parents = logicalParent === undefined ? {} : { logicalParentUuid: logicalParent }
  const words = { subtype: 'compact_boundary', content: 'Conversation compacted', compactMetadata: metadata }
  return { ...common(uuid, null), ...parents, type: 'system', ...words }
}

export function summaryLine(uuid: string, parent: string, text: string): Fields {
  return userLine(uuid, parent, text, { isCompactSummary: true, isVisibleInTranscriptOnly: true })
}

export const text = (words: string): Fields => ({ type: 'text', text: words })
export const call = (id: string): Fields => ({ type: 'tool_use', id, name: 'Read', input: { file_path: `/${id}` } })

function common(uuid: string, parent: string | null): Fields {
  const place = { cwd: '/project', sessionId: 'session-1', version: '2.0.0', gitBranch: 'main' }
  return { parentUuid: parent, isSidechain: false, ...place, uuid, timestamp: '2026-01-02T03:04:05.678Z' }
}
