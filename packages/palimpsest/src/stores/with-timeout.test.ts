import { describe, expect, it } from 'vitest'
import { memoryStores } from './memory-stores.ts'
import type { StoreCall, Stores } from './ports.ts'
import { searchHistory } from './search-history.ts'
import { entry, toyRecord } from './store-examples.ts'
import { storeLaws } from './store-laws.ts'
import { withTimeout } from './with-timeout.ts'

storeLaws(
  'memory with a search and a timeout',
  async (now) => {
    const stores = withTimeout(withSearch(memoryStores({ now })))
    return { connect: () => stores }
  },
  { runs: 20 },
)

describe('withTimeout', () => {
  it('gives up every call that is not answered, tells the store so, and says which it was', async () => {
    const signals: AbortSignal[] = []
    const hanging = everyCall(withTimeout(hangingStores(signals), 1, { waiting: 1 }))
    for (const [name, run] of hanging) {
      await expect(run()).rejects.toMatchObject({ code: 'effect-failed', message: expect.stringContaining(name) })
    }
    expect(signals).toHaveLength(10)
    for (const signal of signals) expect(signal.aborted).toBe(true)
  })

  it('gives up at once when the caller does, with the reason of the caller', async () => {
    const signals: AbortSignal[] = []
    const controller = new AbortController()
    const calls = everyCall(withTimeout(hangingStores(signals)), { signal: controller.signal })
    const running = calls.map(([, run]) => run())
    const reason = new Error('cancelled')
    controller.abort(reason)
    for (const call of running) await expect(call).rejects.toBe(reason)
    for (const signal of signals) expect(signal.reason).toBe(reason)
  })

  it('passes the failure of a store on as it is', async () => {
    const failure = new Error('the disk is gone')
    const stores = memoryStores()
    const failing = withTimeout({ ...stores, records: { ...stores.records, list: () => Promise.reject(failure) } })
    await expect(failing.records.list('r')).rejects.toBe(failure)
  })

  it('bounds the waiting for a turn, and never what runs then', async () => {
    const { records } = withTimeout(memoryStores(), 1, { waiting: 1 })
    const begun: string[] = []
    const first = records.alone('r', async () => {
      begun.push('first')
      await expect(records.alone('r', async () => begun.push('second'))).rejects.toMatchObject({
        code: 'effect-failed',
        message: expect.stringContaining('records.alone'),
      })
      return 'ran longer than the second waited'
    })
    expect(await first).toBe('ran longer than the second waited')
    expect(await records.alone('r', async () => 'third')).toBe('third')
    expect(begun).toEqual(['first'])
  })

  it('begins nothing for a caller that has left, where a store ignores that', async () => {
    const stores = memoryStores()
    const late: (() => Promise<unknown>)[] = []
    const records = { ...stores.records, alone: keeping(late) }
    const controller = new AbortController()
    const begun: string[] = []
    const left = withTimeout({ ...stores, records }).records.alone('r', async () => begun.push('run'), controller)
    controller.abort(new Error('cancelled'))
    await expect(left).rejects.toThrow('cancelled')
    for (const run of late) await expect(run()).rejects.toThrow('cancelled')
    expect(late).toHaveLength(1)
    expect(begun).toEqual([])
  })

  it('has a search where the store has one', () => {
    expect(withTimeout(memoryStores()).history.search).toBeUndefined()
    expect(withTimeout(hangingStores([])).history.search).toBeDefined()
  })

  it('refuses a time in which nothing can be done', () => {
    expect(() => withTimeout(memoryStores(), 0)).toThrow(RangeError)
    expect(() => withTimeout(memoryStores(), Number.NaN)).toThrow(RangeError)
    expect(() => withTimeout(memoryStores(), 1, { waiting: 0 })).toThrow(RangeError)
  })
})

/** Keeps what should run, and never runs it. */
function keeping(runs: (() => Promise<unknown>)[]): Stores['records']['alone'] {
  return (_root, run) => {
    runs.push(run)
    return new Promise(() => undefined)
  }
}

/** The same stores, as if they had an index of words. */
function withSearch(stores: Stores): Stores {
  const { append, read } = stores.history
  return {
    ...stores,
    history: {
      append,
      read,
      search: async (session, query, call) => searchHistory((await read(session, call)) ?? '', query, call),
    },
  }
}

/** Stores that never answer. */
function hangingStores(signals: AbortSignal[]): Stores {
  const hang = (call: StoreCall | undefined) => {
    if (call?.signal !== undefined) signals.push(call.signal)
    return new Promise<never>(() => undefined)
  }
  return {
    records: {
      list: (_root, call) => hang(call),
      commit: (_root, _record, call) => hang(call),
      alone: (_root, _run, call) => hang(call),
    },
    artifacts: { put: (_space, _content, call) => hang(call), get: (_space, _key, call) => hang(call) },
    history: {
      append: (_session, _entries, call) => hang(call),
      read: (_session, call) => hang(call),
      search: (_session, _query, call) => hang(call),
    },
    limits: { get: (_scope, call) => hang(call), learn: (_scope, _limit, call) => hang(call) },
  }
}

function everyCall(
  { records, artifacts, history, limits }: Stores,
  call?: StoreCall,
): readonly (readonly [string, () => Promise<unknown>])[] {
  const session = { namespace: 'n', session: 's' }
  const scope = { namespace: 'n', upstream: 'u', model: 'm' }
  return [
    ['records.list', () => records.list('r', call)],
    ['records.commit', () => records.commit('r', toyRecord('k'), call)],
    ['records.alone', () => records.alone('r', async () => 'never', call)],
    ['artifacts.put', () => artifacts.put('n', 'text', call)],
    ['artifacts.get', () => artifacts.get('n', 'key', call)],
    ['history.append', () => history.append(session, [entry(0, 'text')], call)],
    ['history.read', () => history.read(session, call)],
    ['history.search', () => history.search?.(session, 'text', call) ?? Promise.resolve()],
    ['limits.get', () => limits.get(scope, call)],
    ['limits.learn', () => limits.learn(scope, { window: 1, at: 1 }, call)],
  ]
}
