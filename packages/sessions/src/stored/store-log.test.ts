import { describe, expect, it } from 'vitest'
import { chainEntries } from '../log/entry-chain.ts'
import { memorySessions } from '../log/memory-sessions.ts'
import type { SessionEntry } from '../log/session-entry.ts'
import { inventedLog } from './invented-log.test-data.ts'
import { mayBeLog, parseLog, storeLog } from './store-log.ts'

const textOf = (entries: readonly SessionEntry[]) => entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')

describe('the text of a log', () => {
  it('is read as it was written, and a text of something else is none', async () => {
    const entries = await inventedLog()
    expect(mayBeLog(textOf(entries).slice(0, 4_096))).toBe(true)
    expect(parseLog(textOf(entries))).toEqual(entries)
    expect(parseLog('{"messages":[{"role":"user","content":"\\"session-started\\""}]}')).toBeUndefined()
    expect(parseLog('')).toBeUndefined()
  })

  it('that is damaged is refused with its place', async () => {
    const entries = await inventedLog()
    const torn = textOf(entries).slice(0, -20)
    expect(() => parseLog(torn)).toThrow(new RegExp(`damaged: line ${entries.length} is no JSON`))
    const changed = textOf(entries).replace('must stay 8443', 'must stay 8444')
    expect(() => parseLog(changed)).toThrow(/damaged: Entry 3 is not what was written/)
    expect(() => parseLog(textOf(entries.filter(({ seq }) => seq !== 4)))).toThrow(/damaged: Entry 5 stands where 4/)
  })
})

describe('a log that is stored', () => {
  it('has its hashes and counters, once; what has grown is continued', async () => {
    const store = memorySessions().open()
    const entries = await inventedLog()
    const ended = entries.findIndex(({ type }) => type === 'turn-ended') + 1
    const id = `log-${entries[0]?.hash.slice(0, 12)}`
    expect(await storeLog(store, entries.slice(0, ended))).toEqual({ id, outcome: 'new', appended: ended })
    expect(await store.find(id)).toMatchObject({ compactions: 0, lastInputTokens: 9_000 })
    const grown = { id, outcome: 'grown', appended: entries.length - ended }
    expect(await storeLog(store, entries)).toEqual(grown)
    expect(await storeLog(store, entries)).toEqual({ id, outcome: 'same', appended: 0 })
    expect(await storeLog(store, entries.slice(0, ended))).toEqual({ id, outcome: 'same', appended: 0 })
    expect(await store.read(id)).toEqual(entries)
    expect(await store.find(id)).toMatchObject({ compactions: 1, lastInputTokens: 4_000 })
  })

  it('takes no place of another one', async () => {
    const store = memorySessions().open()
    await storeLog(store, await inventedLog(), { id: 'mine' })
    const other = chainEntries([{ type: 'session-started', dialect: 'gemini', toolResults: 'full' }], {
      after: undefined,
      at: 1,
    })
    await expect(storeLog(store, other, { id: 'mine' })).rejects.toMatchObject({ code: 'conflict' })
  })
})
