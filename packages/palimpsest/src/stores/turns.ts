/**
 * Turns within one process: of all that ask for one name, one runs at a time, in the order in which they asked. Nothing is kept
 * of a name whose last turn is over.
 *
 * @example
 * const turns = new Turns()
 * await turns.next('s1', async () => 'alone')
 */
export class Turns {
  readonly #last = new Map<string, Promise<void>>()

  /** Runs when those before it are done, however they ended. An aborted signal ends the waiting, and `run` never begins. */
  async next<Result>(name: string, run: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted()
    const before = this.#last.get(name)
    const { end, last } = this.#stand(name, before)
    try {
      if (before !== undefined) await unlessAborted(before, signal)
      return await run()
    } finally {
      end()
      void last.then(() => {
        if (this.#last.get(name) === last) this.#last.delete(name)
      })
    }
  }

  /** A place behind all others. Who leaves it early still lets nobody pass those before him. */
  #stand(name: string, before: Promise<void> | undefined): { readonly end: () => void; readonly last: Promise<void> } {
    let end = () => {}
    const own = new Promise<void>((resolve) => {
      end = resolve
    })
    const last = before === undefined ? own : before.then(() => own)
    this.#last.set(name, last)
    return { end, last }
  }
}

async function unlessAborted(waiting: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return waiting
  let stop = () => {}
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
  })
  signal.addEventListener('abort', stop, { once: true })
  try {
    await Promise.race([waiting, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
  signal.throwIfAborted()
}
