import type { Conversation } from '../engine/messages/message.ts'
import { sha256 } from '../engine/record/sha256.ts'
import { requestOverhead } from '../engine/tokens/request-overhead.ts'
import type { Meters } from './branch.ts'
import { sameJson } from './same-json.ts'

/** Tokens of what no plan changes. */
export interface MeasuredOverhead {
  readonly mean: number
  readonly upper: number
  /** Names the tool definitions: equal for equal ones. */
  readonly tools: string
}

const NO_TOOLS = 'none'
/** Different system texts and tool lists that are remembered: a few agents of one process. */
const REMEMBERED = 32

interface Entry extends MeasuredOverhead {
  readonly family: string
  readonly system: readonly unknown[]
  readonly definitions: readonly unknown[] | undefined
}

/** Measures system and tools once for as long as they stay the same, whatever object they come in. */
export class OverheadMemory {
  #entries: readonly Entry[] = []

  measure(conversation: Conversation<unknown>, meters: Meters, family: string): MeasuredOverhead {
    const { system, tools: definitions } = conversation
    const known = this.#entries.find(
      (one) => one.family === family && sameJson(one.system, system) && sameJson(one.definitions, definitions),
    )
    if (known !== undefined) return known
    const mean = requestOverhead(conversation, meters.mean)
    const upper = requestOverhead(conversation, meters.upper)
    const entry: Entry = {
      mean: mean.system + mean.tools,
      upper: upper.system + upper.tools,
      tools: definitions === undefined ? NO_TOOLS : sha256(JSON.stringify(definitions)),
      family,
      system,
      definitions,
    }
    this.#entries = [entry, ...this.#entries].slice(0, REMEMBERED)
    return entry
  }
}
