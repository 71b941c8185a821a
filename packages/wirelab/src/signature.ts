import { asFields } from './json-fields.ts'
import { openText, sealText } from './sealed-text.ts'

/** What a signature of the simulator says about the thinking block that it was issued for. */
export interface SignedThinking {
  /** Hash of the thinking text. */
  readonly block: string
  /** Hash of everything that stood before the block: system, tools, messages, without thinking. */
  readonly prefix: string
  /** `block` of the thinking before it, empty where there was none: blocks between others may not leave. */
  readonly previous: string
  /** How many thinking blocks stood before it in the open turn, other answers' included. */
  readonly inTurn: number
  /** Which answer the block belongs to, and the how manieth thinking block of it it is. */
  readonly answer: string
  readonly ordinal: number
  /** Ids of the calls that stood behind the block in its answer: it stays before them. */
  readonly calls: readonly string[]
}

const MARK = 'WIRELAB1'

/** A signature that only this simulator can read; opaque to the client, as a provider's is. */
export function issueSignature(signed: SignedThinking): string {
  const { block, prefix, previous, inTurn, answer, ordinal, calls } = signed
  return sealText(MARK, JSON.stringify([block, prefix, previous, inTurn, answer, ordinal, calls]))
}

/** What a signature says; `foreign`: another provider issued it; `broken`: it was ours, and somebody changed it. */
export function readSignature(signature: string): SignedThinking | 'foreign' | 'broken' {
  const opened = openText(MARK, signature)
  if (typeof opened === 'string') return opened
  const [block, prefix, previous, inTurn, answer, ordinal, calls] = JSON.parse(opened.text) as SignedFields
  return { block, prefix, previous, inTurn, answer, ordinal, calls }
}

type SignedFields = readonly [string, string, string, number, string, number, readonly string[]]

/** Does the caller allow the provider to leave out thinking that no longer belongs where it stands? */
export function dropsUnboundThinking(body: unknown): boolean {
  const thinking = asFields(asFields(body)?.thinking)
  return asFields(thinking?.block_binding)?.prefix_mismatch_behavior === 'drop_block'
}
