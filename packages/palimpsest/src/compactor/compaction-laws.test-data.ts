import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { deepFreeze } from '../deep-freeze.test-data.ts'
import type { Dialect } from '../dialects/dialect.ts'
import { runCompaction, sizeOf } from '../engine/ladder/compaction.ts'
import type { Compacted, CompactionTask } from '../engine/ladder/compaction-task.ts'
import type { PartEdit, RenderContext } from '../engine/messages/message.ts'
import { Transcript } from '../engine/messages/transcript.ts'
import { LiveView } from '../engine/plan/live-view.ts'
import { mergePlans } from '../engine/plan/merge-plans.ts'
import { EMPTY_PLAN, type Plan } from '../engine/plan/plan.ts'
import { decodePlan, encodePlan } from '../engine/plan/plan-codec.ts'
import { renderPlan } from '../engine/plan/render.ts'
import { rungsOf } from '../engine/presets/preset.ts'
import { PRESETS } from '../engine/presets/presets.ts'
import { anchorPlan, type CompactionRecord, findRecord } from '../engine/record/compaction-record.ts'
import { PositionChain } from '../engine/record/position-chain.ts'
import { floorBoundary, resolveKeep } from '../engine/strategies/keep-window.ts'
import { lastUserGroup, ownWords } from '../engine/strategies/last-user-message.ts'
import { unwrapCheckpoint } from '../engine/summary/checkpoint-text.ts'
import type { TokenMeter } from '../engine/tokens/ledger.ts'
import { evictedEntries } from '../stores/history-entry.ts'
import { extractiveAnswers } from './summary-input.ts'

/** How a generated session is compacted: how tight, by which policy, in how many stretches. */
interface Plot {
  readonly request: unknown
  readonly preset: string
  /** How often each text is said over. */
  readonly repeats: number
  /** The limit of each compaction as a share of the view it is given. */
  readonly tightness: number
  readonly cuts: readonly number[]
  readonly context: RenderContext
  readonly useless: boolean
}

/** What one run went through. */
interface Run {
  readonly plot: Plot
  readonly items: readonly object[]
  readonly transcript: Transcript<object>
  readonly stretches: readonly {
    readonly length: number
    readonly outcome: Compacted<object>
    readonly task: CompactionTask<object>
  }[]
  readonly refusals: readonly string[]
  /** The view after each stretch's items came in, as fingerprints, with whether a compaction had just made it. */
  readonly views: readonly { readonly prints: readonly string[]; readonly compacted: boolean }[]
}

const RUNS = Number(process.env.PALIMPSEST_RUNS ?? 1000)

// conversations long enough to be compacted more than once
fc.configureGlobal({ baseSize: 'medium' })

/**
 * The laws of compaction on any conversation of a dialect: run by every dialect. Conversations grow in stretches and are
 * compacted again and again, by every policy, under limits from roomy to impossible.
 */
export function compactionLaws(dialect: Dialect<unknown, object>, requests: fc.Arbitrary<unknown>): void {
  const plots: fc.Arbitrary<Plot> = fc.record({
    request: requests,
    preset: fc.constantFrom(...Object.keys(PRESETS)),
    repeats: fc.integer({ min: 1, max: 20 }),
    tightness: fc.oneof(
      { arbitrary: fc.double({ min: 0.02, max: 0.5, noNaN: true }), weight: 1 },
      { arbitrary: fc.double({ min: 0.5, max: 0.95, noNaN: true }), weight: 3 },
    ),
    cuts: fc.array(fc.double({ min: 0.4, max: 1, noNaN: true }), { minLength: 2, maxLength: 6, size: 'max' }),
    context: fc.record({
      thinkingBinding: fc.constantFrom('none', 'turn', 'prefix'),
      strictAlternation: fc.boolean(),
    }),
    useless: fc.boolean(),
  })

  const seed = Number(process.env.PALIMPSEST_SEED ?? Date.now() % 1_000_000)
  const laws = new Map<string, (run: Run) => void>()
  const broken = new Map<string, Error>()
  const seen = { compacted: 0, again: 0, refused: 0 }

  /** Every conversation is played once for all laws: playing is what costs. */
  const playAll = () => {
    fc.sample(plots, { numRuns: RUNS, seed }).forEach((plot, index) => {
      const run = play(dialect, plot)
      if (run.stretches.length > 0) seen.compacted++
      if (run.stretches.length > 1) seen.again++
      if (run.refusals.length > 0) seen.refused++
      for (const [name, law] of laws) {
        if (broken.has(name)) continue
        try {
          law(run)
        } catch (cause) {
          const where = `${dialect.name}, run ${index} with PALIMPSEST_SEED=${seed}`
          broken.set(name, new Error(`${where}: ${(cause as Error).message}`, { cause }))
        }
      }
    })
  }

  const always = (name: string, law: (run: Run) => void) => {
    laws.set(name, law)
    it(name, () => {
      const error = broken.get(name)
      if (error !== undefined) throw error
      expect(seen.compacted).toBeGreaterThan(0)
    })
  }

  describe(`compaction of ${dialect.name}, ${RUNS} runs, seed ${seed}`, () => {
    beforeAll(playAll, 1_200_000)

    it('is put to the test: most runs compact, many compact again, some are refused', () => {
      expect(seen.compacted / RUNS).toBeGreaterThan(0.3)
      expect(seen.again / RUNS).toBeGreaterThan(0.1)
      expect(seen.refused).toBeGreaterThan(0)
    })

    always(
      'gives a valid, smaller view within the limit, or a refusal that names what is in the way',
      ({ plot, ...run }) => {
        for (const { outcome, task, length } of run.stretches) {
          const fresh = { ...task, transcript: prefixTranscript(dialect, run.items, length) }
          expect(dialect.check({ system: [], items: outcome.items }, task.context)).toEqual([])
          expect(outcome.tokensAfter).toBeLessThan(outcome.tokensBefore)
          expect(outcome.tokensAfter).toBeLessThanOrEqual(task.limit)
          expect(sizeOf(fresh, outcome.items)).toBe(outcome.tokensAfter)
        }
        for (const refusal of run.refusals) expect(refusal).toMatch(/tokens|legal view/)
      },
    )

    always(
      'shows the last user message verbatim, and nothing of user role behind it but results and summaries',
      ({ plot, ...run }) => {
        for (const { outcome, length } of run.stretches)
          expectLastWords(prefixTranscript(dialect, run.items, length), dialect, outcome)
      },
    )

    always('gives the same bytes again from the stored plan', ({ plot, ...run }) => {
      for (const { outcome, task, length } of run.stretches) {
        const stored = decodePlan(encodePlan(outcome.plan))
        const fresh = prefixTranscript(dialect, run.items, length)
        const replayed = renderPlan(dialect, fresh, stored, { ...task.context, madeAt: length })
        expect(JSON.stringify(replayed)).toBe(JSON.stringify(outcome.items))
      }
    })

    always('only adds to the view between two compactions', ({ plot, ...run }) => {
      let sent: readonly string[] = []
      for (const { prints, compacted } of run.views) {
        if (!compacted) expect(prints.slice(0, sent.length)).toEqual(sent)
        sent = prints
      }
    })

    always('has every evicted text in the history, once, and loses none without an entry', ({ plot, ...run }) => {
      const { transcript, stretches } = run
      for (const { outcome, length } of stretches) {
        const entries = evictedEntries(transcript, outcome.plan)
        const byPosition = new Map(entries.map((entry) => [entry.position, unescapeMarks(entry.markdown)]))
        expect(byPosition.size).toBe(entries.length)
        const shown = new Set(outcome.items.flatMap((item) => dialect.view(item).parts.map((part) => part.text())))
        for (let position = 0; position < length; position++) {
          const parts = transcript.view(position).parts.filter((part) => part.kind !== 'reasoning')
          const entry = byPosition.get(position)
          // looked up here, not by a matcher: these texts may be megabytes
          const lost = parts.find((part) =>
            entry === undefined ? !shown.has(part.text()) : !holdsText(entry, unescapeMarks(part.text())),
          )
          if (lost !== undefined)
            throw new Error(`position ${position} lost its ${lost.kind}: ${lost.text().slice(0, 200)}`)
        }
      }
    })

    always('absorbs the plan before it: a cumulative plan merged onto it changes nothing', ({ plot, ...run }) => {
      let before: Plan = EMPTY_PLAN
      for (const { outcome, task, length } of run.stretches) {
        const again = mergePlans(before, outcome.plan)
        const fresh = prefixTranscript(dialect, run.items, length)
        const options = { ...task.context, madeAt: length }
        expect(JSON.stringify(renderPlan(dialect, fresh, again, options))).toBe(JSON.stringify(outcome.items))
        before = outcome.plan
      }
    })

    always(
      'finds its record again, for the same items, for more, and after a dropped result was blanked',
      ({ plot, ...run }) => {
        const last = run.stretches.at(-1)
        if (last === undefined) return
        const { items } = run
        const record = recordOf(dialect, items.slice(0, last.length), last.outcome)
        const found = findRecord([record], SCOPE, anchored(dialect, items))
        expect(found).toEqual({ record, reanchored: false })
        const blanked = blankDroppedResult(dialect, items, last.outcome.plan)
        if (blanked === undefined) return
        const anew = findRecord([record], SCOPE, anchored(dialect, blanked))
        expect(anew?.reanchored).toBe(true)
        expect(anew?.record.plan).toEqual(record.plan)
      },
    )
  })
}

/** The conversation of a plot, its texts said many times over: generated ones are shorter than any summary of them. */
function itemsOf(dialect: Dialect<unknown, object>, plot: Plot): readonly object[] {
  const { items } = dialect.open(deepFreeze(structuredClone(plot.request)))
  return items.map((item) => {
    const edits = dialect.view(item).parts.flatMap((part, number): PartEdit[] => {
      if (!part.editable || (part.kind !== 'text' && part.kind !== 'tool-result') || part.injected) return []
      return part.text() === '' ? [] : [{ kind: 'replace-text', part: number, text: part.text().repeat(plot.repeats) }]
    })
    return edits.length === 0 ? item : deepFreeze(dialect.edit(item, edits) ?? item)
  })
}

/** Laws speak of any dialect; its own item type does not matter to them. */
export function ofAnyItem(dialect: { readonly name: string }): Dialect<unknown, object> {
  return dialect as Dialect<unknown, object>
}

function play(dialect: Dialect<unknown, object>, plot: Plot): Run {
  const items = itemsOf(dialect, plot)
  const meter = quarterMeter(dialect)
  const transcript = new Transcript<object>(dialect, meter)
  const view = new LiveView(transcript, plot.context)
  const summarize = plot.useless ? () => 'nothing of note' : extractiveAnswers(transcript)
  const preset = PRESETS[plot.preset]
  if (preset === undefined) throw new TypeError(`No preset ${plot.preset}.`)
  const stretches: { length: number; outcome: Compacted<object>; task: CompactionTask<object> }[] = []
  const views: { prints: readonly string[]; compacted: boolean }[] = []
  const refusals: string[] = []
  const note = (compacted: boolean) => {
    views.push({ prints: view.items.map((item) => dialect.fingerprint(item)), compacted })
  }
  for (const length of sendable(dialect, items, plot)) {
    transcript.append(items.slice(transcript.length, length))
    view.follow()
    note(false)
    const limit = Math.max(1, Math.floor((view.units / 1024) * plot.tightness))
    const task: CompactionTask<object> = {
      transcript,
      current: view.plan,
      madeAt: view.madeAt,
      overhead: 0,
      target: Math.max(1, Math.floor(limit * preset.target)),
      limit,
      keep: resolveKeep(preset.keep, limit),
      rungs: rungsOf(preset),
      context: plot.context,
    }
    const outcome = runCompaction(task, (effect) =>
      effect.kind === 'summarize' ? summarize(effect.request) : undefined,
    )
    if (outcome.status === 'refused') {
      refusals.push(outcome.error.message)
      continue
    }
    view.adopt(outcome.plan)
    stretches.push({ length, outcome, task })
    note(true)
  }
  return { plot, items, transcript, stretches, refusals, views }
}

/** Four characters are a token: laws must not hang on one family's numbers, and this is fast. */
function quarterMeter(dialect: Dialect<unknown, object>): TokenMeter {
  return { text: (text) => text.length * 256, media: (media) => dialect.mediaTokens(media), framing: dialect.framing }
}

/** Prefixes of the items that a client could have sent: no open call, something for the model to answer. */
function sendable(dialect: Dialect<unknown, object>, items: readonly object[], plot: Plot): readonly number[] {
  const wanted = [...plot.cuts.map((cut) => Math.ceil(cut * items.length)), items.length].sort((a, b) => a - b)
  const lengths = wanted.map((length) => {
    let end = length
    while (end > 0 && dialect.check({ system: [], items: items.slice(0, end) }, plot.context).length > 0) end--
    return end
  })
  return [...new Set(lengths)].filter((length) => length > 0)
}

function prefixTranscript(
  dialect: Dialect<unknown, object>,
  items: readonly object[],
  length: number,
): Transcript<object> {
  return new Transcript<object>(dialect, quarterMeter(dialect), items.slice(0, length))
}

function expectLastWords(
  transcript: Transcript<object>,
  dialect: Dialect<unknown, object>,
  outcome: Compacted<object>,
): void {
  const last = lastUserGroup(transcript.groups)
  if (last === undefined) return
  const words = ownWords(last.group, transcript.ledger)
  const own = last.group.slices.flatMap(({ position, parts: numbers }) => {
    const { parts: all } = transcript.view(position)
    const chosen = numbers === 'all' ? all : numbers.flatMap((number) => all[number] ?? [])
    return chosen.filter((part) => part.kind === 'text' && part.injected !== true).map((part) => part.text())
  })
  const views = outcome.items.map((item) => dialect.view(item))
  const holds = (text: string) =>
    own.includes(text) || (words !== undefined && unwrapCheckpoint(text)?.lastUserMessage === words)
  const at = views.findLastIndex((view) => view.parts.some((part) => holds(part.text())))
  const positions = last.group.slices.map((slice) => slice.position)
  const cut = (outcome.plan.truncations ?? []).some((one) => positions.includes(one.message_index))
  const shownAsPicture = own.length === 0 && positions.every((position) => !isDropped(outcome.plan, position))
  expect(at >= 0 || cut || shownAsPicture).toBe(true)
  if (at < 0) return
  const behind = views.slice(at + 1).filter((view) => view.role === 'user' && view.checkpoint !== true)
  const speaking = behind.flatMap((view) => view.parts.filter((part) => part.kind === 'text' && part.injected !== true))
  expect(speaking.map((part) => part.text()).filter((text) => text.trim() !== '')).toEqual([])
}

function isDropped(plan: Plan, position: number): boolean {
  return (plan.drop ?? []).some(({ from, to }) => from <= position && position < to)
}

/** Longer texts are looked up by their ends and their length: repeated text is the worst case of a search for all of it. */
const LOOKED_UP = 2_000

function holdsText(entry: string, text: string): boolean {
  if (text.length <= LOOKED_UP) return entry.includes(text)
  const start = entry.indexOf(text.slice(0, LOOKED_UP / 10))
  const end = entry.lastIndexOf(text.slice(-LOOKED_UP / 10))
  return start >= 0 && end + LOOKED_UP / 10 - start >= text.length
}

/** The history shifts a line that looks like its own mark. */
function unescapeMarks(text: string): string {
  return text.replace(/^ ?<!-- palimpsest:entry /gm, '<!-- palimpsest:entry ')
}

const SCOPE = { namespace: 'n', dialect: 'd' }

function anchored(dialect: Dialect<unknown, object>, items: readonly object[]) {
  const views = items.map((item) => dialect.view(item))
  return {
    chain: new PositionChain<object>(dialect, items),
    view: (position: number) => {
      const view = views[position]
      if (view === undefined) throw new RangeError(`No item ${position}.`)
      return view
    },
  }
}

function recordOf(
  dialect: Dialect<unknown, object>,
  items: readonly object[],
  outcome: Compacted<object>,
): CompactionRecord {
  return {
    ...anchorPlan(outcome.plan, SCOPE, anchored(dialect, items)),
    length: items.length,
    plan: outcome.plan,
    strategy: outcome.strategies.join('+'),
    reason: 'threshold',
    at_turn: 0,
    kept_from: floorBoundary(prefixTranscript(dialect, items, items.length).groups),
    tokens_before: outcome.tokensBefore,
    tokens_after: outcome.tokensAfter,
  }
}

/** The items with the text of one dropped tool result blanked, as clients do; undefined where none is dropped. */
function blankDroppedResult(
  dialect: Dialect<unknown, object>,
  items: readonly object[],
  plan: Plan,
): readonly object[] | undefined {
  for (const { from, to } of plan.drop ?? []) {
    for (let position = from; position < to; position++) {
      const item = items[position]
      if (item === undefined) continue
      const { parts } = dialect.view(item)
      const part = parts.findIndex(
        (one) => one.kind === 'tool-result' && one.editable && one.text() !== '' && one.text() !== 'blank',
      )
      if (part < 0) continue
      const blanked = dialect.edit(item, [{ kind: 'replace-text', part, text: 'blank' }])
      if (blanked !== undefined && dialect.fingerprint(blanked) !== dialect.fingerprint(item)) {
        return items.map((one, index) => (index === position ? blanked : one))
      }
    }
  }
  return undefined
}
