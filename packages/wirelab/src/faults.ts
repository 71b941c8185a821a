import type { CallPurpose } from './lab-call.ts'
import { refusalWording } from './overflow-wordings.ts'

/** A failure to inject, as data. */
export type Fault = FaultKind & {
  /** How many matching calls it hits. Default 1. */
  readonly times?: number
  /** How many matching calls pass before the first one is hit. Default 0. */
  readonly after?: number
  /** Only calls of this purpose. Default: both. */
  readonly only?: CallPurpose
}

/**
 * Where an answer breaks: instead of it, in a stream before its first content, or behind its first content. The latter
 * two only hit calls that stream.
 */
export type FaultPlace = 'before-first-byte' | 'before-content' | 'mid-stream'

/** What goes wrong. */
export type FaultKind =
  | {
      readonly kind: 'overflow'
      readonly when: FaultPlace
      /** The window that the refusal states, in tokens. Default: the simulator's. */
      readonly window?: number
      /** A row of the overflow table, before the first byte only. Default: the API's own. */
      readonly wording?: string
    }
  | { readonly kind: 'rate-limit'; readonly body: boolean }
  | { readonly kind: '413-html' }
  | { readonly kind: '413' }
  | { readonly kind: '529'; readonly when?: FaultPlace }
  | { readonly kind: 'reasoning-bound' }
  /** Nothing more comes until the client goes away. Default `mid-stream`. */
  | { readonly kind: 'stall'; readonly when?: FaultPlace }
  /** The connection breaks off behind the first content. */
  | { readonly kind: 'disconnect' }

/** Faults that wait for the calls that they hit, first in first out. */
export class FaultQueue {
  #waiting: Waiting[] = []

  /** @throws RangeError, PalimpsestError `invalid-input` for a fault that makes no sense. */
  add(fault: Fault): void {
    const times = fault.times ?? 1
    if (!(times >= 1)) throw new RangeError(`a fault hits at least one call, not ${times}`)
    if (fault.kind === 'overflow' && fault.wording !== undefined) refusalWording(fault.wording)
    this.#waiting.push({ fault, left: times, pass: fault.after ?? 0 })
  }

  /** The fault that hits this call, if any; it is used up by that. */
  take(call: { readonly purpose: CallPurpose; readonly stream: boolean }): Fault | undefined {
    const hit = this.#waiting.find((one) => matches(one.fault, call))
    if (hit === undefined) return undefined
    if (hit.pass > 0) {
      hit.pass -= 1
      return undefined
    }
    hit.left -= 1
    if (hit.left < 1) this.#waiting = this.#waiting.filter((one) => one !== hit)
    return hit.fault
  }

  get size(): number {
    return this.#waiting.length
  }
}

interface Waiting {
  readonly fault: Fault
  left: number
  pass: number
}

function matches(fault: Fault, call: { readonly purpose: CallPurpose; readonly stream: boolean }): boolean {
  if (fault.only !== undefined && fault.only !== call.purpose) return false
  return call.stream || placeOf(fault) === 'before-first-byte'
}

/** Where this fault breaks the answer. */
export function placeOf(fault: FaultKind): FaultPlace {
  switch (fault.kind) {
    case 'overflow':
      return fault.when
    case '529':
      return fault.when ?? 'before-first-byte'
    case 'stall':
      return fault.when ?? 'mid-stream'
    case 'disconnect':
      return 'mid-stream'
    default:
      return 'before-first-byte'
  }
}
