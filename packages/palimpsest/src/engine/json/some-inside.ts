/** Is there anything in a JSON-like value, itself included, of which this holds? However deep it nests, cycles too. */
export function someInside(value: unknown, holds: (inner: unknown) => boolean): boolean {
  const seen = new Set<object>()
  const waiting = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (holds(next)) return true
    if (next === null || typeof next !== 'object' || seen.has(next)) continue
    seen.add(next)
    for (const inner of Object.values(next)) waiting.push(inner)
  }
  return false
}
