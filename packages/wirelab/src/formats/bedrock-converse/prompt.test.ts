import { expect, test } from 'vitest'
import { pngHead } from '../../png-head.test-data.ts'
import { bedrockConverseFormat } from './index.ts'

const { prompt } = bedrockConverseFormat

test('the model reads tools, system and messages, in this order', () => {
  const request = {
    system: [{ text: 'Be brief.' }],
    toolConfig: { tools: [{ toolSpec: { name: 'read' } }] },
    messages: [
      { role: 'user', content: [{ text: 'Hello' }] },
      { role: 'assistant', content: [{ toolUse: { toolUseId: '1', name: 'read', input: { path: 'a' } } }] },
      { role: 'user', content: [{ toolResult: { toolUseId: '1', content: [{ text: 'x' }, { json: { y: 1 } }] } }] },
    ],
  }
  const texts = [
    'tool {"toolSpec":{"name":"read"}}',
    'system Be brief.',
    'user Hello',
    'call read {"path":"a"}',
    'result x',
    'result {"y":1}',
  ]
  expect(prompt(request).map(({ text }) => text)).toEqual(texts)
  expect(prompt({ input: { converse: request } }).map(({ text }) => text)).toEqual(texts)
})

test.each([
  [{ image: { source: { bytes: pngHead(750, 1000) } } }, 1000],
  [{ document: { format: 'pdf', source: { bytes: Buffer.from('%PDF /Type /Page').toString('base64') } } }, 2000],
  [{ document: { format: 'txt', source: { bytes: Buffer.from('plain').toString('base64') } } }, undefined],
  [{ reasoningContent: { redactedContent: 'A'.repeat(160) } }, 30],
  [{ reasoningContent: { reasoningText: { text: '', signature: 'A'.repeat(160) } } }, 30],
  [{ reasoningContent: { reasoningText: { text: 'Hm.', signature: 'A'.repeat(160) } } }, undefined],
])('%o takes %s tokens (undefined: those of its text)', (block, tokens) => {
  expect(prompt({ messages: [{ role: 'user', content: [block] }] }).map((one) => one.tokens)).toEqual([tokens])
})
