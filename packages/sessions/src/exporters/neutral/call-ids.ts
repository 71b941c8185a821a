import { createHash } from 'node:crypto'
import type { LossTally } from '../loss-tally.ts'
import type { AnsweredCall, Turn } from './turns.ts'

/** What a format takes for a call id. */
export interface CallIdRule {
  /** Characters that may not stand in one. */
  readonly refused: RegExp
  readonly maxLength: number
}

/** A call with the id that it has in the target. */
export interface NamedCall extends AnsweredCall {
  readonly id: string
}

/**
 * The turns with an id on every call: one that the target would refuse is rewritten, the same one the same way everywhere;
 * a call without one, or with that of another call of its turn, gets its own.
 */
export function withCallIds(turns: readonly Turn[], rule: CallIdRule, losses: LossTally): readonly Turn[] {
  const ids = new CallIds(rule, turns)
  return turns.map((turn) => {
    if (turn.role !== 'assistant') return turn
    const taken = new Set<string>()
    const parts = turn.parts.map((part) => {
      if (part.kind !== 'call') return part
      const id = ids.idFor(part.id, taken)
      taken.add(id)
      if (part.id !== undefined && id !== part.id) losses.add('call id (rewritten)', turn.position)
      return { ...part, id }
    })
    return { ...turn, parts }
  })
}

class CallIds {
  readonly #rule: CallIdRule
  readonly #written = new Map<string, string>()
  readonly #taken: Set<string>
  #next = 1

  constructor(rule: CallIdRule, turns: readonly Turn[]) {
    this.#rule = rule
    const calls = turns.flatMap((turn) => (turn.role === 'assistant' ? turn.parts : []))
    this.#taken = new Set(calls.flatMap((part) => (part.kind === 'call' && part.id !== undefined ? [part.id] : [])))
  }

  /** `taken`: ids of the turn so far. */
  idFor(id: string | undefined, taken: ReadonlySet<string>): string {
    const own = id === undefined ? undefined : this.#rewritten(id)
    return own === undefined || taken.has(own) ? this.#fresh() : own
  }

  #rewritten(id: string): string {
    const { refused, maxLength } = this.#rule
    const known = this.#written.get(id)
    if (known !== undefined) return known
    const clean = id.replace(refused, '_')
    const isLegal = clean === id && id.length <= maxLength
    const written = isLegal ? id : `${clean.slice(0, maxLength - MARK_LENGTH - 1)}_${markOf(id)}`
    this.#written.set(id, written)
    return written
  }

  #fresh(): string {
    let id = `call_${this.#next++}`
    while (this.#taken.has(id)) id = `call_${this.#next++}`
    this.#taken.add(id)
    return id
  }
}

/** Keeps ids apart that differ only in what the target refuses. */
const MARK_LENGTH = 8

function markOf(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, MARK_LENGTH)
}
