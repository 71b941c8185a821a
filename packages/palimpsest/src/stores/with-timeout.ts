import { PalimpsestError } from '../engine/errors.ts'
import type { HistoryStore, RecordStore, StoreCall, Stores } from './ports.ts'

/** Times of `withTimeout` beside that of a call. */
export interface TimeoutOptions {
  /** Milliseconds after which a call of `records.alone` waits no longer for its turn. Default 60,000. */
  readonly waiting?: number
}

/**
 * The same stores, of which every call gives up after this many milliseconds, by default 10,000, with a PalimpsestError
 * `effect-failed`; a store that ignores its signal may still finish what it began. Of `records.alone` only the waiting is
 * bounded, not what runs then.
 * @throws RangeError for a time that is not above 0.
 *
 * @example
 * const patient = withTimeout(stores, 5_000)
 */
export function withTimeout(stores: Stores, milliseconds = 10_000, { waiting = 60_000 }: TimeoutOptions = {}): Stores {
  for (const time of [milliseconds, waiting]) {
    if (!(time > 0)) throw new RangeError(`A call needs a time above 0, not ${time} ms.`)
  }
  const { records, artifacts, history, limits } = stores
  const within: Within = (name, call, run) => runWithin(run, { name, milliseconds, call })
  return {
    records: {
      list: (root, call) => within('records.list', call, (own) => records.list(root, own)),
      commit: (root, record, call) => within('records.commit', call, (own) => records.commit(root, record, own)),
      alone: (root, run, call) => aloneWithin(records, run, { root, milliseconds: waiting, call }),
    },
    artifacts: {
      put: (namespace, content, call) => within('artifacts.put', call, (own) => artifacts.put(namespace, content, own)),
      get: (namespace, key, call) => within('artifacts.get', call, (own) => artifacts.get(namespace, key, own)),
    },
    history: historyWithin(history, within),
    limits: {
      get: (scope, call) => within('limits.get', call, (own) => limits.get(scope, own)),
      learn: (scope, limit, call) => within('limits.learn', call, (own) => limits.learn(scope, limit, own)),
    },
  }
}

function historyWithin(history: HistoryStore, within: Within): HistoryStore {
  const search = history.search?.bind(history)
  return {
    append: (session, entries, call) => within('history.append', call, (own) => history.append(session, entries, own)),
    read: (session, call) => within('history.read', call, (own) => history.read(session, { ...call, ...own })),
    ...(search !== undefined && {
      search: (session, query, call) =>
        within('history.search', call, (own) => search(session, query, { ...call, ...own })),
    }),
  }
}

type Run<Result> = (call: StoreCall) => Promise<Result>
type Within = <Result>(name: string, call: StoreCall | undefined, run: Run<Result>) => Promise<Result>

interface Bounds {
  readonly name: string
  readonly milliseconds: number
  readonly call: StoreCall | undefined
}

async function runWithin<Result>(run: Run<Result>, bounds: Bounds): Promise<Result> {
  const patience = new Patience(bounds)
  try {
    return await Promise.race([run({ signal: patience.signal }), patience.ended])
  } finally {
    patience.stop()
  }
}

interface AloneBounds extends Omit<Bounds, 'name'> {
  readonly root: string
}

async function aloneWithin<Result>(
  records: RecordStore,
  run: () => Promise<Result>,
  { root, ...bounds }: AloneBounds,
): Promise<Result> {
  const patience = new Patience({ ...bounds, name: 'records.alone' })
  const begin = () => {
    // a store that ignores its signal may still call: nobody waits for that any more
    patience.signal.throwIfAborted()
    patience.stop()
    return run()
  }
  try {
    return await Promise.race([records.alone(root, async () => begin(), { signal: patience.signal }), patience.ended])
  } finally {
    patience.stop()
  }
}

/** Ends at its time, or when the caller does, unless it is stopped before. */
class Patience {
  readonly signal: AbortSignal
  /** Rejects at the end. */
  readonly ended: Promise<never>
  readonly #stop: () => void

  /** @throws the reason of a caller that is gone already. */
  constructor({ name, milliseconds, call }: Bounds) {
    call?.signal?.throwIfAborted()
    const controller = new AbortController()
    const { signal } = controller
    const cancel = () => controller.abort(call?.signal?.reason)
    const timer = setTimeout(() => controller.abort(tooLate(name, milliseconds)), milliseconds)
    call?.signal?.addEventListener('abort', cancel, { once: true })
    this.signal = signal
    this.ended = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
    this.#stop = () => {
      clearTimeout(timer)
      call?.signal?.removeEventListener('abort', cancel)
    }
  }

  stop(): void {
    this.#stop()
  }
}

function tooLate(name: string, milliseconds: number): PalimpsestError {
  return new PalimpsestError('effect-failed', `The store did not answer ${name} within ${milliseconds} ms.`, {
    hint: 'Check that the disk or database behind it answers, or allow it more time.',
  })
}
