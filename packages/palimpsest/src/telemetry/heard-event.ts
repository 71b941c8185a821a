/**
 * What telemetry hears: the events of a compactor, as far as it reads them. `CompactorEvent` fits, which a test checks; the compactor
 * itself is a sibling of this room.
 */
export type HeardEvent = HeardBase &
  (AppliedEvent | SummarizerEvent | OverflowEvent | UsageEvent | FailedEvent | StoreEvent | Unread)

interface HeardBase {
  readonly id: string
  readonly session: string
  readonly model?: string
  readonly upstream?: string
}

interface AppliedEvent {
  readonly type: 'compaction-applied'
  readonly reason: string
  readonly strategies: readonly string[]
  readonly tokensBefore: number
  readonly tokensAfter: number
  readonly evicted: number
  readonly historyPath?: string
  readonly truncatedArguments: number
}

interface SummarizerEvent {
  readonly type: 'summarizer-called'
  readonly by: string
  readonly asked?: string
  readonly usage: { readonly input: number; readonly output: number }
  readonly milliseconds: number
  readonly rejections?: readonly string[]
}

interface OverflowEvent {
  readonly type: 'overflow-detected'
  readonly facts: { readonly kind: string; readonly limit?: number; readonly size?: number }
  readonly attempt: number
  readonly remedy?: string
}

interface UsageEvent {
  readonly type: 'usage-observed'
  readonly usage: {
    readonly input: number
    readonly cacheRead: number
    readonly cacheWrite: number
    readonly output: number
  }
  readonly window?: number
}

interface FailedEvent {
  readonly type: 'compaction-failed'
  readonly reason: string
}

interface StoreEvent {
  readonly type: 'store-failed'
}

interface Unread {
  readonly type:
    | 'compaction-started'
    | 'compaction-cancelled'
    | 'plan-rejected'
    | 'summary-rejected'
    | 'reanchored'
    | 'rewind'
    | 'artifact-stored'
    | 'unknown-model'
}

/** An event of this type. */
export type Heard<Type extends HeardEvent['type']> = Extract<HeardEvent, { readonly type: Type }>

/** Why a compaction ran, as G1 has it: at the threshold, and cutting tool payloads was enough, is `truncate`. */
export function reasonOf({ reason, strategies }: Heard<'compaction-applied'>): string {
  const isTruncation = strategies.length > 0 && strategies.every((name) => name === 'truncateToolPayloads')
  return reason === 'threshold' && isTruncation ? 'truncate' : reason
}
