import { expect, it } from 'vitest'
import { dialectMeter } from '../compactor/dialect-meter.ts'
import { anthropicMessages } from '../dialects/anthropic-messages/index.ts'
import type { Dialect } from '../dialects/dialect.ts'
import { Transcript } from '../engine/messages/transcript.ts'
import { withInjected } from './with-injected.ts'

const anthropic = anthropicMessages as unknown as Dialect<unknown, object>

it('what a client wrote is not the last message of the user, edited or not, and its results stay results', () => {
  const words = { role: 'user', content: 'Count the berths.' }
  const skill = { role: 'user', content: [{ type: 'text', text: 'Skill of lists' }, result] }
  const dialect = withInjected(anthropic, (item) => item === skill)
  const last = (lens: typeof dialect) => {
    const meter = dialectMeter(lens, 'claude-sonnet-4-5', 'mean')
    return new Transcript(lens, meter, [words, calls, skill]).lastUserMessage
  }
  expect([last(anthropic), last(dialect)]).toEqual([2, 0])
  const edited = dialect.edit(skill, [{ kind: 'replace-text', part: 0, text: 'Skill' }])
  for (const item of [skill, edited ?? {}]) {
    expect(dialect.view(item).parts.map((part) => [part.kind, part.injected])).toEqual([
      ['text', true],
      ['tool-result', undefined],
    ])
  }
  expect(dialect.view(words).parts.map((part) => part.injected)).toEqual([undefined])
})

const calls = { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'read', input: {} }] }
const result = { type: 'tool_result', tool_use_id: 'c', content: 'x' }
