import { type Dialect, dialectMeter, type Ledger, Transcript, withInjected } from 'palimpsest'
import { type RequestOverhead, requestOverhead } from 'palimpsest/engine'
import type { StoredMessage } from './session-store.ts'

/** Tokens of a whole transcript, and of what every request has beside it. */
export interface SessionLedger {
  readonly ledger: Ledger
  /** System and tools, where the session has a frame. */
  readonly overhead?: RequestOverhead
}

/** What a ledger is measured with. */
export interface LedgerSetup {
  readonly dialect: Dialect<unknown, object>
  readonly model: string | undefined
  /** The request without its items, where the session has one. */
  readonly frame: unknown
}

/** Where the tokens of these messages are, estimated for a model. */
export function sessionLedger(
  messages: readonly StoredMessage[],
  { dialect, model, frame }: LedgerSetup,
): SessionLedger {
  const items = messages.map(({ item }) => item as object)
  const injected = new Set(items.filter((_, at) => messages[at]?.injected === true))
  const lens = withInjected(dialect, (item) => injected.has(item))
  const meter = dialectMeter(dialect, model, 'mean')
  const { ledger } = new Transcript(lens, meter, items)
  return { ledger, ...(frame !== undefined && { overhead: requestOverhead(dialect.open(frame), meter) }) }
}
