/** Resolves with nothing after this time, unless it is cancelled. */
export function lateAfter(milliseconds: number): { readonly promise: Promise<undefined>; cancel(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined
  const promise = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds)
  })
  return { promise, cancel: () => clearTimeout(timer) }
}
