import { jsonText } from 'palimpsest/engine'
import { type Fields, isFields, listOf, textOf } from './json-fields.ts'
import { OpenPlaces } from './open-places.ts'
import type { SkipTally } from './skip-tally.ts'

/** A message as a file holds it: one line of it, in the order in which it was said. */
export interface SaidLine {
  readonly role: string
  readonly content: string | readonly unknown[]
  /** Its place among what was read; `line` cannot tell, where several records are glued on one. */
  readonly order: number
  readonly line: number
  readonly timestamp: number | undefined
  /** Lines of one answer of the model share this; undefined: the line stands for itself. */
  readonly answer: string | undefined
  /** On the line of conversation that the file's last message ends. Others belong to it, but may repeat what it has. */
  readonly main: boolean
}

/** One item of the transcript, with the lines it was made from, in the order of the file. */
export interface SaidItem<Line extends SaidLine> {
  readonly item: { readonly role: string; readonly content: string | readonly unknown[] }
  readonly from: readonly [Line, ...Line[]]
}

/**
 * The messages as a request holds them: the lines of one answer are one item, and the results of its calls are one user
 * item directly behind it, before any text, wherever the file had them. A call without a result stays open, a result
 * without a call stays where it was, a second result of one call is skipped.
 */
export function pairResults<Line extends SaidLine>(said: readonly Line[], skipped: SkipTally): SaidItem<Line>[] {
  const steps = stepsOf(said)
  placeResults(steps, skipped)
  return steps.flatMap((step) => [answerItem(step, skipped), resultItem(step)]).filter((item) => item !== undefined)
}

/** An answer of the model with the results of its calls; or one line of anything else, which has neither. */
interface Step<Line extends SaidLine> {
  readonly lines: [Line, ...Line[]]
  /** Ids of its calls. */
  readonly calls: Set<string>
  /** What is left of the line's content when its results have gone to their calls; undefined: untouched. */
  rest?: readonly unknown[]
  readonly results: { readonly block: unknown; readonly line: Line }[]
  /** What stood beside results on their lines. */
  readonly besides: { readonly block: unknown; readonly line: Line }[]
}

function stepsOf<Line extends SaidLine>(said: readonly Line[]): Step<Line>[] {
  const steps: Step<Line>[] = []
  const answers = new Map<string, Step<Line>>()
  for (const line of said) {
    const answer = line.role === 'assistant' ? line.answer : undefined
    const known = answer === undefined ? undefined : answers.get(answer)
    if (known !== undefined) known.lines.push(line)
    else {
      const step: Step<Line> = { lines: [line], calls: new Set(), results: [], besides: [] }
      if (answer !== undefined) answers.set(answer, step)
      steps.push(step)
    }
  }
  for (const step of steps) {
    step.lines.sort((a, b) => a.order - b.order)
    for (const id of callIds(step.lines)) step.calls.add(id)
  }
  return steps
}

function callIds(lines: readonly SaidLine[]): string[] {
  if (lines[0]?.role !== 'assistant') return []
  const blocks = lines.flatMap((line) => listOf(line.content))
  return blocks.map((block) => (isCall(block) ? textOf(block.id) : undefined)).filter((id) => id !== undefined)
}

/** Results on the main line are placed first: where another branch has one for the same call, the main one counts. */
function placeResults<Line extends SaidLine>(steps: readonly Step<Line>[], skipped: SkipTally): void {
  const callers = new Map<string, OpenPlaces>()
  steps.forEach((step, at) => {
    for (const id of step.calls) {
      const open = callers.get(id) ?? new OpenPlaces()
      callers.set(id, open)
      open.add(at)
    }
  })
  for (const main of [true, false]) {
    steps.forEach((step, at) => {
      const [line] = step.lines
      if (line.main === main && line.role !== 'assistant') placeLine({ steps, callers, at }, step, skipped)
    })
  }
}

interface Placing<Line extends SaidLine> {
  readonly steps: readonly Step<Line>[]
  /** Places of the steps that have a call of an id which no result has answered yet. */
  readonly callers: ReadonlyMap<string, OpenPlaces>
  /** Place of the step that holds the result. */
  readonly at: number
}

/** Results go to their calls; what stood beside them on the line goes with the first. */
function placeLine<Line extends SaidLine>(placing: Placing<Line>, step: Step<Line>, skipped: SkipTally): void {
  const [line] = step.lines
  const blocks = listOf(line.content)
  const isPlaced = (block: unknown) => isResult(block) && placing.callers.has(block.tool_use_id)
  if (!blocks.some(isPlaced)) return
  let home: Step<Line> | undefined
  for (const block of blocks) {
    if (!isResult(block) || !isPlaced(block)) continue
    const owner = takeCaller(placing, block.tool_use_id)
    if (owner === undefined) {
      skipped.add('duplicate result', line.line)
      continue
    }
    owner.results.push({ block, line })
    home ??= owner
  }
  const rest = blocks.filter((block) => !isPlaced(block))
  step.rest = home === undefined ? rest : []
  home?.besides.push(...rest.map((block) => ({ block, line })))
}

/** The newest open call of this id before the result; else the first one behind it (results can be written first). */
function takeCaller<Line extends SaidLine>({ steps, callers, at }: Placing<Line>, id: string): Step<Line> | undefined {
  const chosen = callers.get(id)?.take(at)
  return chosen === undefined ? undefined : steps[chosen]
}

function answerItem<Line extends SaidLine>(step: Step<Line>, skipped: SkipTally): SaidItem<Line> | undefined {
  const [first, ...others] = step.lines
  const content = step.rest ?? (others.length === 0 ? withoutRepeatedCalls(first) : joined(step.lines, skipped))
  return content.length === 0 ? undefined : { item: { role: first.role, content }, from: step.lines }
}

function withoutRepeatedCalls(line: SaidLine): string | readonly unknown[] {
  if (line.role !== 'assistant' || typeof line.content === 'string') return line.content
  const ids = new Set<string>()
  const blocks = line.content.filter((block) => !isCall(block) || isNew(ids, block.id))
  return blocks.length === line.content.length ? line.content : blocks
}

/** All blocks of one answer. A branch may hold copies of blocks that the main line has: they are there once. */
function joined(lines: readonly SaidLine[], skipped: SkipTally): readonly unknown[] {
  const main = new Set(
    lines.filter((line) => line.main).flatMap((line) => blocksOf(line).map((block) => jsonText(block))),
  )
  const ids = new Set<string>()
  const blocks: unknown[] = []
  for (const line of lines) {
    const fresh = blocksOf(line).filter((block) => {
      if (isCall(block)) return isNew(ids, block.id)
      return line.main || !main.has(jsonText(block))
    })
    if (fresh.length === 0) skipped.add('duplicate content', line.line)
    blocks.push(...fresh)
  }
  return blocks
}

function resultItem<Line extends SaidLine>(step: Step<Line>): SaidItem<Line> | undefined {
  const placed = [...inFileOrder(step.results), ...inFileOrder(step.besides)]
  const [first, ...others] = inFileOrder([...new Set(placed.map(({ line }) => line))].map((line) => ({ line })))
  if (first === undefined) return undefined
  return {
    item: { role: 'user', content: placed.map(({ block }) => block) },
    from: [first.line, ...others.map(({ line }) => line)],
  }
}

function inFileOrder<Placed extends { readonly line: SaidLine }>(placed: readonly Placed[]): Placed[] {
  return placed.toSorted((a, b) => a.line.order - b.line.order)
}

function blocksOf(line: SaidLine): readonly unknown[] {
  return typeof line.content === 'string' ? [{ type: 'text', text: line.content }] : line.content
}

function isNew(seen: Set<string>, id: string): boolean {
  if (seen.has(id)) return false
  seen.add(id)
  return true
}

function isCall(block: unknown): block is Fields & { readonly id: string } {
  return isFields(block) && block.type === 'tool_use' && typeof block.id === 'string'
}

function isResult(block: unknown): block is Fields & { readonly tool_use_id: string } {
  return isFields(block) && block.type === 'tool_result' && typeof block.tool_use_id === 'string'
}
