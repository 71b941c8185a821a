import { PalimpsestError } from '../errors.ts'
import type { ReadItems } from '../plan/render.ts'
import { Ledger, type MeasuredMessage, measureMessage, type TokenMeter } from '../tokens/ledger.ts'
import { GroupIndex, type MessageGroup } from './groups.ts'
import type { Lens, MessageView } from './message.ts'

/**
 * The append-only transcript with everything that is derived from it: readings, groups, ledger. Appending costs only what
 * is new; nothing is read twice. It holds references to the items and never changes them.
 *
 * @example
 * const meter = dialectMeter(anthropicMessages, 'claude-sonnet-4-5', 'mean')
 * const transcript = new Transcript(anthropicMessages, meter, [{ role: 'user', content: 'Fix the build.' }])
 * transcript.lastUserMessage // 0
 */
export class Transcript<Item extends object = object> implements ReadItems<Item> {
  readonly lens: Lens<Item>
  #ledger: Ledger
  #items: Item[] = []
  #groups = new GroupIndex()
  /** Units of items by identity: the transcript's own, and those that edits and summaries made. */
  #known = new WeakMap<object, number>()

  constructor(lens: Lens<Item>, meter: TokenMeter, items: Iterable<Item> = []) {
    this.lens = lens
    this.#ledger = new Ledger(meter)
    this.append(items)
  }

  get ledger(): Ledger {
    return this.#ledger
  }

  get length(): number {
    return this.#items.length
  }

  get items(): readonly Item[] {
    return this.#items
  }

  get groups(): readonly MessageGroup[] {
    return this.#groups.groups
  }

  /** Position of the last message of the user's own words, if there is one. */
  get lastUserMessage(): number | undefined {
    return this.#groups.lastUserMessage
  }

  /** Appends items behind the last one. @throws PalimpsestError `invalid-input` for what is no object. */
  append(items: Iterable<Item>): this {
    for (const item of items) {
      if (!isItem(item)) throw noItem(item, this.length)
      const view = this.lens.view(item)
      this.#items.push(item)
      this.#groups.push(view)
      const measured = this.ledger.append(view, this.#groups.groups.at(-1)?.turn ?? 0)
      this.#known.set(item, measured.units)
    }
    return this
  }

  /**
   * The same transcript with these objects as its items: equal to its own in content, but parsed anew, so that what goes out
   * is spliced from the text they came in. Shares every reading; for use until either of the two grows.
   * @throws RangeError when there are not as many.
   */
  withItems(items: readonly Item[]): Transcript<Item> {
    if (items.length !== this.length) throw new RangeError(`There are ${this.length} items, not ${items.length}.`)
    const twin = new Transcript<Item>(this.lens, this.ledger.meter)
    twin.#ledger = this.#ledger
    twin.#groups = this.#groups
    twin.#known = this.#known
    twin.#items = [...items]
    items.forEach((item, position) => {
      this.#known.set(item, this.#ledger.message(position).units)
    })
    return twin
  }

  /** The native item itself. @throws RangeError outside of the transcript. */
  item(position: number): Item {
    const item = this.#items[position]
    if (item === undefined) throw new RangeError(`Position ${position} is outside of ${this.length} items.`)
    return item
  }

  /** The item as the lens reads it. @throws RangeError outside of the transcript. */
  view(position: number): MessageView {
    return this.ledger.message(position).view
  }

  /** The item with its tokens, in units. @throws RangeError outside of the transcript. */
  measured(position: number): MeasuredMessage {
    return this.ledger.message(position)
  }

  /** Units of laid-out items; an item that was measured before costs a look, what a provider's compaction replaced nothing. */
  unitsOf(items: readonly Item[]): number {
    let sum = 0
    for (let index = this.lens.obsoleteBefore?.(items) ?? 0; index < items.length; index++) {
      const item = items[index] as Item
      let units = this.#known.get(item)
      if (units === undefined) {
        units = measureMessage(this.lens.view(item), this.ledger.meter).units
        this.#known.set(item, units)
      }
      sum += units
    }
    return sum
  }
}

/** Can this be a message? Whatever a caller sends in a list of them. */
export function isItem(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function noItem(value: unknown, position: number): PalimpsestError {
  const what = value === null ? 'null' : `a ${typeof value}`
  return new PalimpsestError('invalid-input', `Message ${position} of the conversation is ${what}, no object.`, {
    hint: 'Send messages as objects, as their wire format has them.',
  })
}
