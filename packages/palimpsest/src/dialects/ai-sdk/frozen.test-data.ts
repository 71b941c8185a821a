/** The value, frozen at every depth: a mutation throws. Binary data cannot be frozen. */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const inner of Object.values(value)) frozen(inner)
  return value
}
