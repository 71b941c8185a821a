import { expect, test } from 'vitest'
import { pngHead } from '../../png-head.test-data.ts'
import { openaiResponsesFormat } from './index.ts'

const { prompt } = openaiResponsesFormat

test('the model reads tools, instructions and items, in this order', () => {
  const blocks = prompt({
    instructions: 'Be brief.',
    tools: [{ type: 'function', name: 'read' }],
    input: [
      { role: 'user', content: [{ type: 'input_text', text: 'Hello' }] },
      { type: 'function_call', call_id: 'c1', name: 'read', arguments: '{"path":"a"}' },
      { type: 'function_call_output', call_id: 'c1', output: 'text of a' },
    ],
  })
  expect(blocks.map(({ text }) => text)).toEqual([
    '{"type":"function","name":"read"}',
    'Be brief.',
    'user Hello',
    'function_call read {"path":"a"}',
    'tool text of a',
  ])
})

test('what stands before the newest compaction is not read', () => {
  const compaction = { type: 'compaction', encrypted_content: 'A'.repeat(160) }
  const blocks = prompt({ input: [{ role: 'user', content: 'old' }, compaction, { role: 'user', content: 'new' }] })
  expect(blocks.map(({ tokens }) => tokens)).toEqual([30, undefined])
})

test.each([
  [512, 512, 'auto', 255],
  [1024, 1024, 'high', 765],
  [4096, 512, 'auto', 85 + 170 * 4],
  [4000, 4000, 'low', 85],
])('a picture of %i by %i (%s) takes %i tokens', (width, height, detail, tokens) => {
  const part = { type: 'input_image', image_url: `data:image/png;base64,${pngHead(width, height)}`, detail }
  expect(prompt({ input: [{ role: 'user', content: [part] }] })).toMatchObject([{ tokens }])
})

test('a breakpoint keeps its block for half an hour', () => {
  const part = { type: 'input_text', text: 'x', prompt_cache_breakpoint: { mode: 'explicit' } }
  expect(prompt({ input: [{ role: 'user', content: [part] }] })).toEqual([{ text: 'user x', cacheSeconds: 1800 }])
})
