import { describe, expect, it } from 'vitest'
import { memoryStores } from './memory-stores.ts'
import type { StoreCall, Stores } from './ports.ts'
import { entry, toyRecord } from './store-examples.test-data.ts'
import { storeLaws } from './store-laws.test-data.ts'
import { withTimeout } from './with-timeout.ts'

storeLaws(
  'memory with a timeout',
  async (now) => {
    const stores = withTimeout(memoryStores({ now }))
    return { connect: () => stores }
  },
  { runs: 20 },
)

describe('withTimeout', () => {
  it('gives up every call that is not answered, tells the store so, and says which it was', async () => {
    const signals: AbortSignal[] = []
    const hanging = everyCall(withTimeout(hangingStores(signals), 1))
    for (const [name, run] of hanging) {
      await expect(run()).rejects.toMatchObject({ code: 'effect-failed', message: expect.stringContaining(name) })
    }
    expect(signals).toHaveLength(8)
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

  it('refuses a time in which nothing can be done', () => {
    expect(() => withTimeout(memoryStores(), 0)).toThrow(RangeError)
    expect(() => withTimeout(memoryStores(), Number.NaN)).toThrow(RangeError)
  })
})

/** Stores that never answer. */
function hangingStores(signals: AbortSignal[]): Stores {
  const hang = (call: StoreCall | undefined) => {
    if (call?.signal !== undefined) signals.push(call.signal)
    return new Promise<never>(() => undefined)
  }
  return {
    records: { list: (_root, call) => hang(call), commit: (_root, _record, call) => hang(call) },
    artifacts: { put: (_space, _content, call) => hang(call), get: (_space, _key, call) => hang(call) },
    history: { append: (_session, _entries, call) => hang(call), read: (_session, call) => hang(call) },
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
    ['artifacts.put', () => artifacts.put('n', 'text', call)],
    ['artifacts.get', () => artifacts.get('n', 'key', call)],
    ['history.append', () => history.append(session, [entry(0, 'text')], call)],
    ['history.read', () => history.read(session, call)],
    ['limits.get', () => limits.get(scope, call)],
    ['limits.learn', () => limits.learn(scope, { window: 1, at: 1 }, call)],
  ]
}
