/**
 * Resolves `first` at the first signal to stop, and `second` at the next; from this call on they no longer end the process by
 * themselves.
 */
export function stopSignals(): { readonly first: Promise<void>; readonly second: Promise<void> } {
  const stops: (() => void)[] = []
  const next = () =>
    new Promise<void>((resolve) => {
      stops.push(resolve)
    })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stops.shift()?.())
  return { first: next(), second: next() }
}
