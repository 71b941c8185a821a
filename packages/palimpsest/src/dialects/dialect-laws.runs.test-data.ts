import type fc from 'fast-check'
import { expect } from 'vitest'
import type { Conversation, MessageView, PartEdit, PartView, RenderContext } from '../engine/messages/message.ts'
import type { ReadItems } from '../engine/plan/render.ts'
import type { Dialect } from './dialect.ts'

/** What a dialect says about itself to the laws. Whatever it does not keep carries its reason. */
export interface LawOptions {
  /** Anything that may stand where an item should: known fields with any value in them, and any value. */
  readonly hostile: fc.Arbitrary<unknown>
  /** Keys of an item under which its parts stand: what stands under any other key no edit may touch. */
  readonly partKeys: readonly string[]
  /** Cache marks that the request spends, and the most it may. Absent: the format has none. */
  readonly marks?: { count(view: Conversation<object>): number; readonly most: number }
  /** Fields of an item that its fingerprint does not see, with the reason. */
  readonly unseen?: { readonly fields: readonly string[]; readonly reason: string }
  /** Rules that a view may break once groups left: the ladder then takes another boundary. With the reason. */
  readonly refusals?: { readonly [rule: string]: string }
  /** A result's new text stands inside an object: why. */
  readonly resultText?: string
  /** Arguments that no edit changes, by their keys: why. */
  readonly fixedArguments?: { readonly keys: readonly string[]; readonly reason: string }
  /** Native elements beside the parts that may leave with one: why. */
  readonly goesAlong?: { readonly isIt: (element: object) => boolean; readonly reason: string }
  /** What removing reasoning also does to the parts behind it: why. */
  readonly loosensBehindReasoning?: string
  /** Laws that have nothing to say about this format, with the reason. */
  readonly silent?: { readonly [law: string]: string }
}

/** One generated request, opened and read. Everything in it is frozen. */
export interface LawRun {
  readonly dialect: Dialect<unknown, object>
  readonly request: unknown
  readonly conversation: Conversation<object>
  readonly items: readonly object[]
  readonly views: readonly MessageView[]
  /** Is the request legal where roles must alternate? */
  readonly isStrict: boolean
  readonly dice: Dice
  readonly options: LawOptions
}

/** Throws where it does not hold; tells whether there was anything to say. */
export interface Law {
  readonly name: string
  /** Asked of every second request only: it renders or writes the whole request more than once, and that is what costs. */
  readonly isDear?: true
  readonly holds: (run: LawRun) => 'nothing to say' | undefined
}

/** A number from 0 to below `sides`, another one at each call. */
export type Dice = (sides: number) => number

/** The same row of numbers for the same luck (mulberry32). */
export function diceOf(luck: number): Dice {
  let state = luck >>> 0
  return (sides) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides
  }
}

/** Any context in which the request itself is legal. */
export function contextOf({ isStrict, dice }: LawRun): RenderContext {
  const bindings = ['none', 'turn', 'prefix'] as const
  return { thinkingBinding: bindings[dice(3)] ?? 'turn', strictAlternation: isStrict && dice(2) === 0 }
}

/** `toEqual` for JSON, at a fraction of its cost where both are equal: laws compare thousands of readings. */
export function expectSame(actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) expect(actual).toEqual(expected)
}

/** `toBe`, at no cost where it holds. */
export function expectIs(actual: unknown, expected: unknown): void {
  if (!Object.is(actual, expected)) expect(actual).toBe(expected)
}

export function at<T>(list: readonly T[], index: number): T {
  const found = list[index]
  if (found === undefined) throw new RangeError(`There is no element ${index} among ${list.length}.`)
  return found
}

/** The first `length` items with their readings. */
export function readItems({ items, views }: LawRun, length = items.length): ReadItems<object> {
  return { length, item: (position) => at(items, position), view: (position) => at(views, position) }
}

/** Everything that the engine learns of a part. */
export function readPart(part: PartView): object {
  return { ...part, text: part.text(), bytes: part.bytes() }
}

export function readView({ parts, ...view }: MessageView): object {
  return { ...view, parts: parts.map(readPart) }
}

/** One edit of each kind for a part; a call gets its arguments with shorter strings, but for those under `fixed` keys. */
export function editsOf(view: MessageView, part: number, fixed: readonly string[] = []): readonly PartEdit[] {
  const before = view.parts[part]
  const text = before?.kind === 'tool-call' ? shortened(before.text(), fixed) : 'short [cut] 短'
  return [
    { kind: 'remove', part },
    { kind: 'replace-text', part, text },
    { kind: 'replace-result', part, text },
    { kind: 'replace-media', part, media: 'image', text },
    { kind: 'replace-media', part, media: 'document', text },
  ]
}

function shortened(text: string, fixed: readonly string[]): string {
  const shorter = (key: string, value: unknown) =>
    typeof value === 'string' && !fixed.includes(key) ? [...value].slice(0, 3).join('') : value
  try {
    return JSON.stringify(JSON.parse(text, shorter))
  } catch {
    return [...text].slice(0, 3).join('')
  }
}

/** Does JSON text say all of the value? Binary data, addresses and absent values it does not. */
export function isJsonValue(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0)
  if (Array.isArray(value)) return value.every(isJsonValue)
  if (typeof value !== 'object') return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return (prototype === Object.prototype || prototype === null) && Object.values(value).every(isJsonValue)
}

/** The value with the keys of every object in reverse order. */
export function reversedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversedKeys)
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, reversedKeys(inner)] as const)
  return Object.fromEntries(entries.reverse())
}
