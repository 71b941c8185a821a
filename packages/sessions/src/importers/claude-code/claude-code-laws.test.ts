import fc from 'fast-check'
import { expect, test } from 'vitest'
import { importSessionText } from '../import-session.ts'
import { jsonLines, outline, skippedCounts } from '../session-text.test-data.ts'
import { answerLine, boundaryLine, call, resultLine, summaryLine, text, userLine } from './claude-session.test-data.ts'

type Fields = Record<string, unknown>

/** A conversation as a client has it: what it said, and the lines that it wrote, in the order in which it wrote them. */
interface Written {
  readonly lines: readonly Fields[]
  readonly outline: readonly string[]
}

/** Sizes of the steps: how many text blocks and calls an answer has, and in which order its lines come to be written. */
const step = fc.record({
  texts: fc.integer({ min: 0, max: 2 }),
  calls: fc.integer({ min: 0, max: 4 }),
  order: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 4, maxLength: 4 }),
  compacts: fc.boolean(),
})
const conversation = fc.array(step, { minLength: 1, maxLength: 3 }).map(written)

test('law: in whatever order the lines of an answer and its results were written, the items are the same', () => {
  fc.assert(
    fc.property(conversation, ({ lines, outline: said }) => {
      const session = importSessionText(jsonLines(lines))
      expect(outline(session).map(unordered)).toEqual(said.map(unordered))
      expect(session.skipped).toEqual({})
      expect(session.compactions).toHaveLength(lines.filter((line) => line.subtype === 'compact_boundary').length)
      expect(session.compactions.every((compaction) => compaction.summary !== undefined)).toBe(true)
      for (const { position } of session.calls)
        expect(session.items[position]?.item).toMatchObject({ role: 'assistant' })
    }),
    { numRuns: 200 },
  )
})

test('law: one broken line never throws, and costs no other line anything', () => {
  const damage = fc.constantFrom('torn', 'garbage', 'empty', 'torn and glued')
  fc.assert(
    fc.property(
      conversation,
      fc.nat(),
      damage,
      fc.double({ min: 0, max: 1, noNaN: true }),
      ({ lines }, at, kind, cut) => {
        const broken = at % lines.length
        const whole = lines.map((line) => JSON.stringify(line))
        const file = whole.map((line, place) => (place === broken ? damaged(line, kind, cut) : `${line}\n`)).join('')
        const left = lines.filter((_, place) => place !== broken)
        if (left.length === 0) return
        const session = importSessionText(file)
        expect(blocksIn(session.items.map(({ item }) => item as Fields)).toSorted()).toEqual(
          blocksOfLines(left).toSorted(),
        )
        expect(Object.keys(skippedCounts(session)).filter((reason) => reason !== 'not JSON')).toEqual([])
      },
    ),
    { numRuns: 200 },
  )
})

test('law: lines glued together are read as if they were not', () => {
  fc.assert(
    fc.property(conversation, fc.array(fc.boolean(), { minLength: 1 }), ({ lines }, glued) => {
      const file = lines.map((line, at) => JSON.stringify(line) + (glued[at % glued.length] ? '' : '\n')).join('')
      const whole = importSessionText(jsonLines(lines))
      expect(outline(importSessionText(file))).toEqual(outline(whole))
    }),
    { numRuns: 200 },
  )
})

test('law: a branch that the user left adds nothing, wherever it began', () => {
  fc.assert(
    fc.property(conversation, conversation, fc.nat(), ({ lines }, branch, at) => {
      const rooted = lines.filter(
        (line) => line.type === 'user' && typeof (line.message as Fields).content === 'string',
      )
      const root = rooted[at % rooted.length]
      if (root === undefined) return
      // The branch was written before the conversation went on: its lines stand behind the one that it began at.
      const left = renamed(branch.lines, String(root.uuid))
      const place = lines.indexOf(root) + 1
      const session = importSessionText(jsonLines([...lines.slice(0, place), ...left, ...lines.slice(place)]))
      const expected = place === lines.length ? undefined : outline(importSessionText(jsonLines(lines)))
      if (expected !== undefined) expect(outline(session)).toEqual(expected)
    }),
    { numRuns: 200 },
  )
})

function written(
  steps: readonly { texts: number; calls: number; order: readonly number[]; compacts: boolean }[],
): Written {
  const lines: Fields[] = []
  const said: string[] = []
  let last: string | null = null
  steps.forEach(({ texts, calls, order, compacts }, number) => {
    const name = `s${number}`
    lines.push(userLine(`${name}-user`, last, `say ${name}`))
    said.push(`user:say ${name}`)
    const answers = answerLines(name, texts, calls)
    const results = answers.calls.map((id, at) => resultLine(`${name}-r${at}`, `${name}-a${texts + at}`, id))
    // Answers keep their order among themselves; results fall anywhere, also before their calls.
    const mixed = [
      ...answers.lines.map((line, at) => ({ line, at: at / 10 })),
      ...results.map((line, at) => ({ line, at: (order[at] ?? 0) / 10 - 0.05 })),
    ]
    lines.push(...mixed.toSorted((a, b) => a.at - b.at).map(({ line }) => line))
    if (answers.words.length > 0) said.push(`assistant:${answers.words.join('+')}`)
    if (calls > 0) said.push(`user:${answers.calls.map((id) => `result ${id}`).join('+')}`)
    last = String(results.at(-1)?.uuid ?? answers.lines.at(-1)?.uuid ?? `${name}-user`)
    if (compacts && number < steps.length - 1) {
      lines.push(
        boundaryLine(`${name}-b`, last, { trigger: 'auto' }),
        summaryLine(`${name}-c`, `${name}-b`, `summary ${name}`),
      )
      last = `${name}-c`
    }
  })
  return { lines, outline: said }
}

function answerLines(name: string, texts: number, calls: number) {
  const ids = Array.from({ length: calls }, (_, at) => `${name}-t${at}`)
  const words = Array.from({ length: texts }, (_, at) => `${name} text ${at}`)
  const blocks = [...words.map(text), ...ids.map(call)]
  const parents = blocks.map((_, at) => (at === 0 ? `${name}-user` : `${name}-a${at - 1}`))
  const lines = blocks.map((block, at) => answerLine(`${name}-a${at}`, parents[at] ?? null, `m-${name}`, block))
  return { lines, calls: ids, words: [...words, ...ids.map((id) => `call ${id}`)] }
}

function renamed(lines: readonly Fields[], root: string): Fields[] {
  return lines.map((line) => {
    const text = JSON.stringify(line).replaceAll(/"(m-)?s(\d+)/g, '"$1left$2')
    const copy = JSON.parse(text) as Fields
    return copy.parentUuid === null && copy.subtype === undefined ? { ...copy, parentUuid: root } : copy
  })
}

function damaged(line: string, kind: string, cut: number): string {
  const torn = line.slice(0, Math.floor(cut * (line.length - 1)))
  if (kind === 'torn') return `${torn}\n`
  if (kind === 'torn and glued') return torn
  return kind === 'empty' ? '\n' : '\u0000\u0001 no JSON }{\n'
}

/** Results of one item may come in any order. */
function unordered(line: string): string {
  return line.startsWith('user:result') ? line.replace('user:', '').split('+').toSorted().join('+') : line
}

function blocksOfLines(lines: readonly Fields[]): string[] {
  const messages = lines.filter((line) => line.message !== undefined && line.isCompactSummary !== true)
  return blocksIn(messages.map((line) => line.message as Fields))
}

function blocksIn(messages: readonly Fields[]): string[] {
  return messages.flatMap(({ role, content }) =>
    (Array.isArray(content) ? content : [content]).map((block) => JSON.stringify([role, block])),
  )
}
