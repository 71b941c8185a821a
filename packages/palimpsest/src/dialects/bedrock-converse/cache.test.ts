import { describe, expect, it } from 'vitest'
import { deepFreeze } from '../../deep-freeze.test-data.ts'
import { wrapCheckpoint } from '../../engine/summary/checkpoint-text.ts'
import type { CacheBreakpoints } from '../cache-breakpoints.ts'
import { cachePoints } from './cache.ts'
import { type BedrockRequest, bedrockConverse } from './index.ts'

const { markCache, open, close } = bedrockConverse
const point = { cachePoint: { type: 'default' } }
const hour = { cachePoint: { type: 'default', ttl: '1h' } }
const summary = { text: wrapCheckpoint({ summary: 'so far' }) }
const messages = [
  { role: 'user', content: [summary, { text: 'mine' }] },
  { role: 'assistant', content: [{ text: 'a' }] },
  { role: 'user', content: [{ text: 'u' }] },
]

/** `system 1`, `0.1`: where cache points stand, with `h` for those that live an hour. */
function pointsOf(request: BedrockRequest): string[] {
  const inSystem = (request.system ?? []).flatMap((block, index) => (block.cachePoint ? [`system ${index}`] : []))
  const inMessages = cachePoints({ ...open(request), system: [], tools: [] }).map(
    ({ position, at, ttl }) => `${position}.${at}${ttl === '1h' ? 'h' : ''}`,
  )
  return [...inSystem, ...inMessages]
}

function marked(request: BedrockRequest, at: CacheBreakpoints): string[] {
  return pointsOf(close(request, markCache(open(deepFreeze(request)), at)))
}

describe('markCache', () => {
  it('D10 puts points behind the system prompt and behind the summary, and only there', () => {
    const request = { system: [{ text: 's' }], messages }
    expect(marked(request, { system: true, item: 0 })).toEqual(['system 1', '0.1'])
    expect(marked(request, { system: false, item: 1 })).toEqual(['1.1'])
    expect(marked({ messages }, { system: true })).toEqual([])
    expect(close(request, markCache(open(request), { system: false }))).toBe(request)
  })

  it('D10 puts the point behind the last of the stable system blocks, before what may change', () => {
    const request = { system: [{ text: 'a' }, { text: 'b' }, { text: 'memory' }], messages }
    expect(marked(request, { system: { stable: 0 } })).toEqual([])
    expect(marked(request, { system: { stable: 1 } })).toEqual(['system 1'])
    expect(marked(request, { system: { stable: 2 } })).toEqual(['system 2'])
    expect(marked(request, { system: { stable: 9 } })).toEqual(['system 3'])
    const own = { system: [{ text: 'a' }, point, { text: 'memory' }, hour], messages }
    expect(marked(own, { system: { stable: 1 } })).toEqual(['system 1', 'system 3'])
    const held = { system: [{ text: 'a' }, { text: 'memory' }, hour], messages }
    expect(open(close(held, markCache(open(held), { system: { stable: 1 } }))).system[1]).toEqual(hour)
  })

  it('D10 uses free slots only and keeps the caller’s points', () => {
    const busy = { role: 'user', content: [{ text: 'u' }, point, { text: 'v' }, point] }
    const request = {
      system: [{ text: 's' }],
      messages: [...messages.slice(0, 2), busy],
      toolConfig: { tools: [point] },
    }
    expect(marked(request, { system: true, item: 0 })).toEqual(['system 1', '2.1', '2.3'])
    const already = { system: [{ text: 's' }, point], messages: [{ role: 'user', content: [summary, point] }] }
    expect(close(already, markCache(open(already), { system: true, item: 0 }))).toBe(already)
  })

  it('D10 gives no point a longer life than an earlier one has', () => {
    const later = [...messages.slice(0, 2), { role: 'user', content: [{ text: 'u' }, hour] }]
    expect(marked({ messages: later }, { system: false, item: 0 })).toEqual(['0.1h', '2.1h'])
    expect(marked({ system: [{ text: 's' }, point], messages: later }, { system: false, item: 0 })).toEqual([
      'system 1',
      '2.1h',
    ])
  })
})
