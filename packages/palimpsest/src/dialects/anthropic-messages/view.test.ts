import { describe, expect, it } from 'vitest'
import { wrapCheckpoint } from '../../engine/summary/checkpoint-text.ts'
import { anthropicMessages } from './index.ts'
import type { AnthropicMessage } from './items.ts'

const view = anthropicMessages.view

/** A message as a line: role, then each part with what the engine asks of it. */
function read(message: AnthropicMessage): string {
  const { role, parts, checkpoint } = view(message)
  const line = parts.map((part) => {
    const marks = [
      part.injected && 'injected',
      part.pinned && 'pinned',
      part.editable && 'editable',
      part.isError && 'error',
    ]
    return [part.kind, part.callId, part.toolName, ...marks].filter(Boolean).join(' ')
  })
  return `${role}${checkpoint ? ' checkpoint' : ''}: ${line.join(' | ')}`
}

describe('view', () => {
  it('reads a string as one text part', () => {
    expect(read({ role: 'user', content: 'hello' })).toBe('user: text editable')
    expect(view({ role: 'user', content: 'hello' }).parts[0]?.bytes()).toBe('"hello"'.length)
  })

  it('tells results alone from results with words of the user', () => {
    const result = { type: 'tool_result', tool_use_id: 't1', content: 'ok', is_error: true }
    expect(read({ role: 'user', content: [result] })).toBe('tool: tool-result t1 editable error')
    expect(read({ role: 'user', content: [result, { type: 'text', text: 'stop' }] })).toBe(
      'user: tool-result t1 editable error | text editable',
    )
  })

  it('reads calls, thinking, and what a server tool did', () => {
    const message = {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 's' },
        { type: 'redacted_thinking', data: 'x' },
        { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'q' } },
        { type: 'web_search_tool_result', tool_use_id: 's1', content: [{ encrypted_content: 'x' }] },
        { type: 'tool_use', id: 't1', name: 'run', input: { a: 1 } },
        { type: 'compaction', content: 'c' },
        { type: 'future', x: 1 },
      ],
    }
    expect(read(message)).toBe(
      'assistant: reasoning | reasoning | tool-call s1 web_search | tool-result s1 | tool-call t1 run editable | opaque pinned | opaque',
    )
    expect(view(message).parts.map((part) => part.text())).toEqual([
      'hm',
      '',
      '{"query":"q"}',
      '[{"encrypted_content":"x"}]',
      '{"a":1}',
      '',
      '',
    ])
  })

  it('joins the texts of a result and lists its media', () => {
    const image = {
      type: 'image',
      source: { type: 'base64', data: 'R0lGODlhAgADAIAAAAUEBAAAACwAAAAAAgADAAACAkQBADs=' },
    }
    const part = view({
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 't',
          content: [{ type: 'text', text: 'a' }, image, { type: 'tool_reference' }, { type: 'text', text: 'b' }],
        },
      ],
    }).parts[0]
    expect(part?.text()).toBe('a\nb')
    expect(part?.media).toEqual([{ kind: 'image', width: 2, height: 3, bytes: 48 }])
  })

  it('reads a document that carries its text as text', () => {
    const source = { type: 'text', media_type: 'text/plain', data: 'the text' }
    const [inline, file] = view({
      role: 'user',
      content: [
        { type: 'document', source },
        { type: 'document', source: { type: 'base64', data: 'JVBE' } },
      ],
    }).parts
    expect([inline?.kind, inline?.text(), inline?.editable, inline?.media]).toEqual([
      'document',
      'the text',
      true,
      undefined,
    ])
    expect([file?.text(), file?.editable, file?.media]).toEqual(['', false, [{ kind: 'document', bytes: 4 }]])
  })

  it('knows its own summary, alone and joined to words of the user', () => {
    const summary = { type: 'text', text: wrapCheckpoint({ summary: 'so far' }) }
    const reminder = { type: 'text', text: '<system-reminder>x</system-reminder>' }
    expect(read({ role: 'user', content: [summary, reminder] })).toBe(
      'user checkpoint: text injected editable | text injected editable',
    )
    expect(read({ role: 'user', content: [summary, { type: 'text', text: 'go' }] })).toBe(
      'user: text injected editable | text editable',
    )
    expect(read({ role: 'assistant', content: [summary] })).toBe('assistant: text editable')
  })
})
