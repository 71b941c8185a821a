import { expect, test } from 'vitest'
import { pngHead } from '../../png-head.test-data.ts'
import { geminiFormat } from './index.ts'

const { prompt } = geminiFormat

test('the model reads tools, system instruction and contents, in this order', () => {
  const request = {
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    tools: [{ functionDeclarations: [{ name: 'read' }, { name: 'write' }] }],
    contents: [
      { role: 'user', parts: [{ text: 'Hello' }] },
      { role: 'model', parts: [{ functionCall: { name: 'read', args: { path: 'a' } }, thoughtSignature: 'abc' }] },
      { role: 'user', parts: [{ functionResponse: { name: 'read', response: { output: 'x' } } }] },
    ],
  }
  const texts = [
    '{"name":"read"}',
    '{"name":"write"}',
    'system Be brief.',
    'user Hello',
    'model call read {"path":"a"}',
    'user response read {"output":"x"}',
  ]
  expect(prompt(request).map(({ text }) => text)).toEqual(texts)
  expect(prompt({ generateContentRequest: request }).map(({ text }) => text)).toEqual(texts)
})

test.each([
  [384, 384, 258],
  [960, 540, 6 * 258],
  [3000, 3000, 16 * 258],
])('a picture of %i by %i takes %i tokens', (width, height, tokens) => {
  const inlineData = { mimeType: 'image/png', data: pngHead(width, height) }
  expect(prompt({ contents: [{ role: 'user', parts: [{ inlineData }] }] })).toMatchObject([{ tokens }])
})

test('media of a function response count too', () => {
  const inlineData = { mimeType: 'image/png', data: pngHead(100, 100) }
  const functionResponse = { name: 'shoot', response: {}, parts: [{ inlineData }] }
  const blocks = prompt({ contents: [{ role: 'user', parts: [{ functionResponse }] }] })
  expect(blocks.map(({ tokens }) => tokens)).toEqual([undefined, 258])
})

test('a PDF takes 258 tokens a page', () => {
  const data = Buffer.from('%PDF-1.4 /Type /Pages /Type /Page x /Type/Page y').toString('base64')
  const inlineData = { mimeType: 'application/pdf', data }
  expect(prompt({ contents: [{ parts: [{ inlineData }] }] })).toMatchObject([{ tokens: 516 }])
})
