import fc from 'fast-check'
import { PalimpsestError } from 'palimpsest'
import { describe, expect, test } from 'vitest'
import { importSessionText } from './import-session.ts'
import type { ImportedSession } from './imported-session.ts'
import { evaluation, step as openHandsStep, userMessage } from './openhands/openhands-session.test-data.ts'
import { itemsOf, jsonLines } from './session-text.test-data.ts'

/** A format, as a conversation of so many steps stands in its files. */
interface RunFormat {
  /** Records of a conversation: what it says first, then those of each step. */
  readonly records: (steps: number) => readonly object[]
  /** A whole file. */
  readonly file: (records: readonly unknown[]) => object
  /** Why what is left of a torn file cannot be read; undefined: its records tell by themselves what they are. */
  readonly lost?: string
}

const call = (id: string) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } })

const FORMATS: Readonly<Record<string, RunFormat>> = {
  'tau-bench': {
    records: (steps) => [
      { role: 'user', content: 'Why?' },
      ...numbers(steps).flatMap((at) => [
        { role: 'assistant', content: null, tool_calls: [call(`c${at % 2}`)] },
        { role: 'tool', tool_call_id: `c${at % 2}`, name: 'look', content: `seen ${at}` },
      ]),
    ],
    file: (traj) => ({ task_id: 1, reward: 0, traj, trial: 0 }),
    lost: 'its messages look like those of other formats',
  },
  'swe-agent': {
    records: (steps) => [
      { role: 'user', content: 'Why?', agent: 'main' },
      ...numbers(steps).flatMap((at) => [
        { role: 'assistant', content: 'Look.', agent: 'main', tool_calls: [call(`c${at % 2}`)] },
        { role: 'tool', content: `seen ${at}`, agent: 'main', tool_call_ids: [`c${at % 2}`] },
      ]),
    ],
    file: (history) => ({ environment: 'e', trajectory: [], history, info: {} }),
  },
  openhands: {
    records: (steps) => [
      userMessage(1, 'Why?'),
      ...numbers(steps).flatMap((at) => openHandsStep(2 * at + 2, `c${at}`)),
    ],
    file: (history) => evaluation(history),
  },
  langsmith: {
    records: (steps) => [
      { type: 'human', data: { content: 'Why?' } },
      ...numbers(steps).flatMap((at) => [
        { type: 'ai', data: { content: '', tool_calls: [{ id: `c${at}`, name: 'look', args: {} }], id: `m${at}` } },
        { type: 'tool', data: { content: `seen ${at}`, tool_call_id: `c${at}` } },
      ]),
    ],
    file: (messages) => ({ id: 'r', run_type: 'llm', inputs: { messages }, outputs: {} }),
    lost: 'its messages look like those of other formats',
  },
}

/** What no format takes for a record. */
const junk = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    '',
    'user',
    [],
    {},
    [[]],
    { role: null },
    { role: 'user' },
    { type: 'x', content: '' },
  ),
  fc.dictionary(
    fc.constantFrom('role', 'type', 'id', 'args', 'kwargs', 'data', 'lc', 'cause'),
    fc.constantFrom(null, 0, []),
  ),
)

describe.each(Object.entries(FORMATS))('%s', (name, format) => {
  const { records, file, lost } = format
  const steps = fc.integer({ min: 1, max: 5 })

  test('law: junk among its records costs no other record anything', () => {
    fc.assert(
      fc.property(steps, fc.array(fc.tuple(fc.nat(), junk), { maxLength: 6 }), fc.boolean(), (count, odd, isWide) => {
        const list: unknown[] = [...records(count)]
        for (const [at, piece] of odd) list.splice(1 + (at % list.length), 0, piece)
        const session = importSessionText(JSON.stringify(file(list), null, isWide ? 1 : 0), { format: name as never })
        expect(itemsOf(session)).toEqual(itemsOf(importSessionText(JSON.stringify(file(records(count))))))
        expect(countSkipped(session)).toBe(odd.length)
      }),
      { numRuns: 100 },
    )
  })

  test('law: a record that is gone takes nothing with it', () => {
    fc.assert(
      fc.property(steps, fc.nat(), (count, at) => {
        const whole = records(count)
        const gone = 1 + (at % (whole.length - 1))
        const session = importSessionText(JSON.stringify(file(whole.toSpliced(gone, 1))))
        const all = itemsOf(importSessionText(JSON.stringify(file(whole))))
        expect(sorted(itemsOf(session))).toEqual(sorted(all.toSpliced(gone, 1)))
      }),
      { numRuns: 50 },
    )
  })

  test('law: of files on lines, a torn line costs no other line anything', () => {
    const damage = fc.constantFrom('torn', 'noise', 'glued')
    fc.assert(
      fc.property(fc.array(steps, { minLength: 2, maxLength: 4 }), fc.nat(), damage, (counts, at, kind) => {
        const lines = counts.map((count) => jsonLines([file(records(count))]))
        const broken = at % lines.length
        const session = importSessionText(lines.with(broken, damagedLine(lines[broken] ?? '', kind)).join(''))
        const longest = Math.max(...counts.toSpliced(broken, 1))
        expect(session.items.length).toBeGreaterThanOrEqual(longest * 2 + 1)
      }),
      { numRuns: 50 },
    )
  })

  const reason = lost === undefined ? '' : ` (skipped: ${lost})`
  test.skipIf(lost !== undefined)(`law: of a torn document everything is read that is whole${reason}`, () => {
    fc.assert(
      fc.property(steps, fc.double({ min: 0, max: 1, noNaN: true }), fc.boolean(), (count, cut, isWide) => {
        const { text, ends } = written(format, count, isWide ? 1 : 0)
        const torn = text.slice(0, Math.floor(text.length * cut))
        const whole = records(count).filter((_, at) => (ends[at] ?? 0) <= torn.length)
        if (whole.length === 0) return
        expect(itemsOf(importSessionText(torn))).toEqual(itemsOf(importSessionText(JSON.stringify(file(whole)))))
      }),
      { numRuns: 100 },
    )
  })

  test('law: whatever is cut out of a file or written over it, it is read or refused', () => {
    fc.assert(
      fc.property(steps, fc.nat(), fc.nat({ max: 40 }), fc.string({ maxLength: 5 }), (count, at, length, noise) => {
        const text = JSON.stringify(file(records(count)), null, at % 2)
        const place = at % text.length
        expectReadOrRefused(text.slice(0, place) + noise + text.slice(place + length))
      }),
      { numRuns: 150 },
    )
  })
})

/** The text of a file, and where in it each record ends. */
function written({ records, file }: RunFormat, steps: number, indent: number) {
  const [head = '', tail = ''] = JSON.stringify(file(['RECORDS']), null, indent).split('"RECORDS"')
  const texts = records(steps).map((record) => JSON.stringify(record, null, indent))
  const ends = texts.map((_, at) => head.length + texts.slice(0, at + 1).join(',').length)
  return { text: `${head}${texts.join(',')}${tail}`, ends }
}

function expectReadOrRefused(text: string): void {
  try {
    const { items, calls } = importSessionText(text)
    for (const { position } of calls) expect(position).toBeLessThan(items.length)
  } catch (error) {
    if (!(error instanceof PalimpsestError)) throw error
    expect(error.code).toBe('invalid-input')
  }
}

function damagedLine(line: string, kind: string): string {
  if (kind === 'noise') return '\u0001 no JSON }{\n'
  return kind === 'glued' ? line.trimEnd() : `${line.slice(0, line.length / 3)}\n`
}

function countSkipped(session: ImportedSession): number {
  return Object.values(session.skipped).reduce((sum, { count }) => sum + count, 0)
}

function sorted(items: readonly unknown[]): string[] {
  return items.map((item) => JSON.stringify(item)).toSorted()
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at)
}
