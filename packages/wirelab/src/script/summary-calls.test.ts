import { describe, expect, test } from 'vitest'
import { isSummaryCall, lastUserText } from './summary-calls.ts'

const TEXT = 'Sum this up.\n<transcript id="1">\nuser: hi\n</transcript>'

/** One summary call in each format. */
const CALLS: Readonly<Record<string, object>> = {
  'anthropic-messages': { system: 'x', messages: [{ role: 'user', content: [{ type: 'text', text: TEXT }] }] },
  'openai-chat': {
    messages: [
      { role: 'system', content: 'x' },
      { role: 'user', content: TEXT },
    ],
  },
  'openai-responses': {
    input: [
      { role: 'developer', content: 'x' },
      { role: 'user', content: [{ type: 'input_text', text: TEXT }] },
    ],
  },
  'openai-responses, plain': { instructions: 'x', input: TEXT },
  gemini: { systemInstruction: { parts: [{ text: 'x' }] }, contents: [{ role: 'user', parts: [{ text: TEXT }] }] },
  'bedrock-converse': { system: [{ text: 'x' }], messages: [{ role: 'user', content: [{ text: TEXT }] }] },
}

describe('a call that asks for a summary', () => {
  test.each(Object.entries(CALLS))('%s', (_format, body) => {
    expect(isSummaryCall(body)).toBe(true)
    expect(lastUserText(body)).toBe(TEXT)
  })

  test.each<[string, object]>([
    ['has tools', { messages: [{ role: 'user', content: TEXT }], tools: [{ name: 'read' }] }],
    ['has tools of Bedrock', { messages: [{ role: 'user', content: [{ text: TEXT }] }], toolConfig: { tools: [] } }],
    [
      'goes on',
      {
        messages: [
          { role: 'user', content: TEXT },
          { role: 'assistant', content: 'Hi' },
          { role: 'user', content: 'x' },
        ],
      },
    ],
    ['holds no transcript', { messages: [{ role: 'user', content: 'Hello' }] }],
    ['is empty', {}],
  ])('is not one that %s', (_why, body) => {
    expect(isSummaryCall(body)).toBe(false)
  })
})
