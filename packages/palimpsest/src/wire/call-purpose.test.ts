import { describe, expect, it } from 'vitest'
import { anthropicMessages, gemini, openaiResponses } from '../dialects/index.ts'
import { callPurpose } from './call-purpose.ts'

const user = (...texts: readonly string[]): object => ({
  role: 'user',
  content: texts.map((text) => ({ type: 'text', text })),
})
const assistant = { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] }

function purposeOf(...messages: readonly object[]): string {
  const conversation = anthropicMessages.open({ messages } as unknown as Parameters<typeof anthropicMessages.open>[0])
  return callPurpose(conversation, anthropicMessages)
}

const PROMPTS = [
  ['Claude Code', 'Your task is to create a detailed summary of the conversation so far, paying attention'],
  [
    'newer Claude Code',
    'CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\n- More.\n\nYour task is to create a detailed summary of this conversation.',
  ],
  ['Claude Code, a part', 'Your task is to create a detailed summary of the RECENT portion of the conversation'],
  ['Codex', '\nYou are performing a CONTEXT CHECKPOINT COMPACTION. Create'],
  ['opencode', 'Provide a detailed prompt for continuing our conversation above.'],
  ['newer opencode', 'Summarize the older portion of the preceding conversation. This'],
  ['Gemini CLI', 'First, reason in your scratchpad. Then, generate the <state_snapshot>.'],
  [
    'newer Gemini CLI',
    'Generate a new one.\n\nFirst, reason in your scratchpad. Then, generate the updated <state_snapshot>.',
  ],
  ['Gemini CLI, its check', 'Critically evaluate the <state_snapshot> you just generated.'],
] as const

describe('the purpose of a call', () => {
  it.each(PROMPTS)('is a summary by the words of %s', (_, prompt) => {
    expect(purposeOf(user('Fix it.'), assistant, user(prompt))).toBe('summary')
    expect(purposeOf(user('Fix it.'), assistant, user('<system-reminder>x</system-reminder>', prompt))).toBe('summary')
  })

  it.each(PROMPTS)('is an opening without an answer before it, whatever it says: %s', (_, prompt) => {
    expect(purposeOf(user(prompt))).toBe('opening')
    expect(purposeOf(user('Fix it.'), user(prompt))).toBe('opening')
  })

  it.each(PROMPTS)('is a turn once the words of %s are history', (_, prompt) => {
    expect(purposeOf(user('Fix it.'), assistant, user(prompt), assistant, user('Go on.'))).toBe('turn')
    expect(purposeOf(user('Fix it.'), assistant, user(prompt), assistant)).toBe('turn')
  })

  it.each([
    'Your task is to create a detailed summary of the module in src/wire.',
    'Please look at this prompt: Your task is to create a detailed summary of the conversation so far.',
    'Why does Codex say "You are performing a CONTEXT CHECKPOINT COMPACTION"?',
    'Summarize the older portion of the log.',
  ])('is a turn where a user says something alike: %s', (text) => {
    expect(purposeOf(user('Hi.'), assistant, user(text))).toBe('turn')
  })

  it('is a turn inside a tool loop', () => {
    const call = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'read', input: {} }] }
    const result = {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: 'You are performing a CONTEXT CHECKPOINT COMPACTION' },
      ],
    }
    expect(purposeOf(user('Go.'), call, result)).toBe('turn')
  })

  it('looks through system messages behind the prompt', () => {
    const system = { role: 'system', content: [{ type: 'text', text: 'Note.' }] }
    expect(purposeOf(user('Fix it.'), assistant, user(PROMPTS[0][1]), system)).toBe('summary')
  })

  it('reads every format', () => {
    const contents = [
      { role: 'user', parts: [{ text: 'Hi.' }] },
      { role: 'model', parts: [{ text: 'Hello.' }] },
      { role: 'user', parts: [{ text: PROMPTS[6][1] }] },
    ]
    expect(callPurpose(gemini.open({ contents }), gemini)).toBe('summary')
    const input = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: PROMPTS[3][1] }] }]
    expect(callPurpose(openaiResponses.open({ input }), openaiResponses)).toBe('opening')
    const more = openaiResponses.open({ input, previous_response_id: 'resp_1' })
    expect(callPurpose(more, openaiResponses)).toBe('summary')
  })
})
