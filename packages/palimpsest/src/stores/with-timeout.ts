import { PalimpsestError } from '../engine/errors.ts'
import type { StoreCall, Stores } from './ports.ts'

/**
 * The same stores, of which every call gives up after this many milliseconds, by default 10,000, with a PalimpsestError
 * `effect-failed`; a store that ignores its signal may still finish what it began.
 * @throws RangeError for a time that is not above 0.
 */
export function withTimeout(stores: Stores, milliseconds = 10_000): Stores {
  if (!(milliseconds > 0)) throw new RangeError(`A call needs a time above 0, not ${milliseconds} ms.`)
  const { records, artifacts, history, limits } = stores
  const within: Within = (name, call, run) => runWithin(run, { name, milliseconds, call })
  return {
    records: {
      list: (root, call) => within('records.list', call, (own) => records.list(root, own)),
      commit: (root, record, call) => within('records.commit', call, (own) => records.commit(root, record, own)),
    },
    artifacts: {
      put: (namespace, content, call) => within('artifacts.put', call, (own) => artifacts.put(namespace, content, own)),
      get: (namespace, key, call) => within('artifacts.get', call, (own) => artifacts.get(namespace, key, own)),
    },
    history: {
      append: (session, entries, call) =>
        within('history.append', call, (own) => history.append(session, entries, own)),
      read: (session, call) => within('history.read', call, (own) => history.read(session, own)),
    },
    limits: {
      get: (scope, call) => within('limits.get', call, (own) => limits.get(scope, own)),
      learn: (scope, limit, call) => within('limits.learn', call, (own) => limits.learn(scope, limit, own)),
    },
  }
}

type Run<Result> = (call: StoreCall) => Promise<Result>
type Within = <Result>(name: string, call: StoreCall | undefined, run: Run<Result>) => Promise<Result>

interface Bounds {
  readonly name: string
  readonly milliseconds: number
  readonly call: StoreCall | undefined
}

async function runWithin<Result>(run: Run<Result>, { name, milliseconds, call }: Bounds): Promise<Result> {
  call?.signal?.throwIfAborted()
  const controller = new AbortController()
  const { signal } = controller
  const cancel = () => controller.abort(call?.signal?.reason)
  const timer = setTimeout(() => controller.abort(tooLate(name, milliseconds)), milliseconds)
  call?.signal?.addEventListener('abort', cancel, { once: true })
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  try {
    return await Promise.race([run({ signal }), stopped])
  } finally {
    clearTimeout(timer)
    call?.signal?.removeEventListener('abort', cancel)
  }
}

function tooLate(name: string, milliseconds: number): PalimpsestError {
  return new PalimpsestError('effect-failed', `The store did not answer ${name} within ${milliseconds} ms.`, {
    hint: 'Check that the disk or database behind it answers, or allow it more time.',
  })
}
