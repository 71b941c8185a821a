import type { SessionSnapshot } from './session-entry.ts'
import type { SessionCounters } from './session-store.ts'

/** The counters of a session, as they are written beside its log. */
export function countersOf({ lastInputTokens, compactions }: SessionSnapshot): SessionCounters {
  return { ...(lastInputTokens !== undefined && { lastInputTokens }), compactions }
}
