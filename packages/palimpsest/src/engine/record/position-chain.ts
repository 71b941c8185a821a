import type { Lens, MessageView } from '../messages/message.ts'
import { hasPosition, type PositionSet } from '../plan/position-set.ts'
import { sha256 } from './sha256.ts'

/**
 * Hash chain over the items of a transcript: entry n identifies the first n items, whatever follows. Two transcripts have
 * entry n in common exactly when their first n items have equal fingerprints. Appending costs only what is new.
 *
 * @example
 * const chain = new PositionChain(anthropicMessages, transcript.items)
 * chain.at(chain.length)
 */
export class PositionChain<Item extends object> {
  readonly #lens: Lens<Item>
  readonly #hashes: string[] = [sha256('palimpsest chain')]
  readonly #fingerprints: string[] = []

  constructor(lens: Lens<Item>, items: Iterable<Item> = []) {
    this.#lens = lens
    this.append(items)
  }

  get length(): number {
    return this.#fingerprints.length
  }

  /** Appends items behind the last one. */
  append(items: Iterable<Item>): this {
    for (const item of items) {
      const fingerprint = sha256(this.#lens.fingerprint(item))
      this.#fingerprints.push(fingerprint)
      this.#hashes.push(sha256(this.#hashes.at(-1) + fingerprint))
    }
    return this
  }

  /** The hash of the first `length` items. @throws RangeError beyond the end. */
  at(length: number): string {
    const hash = this.#hashes[length]
    if (hash === undefined) throw new RangeError(`The chain has ${this.length} items, not ${length}.`)
    return hash
  }

  /** The hash of the item at this position alone; empty beyond the end. */
  fingerprint(position: number): string {
    return this.#fingerprints[position] ?? ''
  }
}

/**
 * The hash by which a record finds its transcript again after the caller edited items that the record drops: items in
 * `drop` count only by role and call ids, all others in full.
 */
export function anchorHash<Item extends object>(
  chain: PositionChain<Item>,
  view: (position: number) => MessageView,
  drop: PositionSet,
  extent: number,
): string {
  const marks = Array.from({ length: extent }, (_, position) =>
    hasPosition(drop, position) ? shapeOf(view(position)) : chain.fingerprint(position),
  )
  return sha256(marks.join('\n'))
}

function shapeOf(view: MessageView): string {
  const calls = view.parts.flatMap((part) => (part.callId === undefined ? [] : [`${part.kind} ${part.callId}`]))
  return JSON.stringify([view.role, ...calls])
}
