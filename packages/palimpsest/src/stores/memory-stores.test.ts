import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { importsOf } from '../imports.test-data.ts'
import { memoryStores } from './memory-stores.ts'
import { toyRecord } from './store-examples.ts'
import { storeLaws } from './store-laws.ts'

storeLaws(
  'memory',
  async (now) => {
    const stores = memoryStores({ now })
    return { connect: () => stores }
  },
  { runs: 500 },
)

describe('memoryStores', () => {
  it('forgets the conversation that was not touched for longest, and no other', async () => {
    const { records } = memoryStores({ roots: 2 })
    await records.commit('a', toyRecord('k'))
    await records.commit('b', toyRecord('k'))
    await records.list('a')
    await records.commit('c', toyRecord('k'))
    expect(await records.list('b')).toEqual([])
    expect(await records.list('a')).toHaveLength(1)
    expect(await records.list('c')).toHaveLength(1)
  })

  it('keeps artifacts within their bytes, and always the newest', async () => {
    const { artifacts } = memoryStores({ artifactBytes: 100 })
    const first = await artifacts.put('n', 'a'.repeat(20))
    const second = await artifacts.put('n', 'b'.repeat(20))
    const third = await artifacts.put('n', 'c'.repeat(20))
    expect(await artifacts.get('n', first)).toBeUndefined()
    expect(await artifacts.get('n', second)).toBeDefined()
    const large = await artifacts.put('n', 'd'.repeat(1000))
    expect(await artifacts.get('n', third)).toBeUndefined()
    expect(await artifacts.get('n', large)).toHaveLength(1000)
  })

  it('gives a history the path that the summary names, whatever the session is called', async () => {
    const { history } = memoryStores()
    expect(await history.append({ namespace: 'n', session: 's1' }, [])).toBe('/conversation_history/s1.md')
    expect(await history.append({ namespace: 'n', session: '../../x' }, [])).toMatch(
      /^\/conversation_history\/[^/]+\.md$/,
    )
  })

  it('refuses a bound that keeps nothing', () => {
    expect(() => memoryStores({ roots: 0 })).toThrow(RangeError)
    expect(() => memoryStores({ limits: Number.NaN })).toThrow(RangeError)
  })
})

describe('what runs in a browser', () => {
  it('imports nothing of Node, and nothing foreign', () => {
    const entries = [
      'memory-stores',
      'with-timeout',
      'read-history',
      'search-history',
      'artifact-key',
      'history-entry',
      'redaction',
      'virtual-files',
    ]
    const files = new Set(entries.map((name) => join(import.meta.dirname, `${name}.ts`)))
    for (const path of files) {
      for (const specifier of importsOf({ path, text: readFileSync(path, 'utf8') })) {
        expect(specifier).toMatch(/^\.\.?\//)
        files.add(join(path, '..', specifier))
      }
    }
    expect(files.size).toBeGreaterThan(entries.length)
  })
})
