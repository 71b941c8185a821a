import { dialectByName } from 'palimpsest'
import { describe, expect, it } from 'vitest'
import { mendedSession, mendingPlan } from './mended-transcript.ts'

const anthropic = dialectByName('anthropic-messages')
const responses = dialectByName('openai-responses')

const use = (id: string) => ({ type: 'tool_use', id, name: 'read', input: {} })
const answer = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' })
const text = (words: string) => ({ type: 'text', text: words })
const user = (...content: object[]) => ({ role: 'user', content })
const assistant = (...content: object[]) => ({ role: 'assistant', content })

const brokenOff = [
  user(text('go')),
  assistant(text('reading'), use('a'), use('b')),
  user(answer('a')),
  assistant(use('c')),
  user(text('stop, do it like this')),
  assistant(text('so?')),
]

describe('a transcript with calls that were broken off', () => {
  it('is mended by leaving out the calls, and nothing of the words', () => {
    expect(mendingPlan(anthropic, brokenOff)).toEqual({
      removals: [
        { message_index: 1, part: 2 },
        { message_index: 3, part: 0 },
      ],
    })
  })

  it('is mended for a profile too: positions of calls move with it', () => {
    const calls = [1, 3, 5].map((position) => ({ position, usage: { input: position } }))
    const { session, parts } = mendedSession(anthropic, { items: brokenOff, calls, compactions: [{ position: 4 }] })
    expect(parts).toBe(2)
    expect(session.items).toHaveLength(5)
    expect(session.items[1]).toEqual(assistant(text('reading'), use('a')))
    expect(session.calls.map((call) => [call.position, call.usage?.input])).toEqual([
      [1, 1],
      [3, 3],
      [4, 5],
    ])
    expect(session.compactions).toEqual([{ position: 3 }])
    expect(brokenOff).toHaveLength(6)
  })

  it('loses what hangs on the part that went: the result of a call that cannot be read, and the reasoning before it', () => {
    const items = [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'go' }] },
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' },
      { type: 'function_call', call_id: 'a', name: 'read', arguments: '{"cut":' },
      { type: 'function_call_output', call_id: 'a', output: 'ok' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'again' }] },
    ]
    const { removals } = mendingPlan(responses, items)
    expect(removals?.map(({ message_index }) => message_index)).toEqual(expect.arrayContaining([2, 3]))
    expect(removals?.some(({ message_index }) => message_index === 0 || message_index === 4)).toBe(false)
    const { session } = mendedSession(responses, { items, calls: [] })
    expect(responses.check({ system: [], items: session.items })).toEqual([])
  })
})

it('a sound transcript is left alone, by identity', () => {
  const items = [user(text('go')), assistant(use('a')), user(answer('a'))]
  const session = { items, calls: [{ position: 1 }] }
  expect(mendingPlan(anthropic, items)).toEqual({})
  expect(mendedSession(anthropic, session).session).toBe(session)
})
