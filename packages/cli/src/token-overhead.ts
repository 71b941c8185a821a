import { type RecordedSession, sessionScale } from 'palimpsest'
import type { ConversationInput } from './conversation-input.ts'

/** Tokens of system and tools, and how sure they are. */
export interface TokenOverhead {
  readonly tokens: number
  /** Measured tokens per estimated one, from the file's recorded usage; absent where none is recorded. */
  readonly scale?: number
  /** `request`: counted in the request itself. `estimated`: first recorded usage minus its items. `given`: `--overhead`. */
  readonly source: 'request' | 'estimated' | 'given' | 'unknown'
}

/** The part of each request that a session file does not hold; for a request body, that it holds it. */
export function overheadOf(
  { session, dialect }: Pick<ConversationInput, 'session' | 'dialect'>,
  given: number | undefined,
): TokenOverhead {
  if (session.format === 'request')
    return given === undefined ? { tokens: 0, source: 'request' } : { tokens: given, source: 'given' }
  const { overhead, scale, samples } = sessionScale(dialect, recordedSession(session))
  if (given !== undefined) return { tokens: given, scale, source: 'given' }
  return samples === 0 ? { tokens: 0, source: 'unknown' } : { tokens: overhead, scale, source: 'estimated' }
}

/** An imported session as the library replays it. */
export function recordedSession(session: ConversationInput['session']): RecordedSession<object> {
  const items = session.items.map(({ item }) => item as object)
  return { ...session, items }
}
