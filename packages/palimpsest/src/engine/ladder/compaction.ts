import { PalimpsestError } from '../errors.ts'
import type { Violation } from '../messages/message.ts'
import type { Transcript } from '../messages/transcript.ts'
import { type Draft, fillDraft, requestsOf } from '../plan/draft.ts'
import { mergePlans } from '../plan/merge-plans.ts'
import type { Plan } from '../plan/plan.ts'
import { renderPlan } from '../plan/render.ts'
import { lastUserGroup } from '../strategies/last-user-message.ts'
import { wrapCheckpoint } from '../summary/checkpoint-text.ts'
import { tokensOf } from '../tokens/ledger.ts'
import { boundedSummary } from './bounded-summary.ts'
import type {
  CompactionOutcome,
  CompactionTask,
  Effect,
  EffectResult,
  Refused,
  RejectedRung,
} from './compaction-task.ts'
import { type IsInherited, inheritedViolations } from './inherited-violations.ts'
import { obstacles } from './obstacles.ts'
import { brokenPostcondition } from './postconditions.ts'

/**
 * Goes down the ladder until the target is met. Pure: effects are asked for by `yield` and their results come back, so
 * the same task and results give the same outcome. Every view on the way is checked by the dialect and against the
 * postconditions; one that fails is rejected and the next rung tried. Ends with a view that is smaller and within the
 * limit, or with a refusal that names what is in the way.
 *
 * @example
 * const ladder = compaction(task)
 * let step = ladder.next()
 * while (!step.done) step = ladder.next(step.value.kind === 'summarize' ? 'Renamed the flag.' : undefined)
 * step.value.status
 */
export function* compaction<Item extends object>(
  task: CompactionTask<Item>,
): Generator<Effect, CompactionOutcome<Item>, EffectResult> {
  const before = sizeOf(task, viewInForce(task))
  const opening = mergePlans(task.current, dropObsolete(task.transcript))
  const check = viewCheck(task)
  const rejected: RejectedRung[] = []
  const strategies: string[] = []
  let best: { plan: Plan; items: readonly Item[]; size: number } | undefined
  for (const rung of task.rungs) {
    const size = best?.size ?? before
    if (rung.lastResort ? size <= task.limit : best !== undefined && size <= task.target) continue
    if (rung.needsReader && task.canRead !== true) continue
    const plan = best?.plan ?? opening
    const draft = rung.strategy(strategyInput(task, plan))
    if (draft === undefined) continue
    const filled = yield* fill(draft, task)
    const tried = filled === undefined ? undefined : tryPlan(task, mergePlans(plan, filled), size, check)
    if (tried === undefined) rejected.push({ rung: rung.name, reason: 'effect-failed', detail: 'An effect failed.' })
    else if (tried.ok) {
      best = tried
      strategies.push(rung.name)
    } else rejected.push({ rung: rung.name, ...tried.rejection })
  }
  if (best === undefined || best.size > task.limit) return refuse(task, best, before, rejected)
  const { plan, items, size: tokensAfter } = best
  const reachedTarget = tokensAfter <= task.target
  return { status: 'compacted', plan, items, tokensBefore: before, tokensAfter, strategies, rejected, reachedTarget }
}

/**
 * Runs a compaction whose effects can all be answered at once.
 *
 * @example
 * const outcome = runCompaction(task, (effect) => (effect.kind === 'summarize' ? 'Renamed the flag.' : undefined))
 * if (outcome.status === 'compacted') outcome.items
 */
export function runCompaction<Item extends object>(
  task: CompactionTask<Item>,
  answer: (effect: Effect) => EffectResult,
): CompactionOutcome<Item> {
  const run = compaction(task)
  let step = run.next()
  while (!step.done) step = run.next(answer(step.value))
  return step.value
}

/**
 * Tokens of the whole request with these items.
 *
 * @example
 * sizeOf({ transcript, overhead: 3_000 }, transcript.items)
 */
export function sizeOf<Item extends object>(
  task: Pick<CompactionTask<Item>, 'transcript' | 'overhead' | 'scale'>,
  items: readonly Item[],
): number {
  return Math.ceil(task.overhead + tokensOf(task.transcript.unitsOf(items)) * (task.scale ?? 1))
}

/** The items that go out under this plan, made when the transcript had `madeAt` of them; by default it is made now. */
export function viewUnder<Item extends object>(
  { transcript, context }: Pick<CompactionTask<Item>, 'transcript' | 'context'>,
  plan: Plan,
  madeAt = transcript.length,
): readonly Item[] {
  return renderPlan(transcript.lens, transcript, plan, { ...context, madeAt })
}

/** The items that go out under the plan in force. */
export function viewInForce<Item extends object>(
  task: Pick<CompactionTask<Item>, 'transcript' | 'context' | 'current' | 'madeAt'>,
): readonly Item[] {
  return viewUnder(task, task.current, task.madeAt)
}

function strategyInput<Item extends object>(task: CompactionTask<Item>, current: Plan) {
  const { ledger, groups } = task.transcript
  const limit = Math.max(0, Math.floor((task.target - task.overhead) / (task.scale ?? 1)))
  return { ledger, groups, current, limit, keep: task.keep }
}

const STANDING_HEADING = '# Standing instructions'

/** Asks for the effects of a draft; undefined when a summary failed. */
function* fill<Item extends object>(
  draft: Draft,
  task: CompactionTask<Item>,
): Generator<Effect, Plan | undefined, EffectResult> {
  const requests = requestsOf(draft)
  const artifactKeys: EffectResult[] = []
  for (const request of requests.stores) artifactKeys.push(yield { kind: 'store', request })
  const summaries: string[] = []
  for (const request of requests.summaries) {
    const summary = yield { kind: 'summarize', request }
    if (summary === undefined || summary.trim() === '') return undefined
    const { lastUserMessage, standing = [] } = request
    const bounded = boundedSummary(summary, request, task)
    summaries.push(
      wrapCheckpoint({
        summary: standing.length === 0 ? bounded : [STANDING_HEADING, ...standing, bounded].join('\n\n'),
        ...(lastUserMessage !== undefined && { lastUserMessage }),
        ...(task.historyNote !== undefined && { note: task.historyNote }),
      }),
    )
  }
  return fillDraft(draft, { summaries, artifactKeys })
}

/** What a view is checked by: the transcript that it is of, and the rules of its format. */
export type CheckedTask<Item extends object> = Pick<CompactionTask<Item>, 'transcript' | 'context' | 'check'>

/**
 * Rules that this view breaks and that the transcript did not break on the same items.
 *
 * @example
 * newViolations(task, transcript.items) // []
 */
export function newViolations<Item extends object>(
  task: CheckedTask<Item>,
  view: readonly Item[],
): readonly Violation[] {
  return viewCheck(task)(view)
}

type ViewCheck<Item> = (view: readonly Item[]) => readonly Violation[]

/** `newViolations` of one view after the other: the transcript itself is checked once, and only where a view breaks a rule. */
function viewCheck<Item extends object>({ transcript, context, check }: CheckedTask<Item>): ViewCheck<Item> {
  const violations = check ?? ((items) => transcript.lens.check({ system: [], items }, context))
  let inherited: IsInherited<Item> | undefined
  return (view) => {
    const broken = violations(view)
    if (broken.length === 0) return broken
    inherited ??= inheritedViolations(transcript.items, violations(transcript.items))
    const isInherited = inherited
    return broken.filter((violation) => !isInherited(violation, view))
  }
}

/** What a provider's own compaction replaced goes first, at no cost; the last user message stays even there. */
function dropObsolete<Item extends object>({ lens, items, groups }: Transcript<Item>): Plan {
  const end = lens.obsoleteBefore?.(items) ?? 0
  const last = lastUserGroup(groups)?.group.slices ?? []
  const kept = new Set(last.map((slice) => slice.position))
  const drop = Array.from({ length: end }, (_, from) => ({ from, to: from + 1 })).filter(({ from }) => !kept.has(from))
  return { drop }
}

type Tried<Item> =
  | { readonly ok: true; readonly plan: Plan; readonly items: readonly Item[]; readonly size: number }
  | { readonly ok: false; readonly rejection: Omit<RejectedRung, 'rung'> }

/** The view of a plan, if it may be sent and is smaller than `size`; else why not. */
function tryPlan<Item extends object>(
  task: CompactionTask<Item>,
  plan: Plan,
  size: number,
  check: ViewCheck<Item>,
): Tried<Item> {
  const { transcript } = task
  const items = viewUnder(task, plan)
  const violations = check(items)
  const [first] = violations
  if (first !== undefined) {
    return rejection({ reason: 'invalid-view', detail: `${first.rule}: ${first.message}`, violations })
  }
  const broken = brokenPostcondition(transcript, plan, items)
  if (broken !== undefined) return rejection({ reason: 'postcondition', detail: broken })
  const next = sizeOf(task, items)
  if (next >= size) return rejection({ reason: 'not-smaller', detail: `${next} tokens instead of ${size}.` })
  return { ok: true, plan, items, size: next }
}

function rejection(why: Omit<RejectedRung, 'rung'>): {
  readonly ok: false
  readonly rejection: Omit<RejectedRung, 'rung'>
} {
  return { ok: false, rejection: why }
}

function refuse<Item extends object>(
  task: CompactionTask<Item>,
  best: { readonly plan: Plan; readonly size: number } | undefined,
  before: number,
  rejected: readonly RejectedRung[],
): Refused {
  const fits = (best?.size ?? before) <= task.limit
  const invalid = best === undefined && !fits ? rejected.find((one) => one.reason === 'invalid-view') : undefined
  const error =
    invalid === undefined
      ? obstacles(task, best?.plan ?? task.current, best?.size ?? before)
      : new PalimpsestError('invalid-transcript', `No legal view of this transcript was found: ${invalid.detail}`, {
          hint: 'Run the checker on the input: it lists what breaks the protocol and how to mend it.',
        })
  return { status: 'refused', error, tokensBefore: before, rejected }
}
