/** How messages of one format stand to system messages between them. */
export interface SystemPlaces<T> {
  readonly roleOf: (message: T) => string
  /** May it stand anywhere, though its role is `system`? */
  readonly floats: (message: T) => boolean
  /** May a system message follow this one? */
  readonly takesSystem: (message: T) => boolean
  /** What moves takes no cache mark along: behind others its time to live could be too long, and its prefix is another. */
  readonly unmarked: (message: T) => T
}

/**
 * Messages with every system message at the end of a user turn, before an assistant message or the end. Where the user
 * message before it left, or a summary came behind it, it waits for the end of the next user turn. What stands legally
 * does not move.
 */
export function settledSystem<T>(messages: readonly T[], places: SystemPlaces<T>): readonly T[] {
  const settled: T[] = []
  let waiting: readonly T[] = []
  for (const message of messages) {
    const role = places.roleOf(message)
    if (role === 'system' && (waiting.length > 0 || !places.floats(message))) {
      waiting = [...waiting, message]
      continue
    }
    if (waiting.length > 0) {
      const before = settled.findLast((one) => !places.floats(one))
      const isPlace = role === 'assistant' && before !== undefined && places.takesSystem(before)
      if (isPlace) settled.push(...waiting)
      waiting = isPlace ? [] : waiting.map(places.unmarked)
    }
    settled.push(message)
  }
  return [...settled, ...waiting]
}
