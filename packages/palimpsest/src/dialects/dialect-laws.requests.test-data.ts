import { expect } from 'vitest'
import { clipJsonText } from '../engine/json/clip-json.ts'
import { parseJson } from '../engine/json/json-source.ts'
import { spliceJson } from '../engine/json/splice.ts'
import type { MessageView, PartEdit } from '../engine/messages/message.ts'
import { EXACT, EXACT_TEXT } from './arbitrary-parts.test-data.ts'
import type { Dialect } from './dialect.ts'
import {
  at,
  type Dice,
  editsOf,
  expectSame,
  isJsonValue,
  type Law,
  type LawRun,
} from './dialect-laws.runs.test-data.ts'

/** Laws about a request as a whole: opened, checked, closed, marked, written. */
export const REQUEST_LAWS: readonly Law[] = [
  { name: 'a valid request is recognised, and the check is silent', holds: isAccepted },
  { name: 'an opened request closes to the very same object', holds: closesToItself },
  { name: 'a request takes the items of the view and keeps every other field', holds: takesItems },
  { name: 'the output cap is lowered where there is one, and never raised', holds: lowersCap },
  { name: 'pointers to a history at the provider leave only with a view that says it is whole', holds: clearsHistory },
  {
    name: 'cache marks: few, beside those of the caller, on the named item and the stable system alone, unseen by fingerprints',
    holds: marks,
    isDear: true,
  },
  { name: 'on the wire, nothing that was not edited changes a byte', holds: splices, isDear: true },
]

function isAccepted({ dialect, request, conversation, items }: LawRun): undefined {
  expect(dialect.check(conversation)).toEqual([])
  expect(dialect.recognises(request)).toBeGreaterThan(0)
  expect(items.length).toBeGreaterThan(0)
  expect(items.length).toBeLessThanOrEqual(60)
}

function closesToItself({ dialect, request, conversation }: LawRun): undefined {
  expect(dialect.close(request, conversation)).toBe(request)
  const { system, items } = conversation
  const copied = dialect.close(request, { ...conversation, system: [...system], items: [...items] })
  expect(copied).toBe(request)
}

function takesItems({ dialect, request, conversation, items, dice }: LawRun): undefined {
  const kept = items.slice(dice(items.length))
  const closed = dialect.close(request, { ...conversation, items: kept })
  const again = dialect.open(closed)
  // A system message may have come to stand in front of all others.
  const all = [...conversation.system, ...kept]
  expectSame([...again.system, ...again.items], all)
  expect({ ...again, system: [], items: [] }).toEqual({ ...conversation, system: [], items: [] })
  if (Array.isArray(request)) return
  const others = (body: unknown) => Object.entries(body as object).filter(([key]) => key !== dialect.itemsKey)
  expect(others(closed)).toEqual(others(request))
}

function lowersCap({ dialect, request, conversation }: LawRun): 'nothing to say' | undefined {
  const { outputCap } = conversation
  expect(dialect.close(request, { ...conversation, outputCap: (outputCap ?? 0) + 1 })).toBe(request)
  if (outputCap === undefined || outputCap < 2) return 'nothing to say'
  const half = Math.ceil(outputCap / 2)
  const closed = dialect.close(request, { ...conversation, outputCap: half })
  expect(dialect.open(closed)).toEqual({ ...conversation, outputCap: half })
  return undefined
}

function clearsHistory({ dialect, request, conversation }: LawRun): 'nothing to say' | undefined {
  const { historyOnServer, ...unsaid } = conversation
  expect(dialect.close(request, unsaid)).toBe(request)
  const whole = dialect.close(request, { ...conversation, historyOnServer: false })
  if (historyOnServer !== true) {
    expect(whole).toBe(request)
    return 'nothing to say'
  }
  expect(dialect.open(whole)).toEqual(unsaid)
  return undefined
}

function marks({ dialect, conversation, items, dice, options }: LawRun): 'nothing to say' | undefined {
  const stable = dice(conversation.system.length + 2)
  const place = { system: [true, false, { stable }][dice(3)] ?? false, item: dice(items.length) }
  const marked = dialect.markCache(conversation, place)
  if (options.marks === undefined) {
    expect(marked).toBe(conversation)
    return 'nothing to say'
  }
  const { count, most } = options.marks
  const [before, after] = [count(conversation), count(marked)]
  expect(after).toBeLessThanOrEqual(Math.max(most, before))
  const [item, ours] = [at(items, place.item), at(marked.items, place.item)]
  expect(marked.items.filter((one, position) => one !== items[position] && position !== place.item)).toEqual([])
  // what is not stable stays behind the mark, as it is
  const behind = place.system === true ? 0 : Math.max(0, conversation.system.length - stable)
  if (place.system === false) expectSame(marked.system, conversation.system)
  else if (behind > 0) expectSame(marked.system.slice(-behind), conversation.system.slice(-behind))
  const alone = (one: object) => count({ system: [], items: [one] })
  expect(alone(ours)).toBeGreaterThanOrEqual(alone(item))
  expect(dialect.fingerprint(ours)).toBe(dialect.fingerprint(item))
  if (after === before) return 'nothing to say'
  expect(dialect.check(marked)).toEqual([])
  expect(count(dialect.markCache(marked, place))).toBe(after)
  return undefined
}

/** Values that a parser would change stand in the text; whatever is edited, what is left of them stands there still. */
function splices({ dialect, request, dice }: LawRun): 'nothing to say' | undefined {
  if (!isJsonValue(request)) return 'nothing to say'
  const source = parseJson(JSON.stringify(request).replaceAll(MARK, EXACT_TEXT))
  const opened = dialect.open(source.value)
  expect(spliceJson(source, dialect.close(source.value, opened))).toBe(source.text)
  const items = opened.items.flatMap((item) => edited(dialect, item, dice))
  const closed = dialect.close(source.value, { ...opened, items })
  const text = spliceJson(source, closed)
  const plain = JSON.stringify(closed)
  expect(JSON.stringify(JSON.parse(text))).toBe(plain)
  expect(countOf(text, ROUNDED_TEXT)).toBe(0)
  expect(countOf(text, EXACT_TEXT)).toBe(countOf(plain, EXACT_TEXT) + countOf(plain, ROUNDED_TEXT))
  return countOf(text, EXACT_TEXT) === 0 || text === source.text ? 'nothing to say' : undefined
}

/** Also inside arguments that are JSON in a string. */
const MARK = new RegExp(`\\\\?"${EXACT}\\\\?"`, 'g')
const ROUNDED_TEXT = JSON.stringify(JSON.parse(EXACT_TEXT))

function countOf(text: string, piece: string): number {
  return text.split(piece).length - 1
}

/** The item with a few of its parts edited; calls have their long strings cut, as the engine cuts them. */
function edited(dialect: Dialect<unknown, object>, item: object, dice: Dice): readonly object[] {
  const view = dialect.view(item)
  const edits = view.parts.flatMap((_, part): PartEdit[] => (dice(3) === 0 ? [editOf(view, part, dice)] : []))
  const next = dialect.edit(item, edits)
  return next === undefined ? [] : [next]
}

function editOf(view: MessageView, part: number, dice: Dice): PartEdit {
  const { kind, text } = at(view.parts, part)
  const clipped = kind === 'tool-call' ? clipJsonText(text(), { maxStringChars: 8, marker: () => '…' }) : undefined
  const edits = editsOf(view, part)
  const edit = at(edits, dice(edits.length))
  return edit.kind === 'replace-text' ? { ...edit, text: clipped ?? edit.text } : edit
}
