import type { StreamEnd } from './answer-stream.ts'
import type { HttpAnswer, LabUsage, Refusal, StreamPiece, WireFormat } from './format.ts'
import type { CallRecord } from './lab-call.ts'
import type { LabState } from './lab-state.ts'
import type { SizedBlock } from './prefix-cache.ts'

/** What is done with a call: the answer, and what the record says of it. */
export interface Decision {
  readonly sends: Sends
  readonly outcome: CallRecord['outcome']
  readonly tokens: number
  readonly reason?: string
  readonly message?: string
  readonly usage?: LabUsage
}

export type Sends =
  | { readonly kind: 'http'; readonly answer: HttpAnswer }
  | { readonly kind: 'stream'; readonly pieces: readonly StreamPiece[]; readonly end: StreamEnd; readonly type: string }
  /** Not even a status, until the client goes away. */
  | { readonly kind: 'nothing' }

/** A valid call's API, its prompt with sizes, and the simulator's state. */
export interface Generating {
  readonly format: WireFormat
  readonly prompt: readonly SizedBlock[]
  readonly state: LabState
}

/** The refusal in the words of its API. */
export function refuse(format: WireFormat, refusal: Refusal, tokens: number): Decision {
  const named =
    refusal.kind === 'invalid' ? { reason: refusal.rule, message: refusal.message } : { reason: refusal.kind }
  return { ...refusedBy(format.refusal(refusal), tokens), ...named }
}

/** A refusal that is worded already. */
export function refusedBy(answer: HttpAnswer, tokens: number): Decision {
  return { sends: { kind: 'http', answer }, outcome: 'refused', tokens }
}
