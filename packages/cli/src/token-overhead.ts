import { type Conversation, dialectMeter, type RecordedSession, requestOverhead, sessionScale } from 'palimpsest'
import type { ConversationInput } from './conversation-input.ts'

/** Tokens of system and tools, and how sure they are. */
export interface TokenOverhead {
  readonly tokens: number
  /** Measured tokens per estimated one, from the file's recorded usage; absent where none is recorded. */
  readonly scale?: number
  /** `request`: counted in the request itself. `estimated`: first recorded usage minus its items. `given`: `--overhead`. */
  readonly source: 'request' | 'estimated' | 'given' | 'unknown'
}

/** Where the numbers come from: a session, and for a request the conversation that it was opened into. */
interface OverheadInput extends Pick<ConversationInput, 'session' | 'dialect'> {
  readonly conversation: Pick<Conversation<object>, 'system' | 'tools' | 'model'>
}

/**
 * Tokens of each request that are in no item. A request body holds them itself: there they are estimated, on the upper
 * side (`mode`) where nothing calibrates the estimate. A session file does not.
 */
export function overheadOf(
  { session, dialect, conversation }: OverheadInput,
  given: number | undefined,
  mode: 'mean' | 'upper' = 'upper',
): TokenOverhead {
  if (session.format === 'request') {
    if (given !== undefined) return { tokens: given, source: 'given' }
    const { system, tools } = requestOverhead(conversation, dialectMeter(dialect, conversation.model, mode))
    return { tokens: system + tools, source: 'request' }
  }
  const { overhead, scale, samples } = sessionScale(dialect, recordedSession(session))
  if (given !== undefined) return { tokens: given, scale, source: 'given' }
  return samples === 0 ? { tokens: 0, source: 'unknown' } : { tokens: overhead, scale, source: 'estimated' }
}

/** An imported session as the library replays it. */
export function recordedSession(session: ConversationInput['session']): RecordedSession<object> {
  const items = session.items.map(({ item }) => item as object)
  return { ...session, items }
}
