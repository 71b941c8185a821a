import { expect, test } from 'vitest'
import { type AiSdkMessage, aiSdk } from './index.ts'

const message = (role: string, ...content: object[]) => ({ role, content }) as unknown as AiSdkMessage
const text = { type: 'text', text: 'x' }
const user = message('user', text)
const call = { type: 'tool-call', toolCallId: '1', toolName: 'f', input: {} }
const result = message('tool', {
  type: 'tool-result',
  toolCallId: '1',
  toolName: 'f',
  output: { type: 'text', value: '' },
})
const ofOpenAi = { type: 'custom', kind: 'openai.compaction' }
const ofAnthropic = { ...text, providerOptions: { anthropic: { type: 'compaction' } } }

test.each<[string, readonly AiSdkMessage[], number]>([
  ['without a compaction nothing is obsolete', [user, message('assistant', text), user], 0],
  [
    'all before a compaction of OpenAI',
    [user, message('assistant', text), user, message('assistant', ofOpenAi, text)],
    3,
  ],
  ['all before a compaction of Anthropic', [user, message('assistant', ofAnthropic, text), user], 1],
  [
    'from the user’s words on where it does not open its message',
    [user, message('assistant', text), user, message('assistant', text, ofOpenAi)],
    2,
  ],
  ['not before a call that is answered behind it', [user, message('assistant', ofOpenAi, call), result, user], 1],
])('%s', (_, messages, expected) => {
  expect(aiSdk.obsoleteBefore?.(messages)).toBe(expected)
  expect(aiSdk.check({ system: [], items: messages.slice(expected) })).toEqual([])
})
