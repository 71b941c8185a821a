/** A moment to the minute, in UTC so that it reads the same everywhere: `2026-01-14 09:12`. */
export function utcMinute(at: number): string {
  const time = isoTime(at)
  return time === undefined ? 'unknown' : time.slice(0, 16).replace('T', ' ')
}

/** Undefined where no date is so far away. */
export function isoTime(at: number): string | undefined {
  return Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : undefined
}
