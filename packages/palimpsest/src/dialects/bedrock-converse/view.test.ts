import { describe, expect, it } from 'vitest'
import { wrapCheckpoint } from '../../engine/summary/checkpoint-text.ts'
import { bedrockConverse } from './index.ts'
import type { BedrockMessage } from './items.ts'

const view = bedrockConverse.view
const PICTURE = 'R0lGODlhAgADAIAAAAUEBAAAACwAAAAAAgADAAACAkQBADs='

/** A message as a line: role, then each part with what the engine asks of it. */
function read(message: BedrockMessage): string {
  const { role, parts, checkpoint } = view(message)
  const line = parts.map((part) => {
    const marks = [part.injected && 'injected', part.editable && 'editable', part.isError && 'error']
    return [part.kind, part.callId, part.toolName, ...marks].filter(Boolean).join(' ')
  })
  return `${role}${checkpoint ? ' checkpoint' : ''}: ${line.join(' | ')}`
}

describe('view', () => {
  it('tells results alone from results with words of the user, and gives cache points no number', () => {
    const result = { toolResult: { toolUseId: 't', content: [{ text: 'ok' }], status: 'error' } }
    const point = { cachePoint: { type: 'default' } }
    expect(read({ role: 'user', content: [result, point] })).toBe('tool: tool-result t editable error')
    expect(read({ role: 'user', content: [result, point, { text: 'stop' }] })).toBe(
      'user: tool-result t editable error | text editable',
    )
  })

  it('reads what an assistant says', () => {
    const message = {
      role: 'assistant',
      content: [
        { reasoningContent: { reasoningText: { text: 'hm', signature: 's' } } },
        { reasoningContent: { redactedContent: 'eA==' } },
        { citationsContent: { content: [{ text: 'a' }, { text: 'b' }] } },
        { toolUse: { toolUseId: 's', name: 'grounding', input: {}, type: 'server_tool_use' } },
        { toolResult: { toolUseId: 's', content: [{ text: 'found' }] } },
        { toolUse: { toolUseId: 't', name: 'run', input: { a: 1 } } },
        { futureContent: {} },
      ],
    }
    expect(read(message)).toBe(
      'assistant: reasoning | reasoning | text | tool-call s grounding | tool-result s | tool-call t run editable | opaque',
    )
    expect(view(message).parts.map((part) => part.text())).toEqual(['hm', '', 'ab', '{}', 'found', '{"a":1}', ''])
  })

  it('reads guarded content as what the user said or showed', () => {
    const picture = { guardContent: { image: { format: 'gif', source: { bytes: PICTURE } } } }
    const message = { role: 'user', content: [{ guardContent: { text: { text: 'mine' } } }, picture] }
    expect(read(message)).toBe('user: text editable | image')
    expect(view(message).parts[0]?.text()).toBe('mine')
    expect(view(message).parts[1]?.media).toEqual([{ kind: 'image', width: 2, height: 3, bytes: 48 }])
  })

  it('joins text and JSON of a result and lists its media', () => {
    const content = [{ text: 'a' }, { json: { b: 1 } }, { image: { source: { bytes: PICTURE } } }, { future: 1 }]
    const [part] = view({ role: 'user', content: [{ toolResult: { toolUseId: 't', content } }] }).parts
    expect(part?.text()).toBe('a\n{"b":1}')
    expect(part?.media).toEqual([{ kind: 'image', width: 2, height: 3, bytes: 48 }])
  })

  it('counts binary data as the base64 text it becomes on the wire', () => {
    const bytes = Uint8Array.from(atob(PICTURE), (character) => character.charCodeAt(0))
    const image = (data: unknown) =>
      view({ role: 'user', content: [{ image: { format: 'gif', source: { bytes: data } } }] }).parts[0]
    expect(image(bytes)?.media).toEqual(image(PICTURE)?.media)
    expect(image(bytes)?.bytes()).toBe(image(PICTURE)?.bytes())
  })

  it('knows its own summary, alone and joined to words of the user', () => {
    const summary = { text: wrapCheckpoint({ summary: 'so far' }) }
    const point = { cachePoint: { type: 'default' } }
    expect(read({ role: 'user', content: [summary, point] })).toBe('user checkpoint: text injected editable')
    expect(read({ role: 'user', content: [summary, { text: 'go' }] })).toBe(
      'user: text injected editable | text editable',
    )
  })
})
