import { describe, expect, it } from 'vitest'
import { deepFreeze } from '../../deep-freeze.test-data.ts'
import { wrapCheckpoint } from '../../engine/summary/checkpoint-text.ts'
import type { CacheBreakpoints } from '../cache-breakpoints.ts'
import { cacheMarks } from './cache.ts'
import { type AnthropicRequest, anthropicMessages } from './index.ts'

const { markCache, open, close } = anthropicMessages
const mark = { type: 'ephemeral' }
const hour = { type: 'ephemeral', ttl: '1h' }
const summary = { role: 'user', content: [{ type: 'text', text: wrapCheckpoint({ summary: 'so far' }) }] }

/** `system 0`, `0.1`: where the marks stand, with `h` for those that live an hour. */
function marksOf(request: AnthropicRequest): string[] {
  const system = Array.isArray(request.system) ? request.system : []
  const inSystem = system.flatMap((block, index) =>
    block.cache_control ? [`system ${index}${age(block.cache_control)}`] : [],
  )
  const inMessages = cacheMarks({ ...open(request), system: [], tools: [] }).map(
    ({ position, part, ttl }) => `${position}.${part}${ttl === '1h' ? 'h' : ''}`,
  )
  return [...inSystem, ...inMessages]
}

function age(control: unknown): string {
  return (control as { ttl?: string }).ttl === '1h' ? 'h' : ''
}

function marked(request: AnthropicRequest, at: CacheBreakpoints): string[] {
  return marksOf(close(request, markCache(open(deepFreeze(request)), at)))
}

describe('markCache', () => {
  it('D10 marks the last system block and the summary, and only those', () => {
    const request = {
      system: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
      messages: [summary, { role: 'assistant', content: 'x' }, { role: 'user', content: 'u' }],
    }
    expect(marked(request, { system: true, item: 0 })).toEqual(['system 1', '0.0'])
    expect(marked(request, { system: true })).toEqual(['system 1'])
    expect(marked(request, { system: false, item: 2 })).toEqual(['2.0'])
    expect(close(request, markCache(open(request), { system: false }))).toBe(request)
  })

  it('D10 marks the last of the stable system blocks, none of what stands behind them', () => {
    const text = (words: string) => ({ type: 'text', text: words })
    const request = { system: [text('a'), text('b'), text('memory')], messages: [summary] }
    expect(marked(request, { system: { stable: 0 } })).toEqual([])
    expect(marked(request, { system: { stable: 1 } })).toEqual(['system 0'])
    expect(marked(request, { system: { stable: 2 }, item: 0 })).toEqual(['system 1', '0.0'])
    expect(marked(request, { system: { stable: 9 } })).toEqual(['system 2'])
    const held = { ...request, system: [text('a'), { ...text('memory'), cache_control: hour }] }
    expect(marked(held, { system: { stable: 1 } })).toEqual(['system 0h', 'system 1h'])
  })

  it('D10 marks the summary, not the words of the user joined to it', () => {
    const joined = { role: 'user', content: [...summary.content, { type: 'text', text: 'mine' }] }
    expect(marked({ messages: [joined] }, { system: false, item: 0 })).toEqual(['0.0'])
  })

  it('D10 makes a block of a system prompt that is a string', () => {
    const request = { system: 'prompt', messages: [summary] }
    const closed = close(request, markCache(open(request), { system: true }))
    expect(closed.system).toEqual([{ type: 'text', text: 'prompt', cache_control: mark }])
  })

  it('D10 uses free slots only and keeps the caller’s marks', () => {
    const own = (text: string) => ({ type: 'text', text, cache_control: mark })
    const three = { role: 'user', content: [own('a'), own('b'), own('c')] }
    const request = { system: [{ type: 'text', text: 's' }], messages: [summary, three] }
    expect(marked(request, { system: true, item: 0 })).toEqual(['system 0', '1.0', '1.1', '1.2'])
    expect(marked({ ...request, cache_control: mark }, { system: true, item: 0 })).toEqual(['1.0', '1.1', '1.2'])
    const already = { ...request, system: [own('s')], messages: [summary] }
    expect(marked(already, { system: true, item: 0 })).toEqual(['system 0', '0.0'])
  })

  it('D10 gives no mark a longer life than an earlier one has', () => {
    const later = { role: 'user', content: [{ type: 'text', text: 'u', cache_control: hour }] }
    const request = { system: 's', messages: [summary, later] }
    expect(marked(request, { system: true, item: 0 })).toEqual(['system 0h', '0.0h', '1.0h'])
    const earlier = { ...request, tools: [{ name: 'run', cache_control: mark }] }
    expect(marked(earlier, { system: true, item: 0 })).toEqual(['1.0h'])
  })

  it('D10 marks no empty text and no thinking', () => {
    const request = {
      system: [
        { type: 'text', text: 's' },
        { type: 'text', text: '' },
      ],
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'tool_use', id: 't' },
            { type: 'thinking', thinking: 'x' },
          ],
        },
      ],
    }
    expect(marked(request, { system: true, item: 0 })).toEqual(['system 0', '0.0'])
  })
})
