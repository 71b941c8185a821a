import { describe, expect, it } from 'vitest'
import { type AnthropicBlock, type AnthropicMessage, anthropicMessages } from './index.ts'

const say = (role: string, ...content: (AnthropicBlock & { [field: string]: unknown })[]): AnthropicMessage => ({
  role,
  content,
})
const text = { type: 'text', text: 'x' }
const compaction = { type: 'compaction', content: 'so far' }
const thinking = { type: 'thinking', thinking: 'x', signature: 's' }
const call = { type: 'tool_use', id: 't', name: 'run', input: {} }
const result = { type: 'tool_result', tool_use_id: 't', content: 'ok' }
const search = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }
const found = { type: 'web_search_tool_result', tool_use_id: 's', content: [] }
const user = say('user', text)

describe('obsoleteBefore', () => {
  it.each<[string, readonly AnthropicMessage[], number]>([
    ['nothing without a compaction', [user, say('assistant', text), user], 0],
    ['nothing for a compaction that failed', [user, say('assistant', { type: 'compaction', content: null }), user], 0],
    [
      'everything before the newest',
      [user, say('assistant', compaction), user, say('assistant', compaction, text), user],
      3,
    ],
    [
      'not the step whose answer holds the compaction',
      [user, say('assistant', call), say('user', result), user, say('assistant', text, compaction), user],
      3,
    ],
    [
      'not a server’s call that is answered behind it, from the user’s words on',
      [user, say('assistant', thinking, search, call), say('user', result), say('assistant', compaction, found), user],
      0,
    ],
    [
      'all of a step that was answered before it',
      [user, say('assistant', call), say('user', result), say('assistant', compaction, text), user],
      3,
    ],
  ])('%s', (_, messages, expected) => {
    expect(anthropicMessages.obsoleteBefore?.(messages)).toBe(expected)
    const rest = messages.slice(expected)
    expect(anthropicMessages.check({ system: [], items: rest })).toEqual([])
  })
})
