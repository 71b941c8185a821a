const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** Resolves at the next signal to stop, which then does not end the process by itself. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      for (const signal of STOP_SIGNALS) process.off(signal, stop)
      resolve()
    }
    for (const signal of STOP_SIGNALS) process.on(signal, stop)
  })
}
