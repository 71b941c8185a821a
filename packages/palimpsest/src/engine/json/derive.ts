/** Marks a copy with the value it was made from, so that the wire writer can splice what the copy did not change. */
const ORIGIN = Symbol('palimpsest.origin')

/** A shallow copy of `origin` with `changes`; a change to `undefined` takes the key away. Key order is kept. */
export function derive<T extends object>(origin: T, changes: { readonly [K in keyof T]?: T[K] | undefined }): T {
  const copy = { ...origin, ...changes }
  for (const key of Object.keys(changes)) {
    if (copy[key as keyof T] === undefined) delete copy[key as keyof T]
  }
  return withOrigin(copy, origin)
}

/** A list made from `origin` (elements kept, changed or left out), marked with where it came from. */
export function deriveList<T>(origin: readonly unknown[], elements: readonly T[]): T[] {
  return withOrigin([...elements], origin)
}

/** What `value` was derived from, if it was. */
export function originOf(value: object): object | undefined {
  return (value as { [ORIGIN]?: object })[ORIGIN]
}

function withOrigin<T extends object>(copy: T, origin: object): T {
  // Not enumerable: invisible to JSON, spreads, and deep comparison.
  Object.defineProperty(copy, ORIGIN, { value: origin, enumerable: false })
  return copy
}
