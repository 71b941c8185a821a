import { describe, expect, it } from 'vitest'
import { PRIVATE, textCallLaws } from '../text-call-laws.test-data.ts'
import { gemini } from './index.ts'
import { geminiTextCall } from './text-call.ts'

const LIKE = {
  systemInstruction: { parts: [{ text: PRIVATE }] },
  contents: [
    { role: 'user', parts: [{ text: PRIVATE }] },
    { role: 'model', parts: [{ functionCall: { name: PRIVATE, args: {} }, thoughtSignature: PRIVATE }] },
    { role: 'user', parts: [{ functionResponse: { name: PRIVATE, response: {} } }] },
  ],
  tools: [{ functionDeclarations: [{ name: PRIVATE }] }],
  toolConfig: { functionCallingConfig: { mode: 'ANY' } },
  generationConfig: {
    maxOutputTokens: 9_000,
    thinkingConfig: { thinkingBudget: 5_000 },
    responseSchema: { title: PRIVATE },
  },
  cachedContent: PRIVATE,
  safetySettings: [{ category: 'HARM_CATEGORY_DANGEROUS_CONTENT', threshold: 'BLOCK_NONE' }],
}

textCallLaws(gemini, geminiTextCall, { like: LIKE })

const PROMPT = { system: 'Write.', user: 'This.', maxOutputTokens: 900 }

describe('geminiTextCall', () => {
  it('asks for one text under the safety settings of the caller, and names a model where the caller does', () => {
    expect(geminiTextCall.request({ ...PROMPT, model: 'gemini-3-flash' }, LIKE)).toEqual({
      safetySettings: LIKE.safetySettings,
      systemInstruction: { parts: [{ text: 'Write.' }] },
      contents: [{ role: 'user', parts: [{ text: 'This.' }] }],
      generationConfig: { maxOutputTokens: 900 },
    })
    const named = { ...LIKE, model: 'models/gemini-3-pro' }
    expect(geminiTextCall.request(PROMPT, named)).toMatchObject({ model: 'models/gemini-3-pro' })
    expect(geminiTextCall.request({ ...PROMPT, model: 'small' }, named)).toMatchObject({ model: 'small' })
  })

  const first = { candidates: [{ content: { parts: [{ text: 'Hm.', thought: true }, { text: 'One ' }] } }] }
  const last = {
    candidates: [{ content: { parts: [{ text: 'two.' }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 5, thoughtsTokenCount: 2 },
  }

  it('reads a response and a list of chunks, without thoughts', () => {
    expect(geminiTextCall.read([first, { response: last }])).toEqual({
      text: 'One two.',
      finish: 'stop',
      reasoned: true,
      usage: { input: 100, output: 7 },
    })
    expect(geminiTextCall.read(last)).toMatchObject({ text: 'two.', finish: 'stop', reasoned: true })
  })

  it.each([
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'refusal'],
    ['MALFORMED_FUNCTION_CALL', 'tool-call'],
    ['OTHER', 'other'],
  ])('%s is %s', (finishReason, finish) => {
    expect(geminiTextCall.read({ candidates: [{ finishReason }] })).toEqual({ text: '', finish })
  })

  it('a blocked prompt is a refusal, a call a call', () => {
    expect(geminiTextCall.read({ promptFeedback: { blockReason: 'SAFETY' } }).finish).toBe('refusal')
    const parts = [{ function_call: { name: 'f' } }]
    expect(geminiTextCall.read({ candidates: [{ content: { parts }, finishReason: 'STOP' }] }).finish).toBe('tool-call')
  })
})
