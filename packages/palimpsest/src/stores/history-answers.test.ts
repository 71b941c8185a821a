import { describe, expect, it } from 'vitest'
import { readAnswer, searchAnswer } from './history-answers.ts'
import { memoryStores } from './memory-stores.ts'
import type { HistoryStore, SearchCall } from './ports.ts'
import { type HistorySearch, searchHistory } from './search-history.ts'
import { entry } from './store-examples.ts'

const conversation = { namespace: 'n', session: 's' }

async function storesWith(...markdowns: readonly string[]) {
  const stores = memoryStores()
  await stores.history.append(
    conversation,
    markdowns.map((markdown, position) => entry(position, markdown)),
  )
  return stores
}

/** A history with an index of words, and what that was asked. */
function indexed(history: HistoryStore, answer?: HistorySearch) {
  const asked: (readonly [string, SearchCall | undefined])[] = []
  const search: HistoryStore['search'] = async (session, query, call) => {
    asked.push([query, call])
    return answer ?? searchHistory((await history.read(session)) ?? '', query, call)
  }
  return { asked, history: { ...history, search } satisfies HistoryStore }
}

describe('searchAnswer', () => {
  it('asks the index of the store where there is one, for no more than a model gets, of its own versions', async () => {
    const stores = await storesWith('a needle', 'hay')
    const { asked, history } = indexed(stores.history)
    const own = () => undefined
    const { signal } = new AbortController()
    const question = { stores: { ...stores, history }, conversation, own, signal }
    const answer = await searchAnswer(question, 'needle', { matches: 1_000_000 })
    expect(answer).toBe('1 found, 1 shown.\n\n## message 0, offset 2\na needle')
    expect(asked).toEqual([['needle', { matches: 30, excerpt: 300, own, signal }]])
    expect(await searchAnswer({ stores, conversation }, 'needle')).toBe(answer)
  })

  it('tells a search that finds nothing from a history that is not there', async () => {
    const stores = await storesWith('hay')
    for (const { history } of [stores, indexed(stores.history)]) {
      const ask = (session: string) =>
        searchAnswer({ stores: { ...stores, history }, conversation: { ...conversation, session } }, 'needle')
      expect(await ask('s')).toBe('None of these words is in what is stored.')
      expect(await ask('t')).toBe('Nothing has left the conversation yet.')
    }
  })

  it('searches an artifact by its reference, whatever the index', async () => {
    const stores = memoryStores()
    const { asked, history } = indexed(stores.history)
    const path = `artifact://${await stores.artifacts.put('n', 'a pearl')}`
    expect(await searchAnswer({ stores: { ...stores, history }, conversation, path }, 'PEARL')).toContain('a pearl')
    expect(asked).toEqual([])
    const missing = { stores, conversation, path: 'artifact://00' }
    expect(await searchAnswer(missing, 'pearl')).toBe('There is no such artifact.')
  })

  it('is bounded, however much there is', async () => {
    const stores = await storesWith(...Array.from({ length: 200 }, (_, at) => `${at} ${'needle '.repeat(1_000)}`))
    const answer = await searchAnswer({ stores, conversation }, 'needle', { matches: 1_000_000 })
    expect(answer).toMatch(/^200 found, 30 shown\./)
    expect(answer.length).toBeLessThan(12_000)
  })
})

describe('readAnswer', () => {
  it('reads no more of a store than the range, and never more than a page', async () => {
    const stores = await storesWith('zero', 'one '.repeat(20_000), 'two')
    const asked: unknown[] = []
    const history: HistoryStore = {
      ...stores.history,
      read: (session, call) => {
        asked.push(call)
        return stores.history.read(session, call)
      },
    }
    const page = await readAnswer(
      { stores: { ...stores, history }, conversation },
      { from: 1, to: 2, limit: 1_000_000 },
    )
    expect(asked).toEqual([{ from: 1, to: 2 }])
    expect(page).toMatch(/^one one[\s\S]*\[60000 more characters; read on with offset 20000\]$/)
  })

  it('gives its own version of a message', async () => {
    const stores = await storesWith('mine')
    await stores.history.append(conversation, [{ ...entry(0, 'of a fork'), fingerprint: '0'.repeat(16) }])
    expect(await readAnswer({ stores, conversation, own: () => 'f'.repeat(16) }, {})).toBe('mine')
    expect(await readAnswer({ stores, conversation }, {})).toBe('mine\nof a fork')
  })

  it('reads an empty artifact as one, and says where nothing was read, and why', async () => {
    const stores = memoryStores()
    expect(await readAnswer({ stores, conversation }, {})).toBe('Nothing has left the conversation yet.')
    expect(await readAnswer({ stores, conversation: undefined }, {})).toContain('cannot be told')
    const history = { ...stores.history, read: () => Promise.reject(new Error('disk is gone')) }
    expect(await readAnswer({ stores: { ...stores, history }, conversation }, {})).toContain('disk is gone')
  })
})
