import type { JsonSource } from './json-source.ts'
import { type JsonSpans, type Span, spansOf } from './json-spans.ts'
import { isContainer, type Originals, originalsOf, valueAt } from './splice-originals.ts'
import { wellFormed } from './well-formed.ts'

/**
 * JSON text of `next`, a value made from `source.value` without changing it. What is the same object as in the source is
 * copied from its text byte for byte (64-bit integers, `1.0`, escapes and white space survive), wherever it stands now;
 * so are numbers and strings that did not change, where what holds them was derived (`derive`, `deriveList`) or stands
 * under the same key. New parts are written compactly and well-formed. The value of the source itself gives its text.
 * Throws `TypeError` when the text is not the one that the value was parsed from, or `next` is no JSON value.
 *
 * @example
 * const source = parseJson('{"id": 12345678901234567890, "tags": ["a"]}')
 * const value = source.value as object
 * spliceJson(source, { ...value, tags: [] }) // '{"id":12345678901234567890,"tags":[]}'
 */
export function spliceJson(source: JsonSource, next: unknown): string {
  return splicedPieces(source, next).join('')
}

/** The same text in the pieces that it is put together from: who writes bytes need not join megabytes first. */
export function splicedPieces(source: JsonSource, next: unknown): readonly string[] {
  if (Object.is(next, source.value)) return [source.text]
  if (!isContainer(next)) return [scalar(next) ?? noJson()]
  if (!isContainer(source.value)) return [JSON.stringify(next)]
  const originals = originalsOf(source.value, next)
  const spans = spansOf(source.text, source.value, originals.open)
  const pieces: string[] = []
  write({ text: source.text, spans, originals, pieces }, next)
  return pieces
}

interface Splice {
  readonly text: string
  readonly spans: JsonSpans
  readonly originals: Originals
  /** What is written so far. */
  readonly pieces: string[]
}

function write(splice: Splice, value: object): void {
  const original = splice.originals.of.get(value)
  const place = original === value ? splice.spans.places.get(value) : undefined
  if (place !== undefined) splice.pieces.push(slice(splice, place))
  else if (Array.isArray(value)) writeArray(splice, value, original)
  else writeObject(splice, value, original)
}

function writeArray(splice: Splice, list: readonly unknown[], original: object | undefined): void {
  const { pieces } = splice
  const kept = keptScalars(splice, list, original)
  pieces.push('[')
  for (const [i, element] of list.entries()) {
    if (i > 0) pieces.push(',')
    const span = kept[i]
    if (isContainer(element)) write(splice, element)
    else pieces.push(span === undefined ? (scalar(element) ?? 'null') : slice(splice, span))
  }
  pieces.push(']')
}

/** For the elements that are no arrays or objects: where equal ones stand in the original list, going forward through it. */
function keptScalars(
  { spans }: Splice,
  list: readonly unknown[],
  original: object | undefined,
): readonly (Span | undefined)[] {
  const found = original && spans.containers.get(original)
  if (found?.kind !== 'array' || !Array.isArray(original) || list.every(isContainer)) return []
  const places = new Map<unknown, Place[]>()
  for (const [i, scalar] of original.entries()) {
    const span = found.elements[i]
    if (span === undefined || isContainer(scalar) || Object.is(scalar, -0)) continue
    const equal = places.get(scalar)
    if (equal === undefined) places.set(scalar, [{ i, span }])
    else equal.push({ i, span })
  }
  return forwardPlaces(list, places)
}

interface Place {
  readonly i: number
  readonly span: Span
}

/** The places of each value, in ascending order, are used up from the front, so that the whole costs one walk. */
function forwardPlaces(
  list: readonly unknown[],
  places: ReadonlyMap<unknown, readonly Place[]>,
): readonly (Span | undefined)[] {
  const passed = new Map<unknown, number>()
  let from = 0
  return list.map((element) => {
    const equal = isContainer(element) || Object.is(element, -0) ? [] : (places.get(element) ?? [])
    let next = passed.get(element) ?? 0
    while (next < equal.length && (equal[next]?.i ?? 0) < from) next++
    passed.set(element, next)
    const place = equal[next]
    if (place === undefined) return equal[0]?.span
    from = place.i + 1
    return place.span
  })
}

function writeObject(splice: Splice, record: object, original: object | undefined): void {
  const { pieces } = splice
  const spans = original && splice.spans.containers.get(original)
  const members = spans?.kind === 'object' ? spans.members : undefined
  let opening = '{'
  for (const [key, value] of Object.entries(record)) {
    const member = members?.get(key)
    const copied = member !== undefined && Object.is(valueAt(original, key), value) ? member.value : undefined
    const text = isContainer(value) ? '' : copied ? slice(splice, copied) : scalar(value)
    if (text === undefined) continue
    pieces.push(`${opening}${member === undefined ? JSON.stringify(key) : slice(splice, member.key)}:`)
    if (isContainer(value)) write(splice, value)
    else pieces.push(text)
    opening = ','
  }
  pieces.push(opening === '{' ? '{}' : '}')
}

function slice({ text }: Splice, span: Span): string {
  return text.slice(span.start, span.end)
}

function scalar(value: unknown): string | undefined {
  return JSON.stringify(typeof value === 'string' ? wellFormed(value) : value)
}

function noJson(): never {
  throw new TypeError('There is no JSON text for this value.')
}
