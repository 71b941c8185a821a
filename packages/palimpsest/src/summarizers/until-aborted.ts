/** The work's result; rejects with the signal's reason as soon as that is aborted, also where the work does not listen. */
export async function untilAborted<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  signal?.throwIfAborted()
  if (signal === undefined) return await work()
  const { promise, reject } = rejectable()
  const onAbort = () => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work(), promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

function rejectable(): { readonly promise: Promise<never>; reject(reason: unknown): void } {
  let reject: (reason: unknown) => void = () => {}
  const promise = new Promise<never>((_, fail) => {
    reject = fail
  })
  return { promise, reject: (reason) => reject(reason) }
}
