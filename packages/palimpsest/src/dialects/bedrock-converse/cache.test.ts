import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryRequest } from './arbitrary-request.test-data.ts'
import { cachePoints } from './cache.ts'
import { deepFreeze } from './deep-freeze.test-data.ts'
import { type BedrockRequest, bedrockConverse } from './index.ts'

const { markCache, open, close, check, fingerprint } = bedrockConverse
const point = { cachePoint: { type: 'default' } }
const hour = { cachePoint: { type: 'default', ttl: '1h' } }
const summary = { text: '<compacted_context>S' }
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

function marked(request: BedrockRequest, at: { system: boolean; item?: number }): string[] {
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

  it('LAW: at most four points, the caller’s stay, nothing else changes, and the check accepts it', () => {
    fc.assert(
      fc.property(arbitraryRequest, fc.nat(), fc.boolean(), (request, at, system) => {
        const view = open(deepFreeze(request))
        const after = markCache(view, { system, item: at % view.items.length })
        expect(cachePoints(after).length).toBeLessThanOrEqual(4)
        expect(cachePoints(after).length).toBeGreaterThanOrEqual(cachePoints(view).length)
        expect(check(after)).toEqual([])
        expect(after.items.map(fingerprint)).toEqual(view.items.map(fingerprint))
      }),
      { numRuns: 1000 },
    )
  })
})
