import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryJson } from './arbitrary-log.ts'
import { foreignValue } from './plain-json.ts'

describe('a value that is not JSON', () => {
  it.each<[unknown, string, string]>([
    [{ content: [{ data: new Uint8Array(3) }] }, '/content/0/data', 'Uint8Array'],
    [{ at: new Date(0) }, '/at', 'Date'],
    [{ url: new URL('https://example.com') }, '/url', 'URL'],
    [[1, undefined], '/1', 'undefined'],
    [{ 'a/b~': { toJSON: () => 1 } }, '/a~1b~0', 'Object'],
    [{ n: Number.NaN }, '/n', 'NaN'],
    [{ n: 1n }, '/n', 'bigint'],
    [{ f: () => 1 }, '/f', 'function'],
    [new Map(), '', 'Map'],
  ])('is found where it stands: %s', (value, pointer, what) => {
    expect(foreignValue(value)).toEqual({ pointer, what })
  })

  it('is none in JSON, however deep, nor an absent field', () => {
    fc.assert(
      fc.property(arbitraryJson, (value) => {
        expect(foreignValue(value)).toBeUndefined()
      }),
    )
    expect(foreignValue({ absent: undefined, bare: Object.assign(Object.create(null), { a: 1 }) })).toBeUndefined()
    expect(foreignValue(JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`))).toBeUndefined()
  })

  it('holds itself', () => {
    const item: { content: unknown[] } = { content: ['a', { b: 1 }] }
    item.content.push(item, [item])
    expect(foreignValue([item])).toMatchObject({ what: 'a circle' })
  })
})
