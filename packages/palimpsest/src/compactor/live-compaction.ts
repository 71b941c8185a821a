import type { Dialect, OverflowFacts } from '../dialects/dialect.ts'
import { PalimpsestError } from '../engine/errors.ts'
import { newViolations, sizeOf, viewInForce, viewUnder } from '../engine/ladder/compaction.ts'
import type { Compacted, CompactionTask, Refused } from '../engine/ladder/compaction-task.ts'
import { obstacles } from '../engine/ladder/obstacles.ts'
import type { Rung } from '../engine/ladder/rung.ts'
import { mergePlans } from '../engine/plan/merge-plans.ts'
import { EMPTY_PLAN, type Plan } from '../engine/plan/plan.ts'
import { countEvicted } from '../engine/plan/view.ts'
import { type Preset, type RungSpec, rungsOf } from '../engine/presets/preset.ts'
import { anchorPlan, type CompactionRecord, keptFrom } from '../engine/record/compaction-record.ts'
import type { KeepWindow } from '../engine/strategies/keep-window.ts'
import { evictedEntries } from '../stores/history-entry.ts'
import type { Stores } from '../stores/ports.ts'
import type { Summarizer, SummaryUsage } from '../summarizers/summarizer.ts'
import { abortable } from './abortable.ts'
import type { Branch } from './branch.ts'
import { CompactionEffects } from './compaction-effects.ts'
import type { Reader } from './compactor.ts'
import { driveCompaction } from './drive-compaction.ts'
import type { EventDraft } from './event-source.ts'
import { overflowLadder, summaryFirst } from './overflow-ladder.ts'
import { targetOfBoth } from './request-bytes.ts'
import type { SizedRequest } from './sized-request.ts'

/** Why a compaction runs, and what is known about the refusal that made it necessary. */
export type CompactionCause =
  | { readonly reason: 'threshold' }
  | { readonly reason: 'manual' | 'tool'; readonly focus?: string }
  | OverflowCause

export interface OverflowCause {
  readonly reason: 'overflow'
  readonly facts: OverflowFacts
  /** 0: an earlier request was refused, too late for a retry; else which retry this is. */
  readonly attempt: number
  /** Tokens of the request that was refused. */
  readonly sent: number
  /** The record in force when it was refused. */
  readonly recordId?: string | undefined
  /** What the provider answered, as it came. */
  readonly failure?: unknown
}

export interface CompactionSettings<Item extends object> {
  readonly dialect: Dialect<unknown, Item>
  readonly preset: Preset
  readonly stores: Stores
  readonly summarizer: Summarizer
  readonly fallback: Summarizer | undefined
  /** Can the request not go out as it is? Then its view may rest on memory alone, where the store does not take it. */
  readonly isNeeded: boolean
  readonly reader: Reader | undefined
  /** What of an item may be kept beyond this process; undefined: all of it. */
  readonly keptForm: ((item: Item) => Item) | undefined
  /** Are evicted messages kept for whoever reads them later? */
  readonly keepHistory: boolean
  readonly namespace: string
  readonly session: string
  readonly root: string
  readonly model: string | undefined
  readonly signal: AbortSignal
  readonly emit: (event: EventDraft) => void
  readonly now: () => number
}

export type CompactionResult =
  | { readonly status: 'applied'; readonly record: CompactionRecord; readonly tokensAfter: number }
  | { readonly status: 'cancelled' }
  | { readonly status: 'failed'; readonly error: PalimpsestError }

/**
 * One compaction with its effects, from the first event to the last: artifacts and history are stored before the view
 * points to them, the record last. Whatever fails before that leaves the view as it was.
 */
export async function compactSized<Item extends object>(
  settings: CompactionSettings<Item>,
  branch: Branch<Item>,
  sized: SizedRequest<Item>,
  cause: CompactionCause,
): Promise<CompactionResult> {
  const { emit } = settings
  const effects = effectsFor(settings, branch, { cause, scale: sized.scale })
  try {
    const outcome = await findPlan(settings, sized, cause, effects, branch)
    for (const rejected of outcome.rejected) emit({ type: 'plan-rejected', rejected })
    if (outcome.status === 'refused') return failed(settings, cause, outcome.error, effects.usage)
    const record = await commit(settings, branch, sized, { cause, outcome, usage: effects.usage })
    emit(appliedEvent(sized, record, outcome, { cause, usage: effects.usage }))
    return { status: 'applied', record, tokensAfter: outcome.tokensAfter }
  } catch (error) {
    if (settings.signal.aborted) {
      emit({ type: 'compaction-cancelled', reason: cause.reason, usage: effects.usage })
      return { status: 'cancelled' }
    }
    return failed(settings, cause, asFailure(error), effects.usage)
  }
}

/** The task of a compaction: what it starts from, by which rungs, and where it must end. */
export function compactionTask<Item extends object>(
  settings: Pick<CompactionSettings<Item>, 'dialect' | 'preset' | 'reader'>,
  sized: SizedRequest<Item>,
  cause: CompactionCause,
): CompactionTask<Item> {
  const { dialect, preset, reader } = settings
  const { limits, conversation, overhead, scale, record, bytes } = sized
  const { context, keep } = limits
  const ladder = ladderOf(reader === undefined ? preset : sparingReader(preset, reader), sized, cause)
  return {
    transcript: sized.transcript.withItems(conversation.items),
    current: record?.plan ?? EMPTY_PLAN,
    ...(record !== undefined && { madeAt: record.length }),
    overhead: overhead.mean * scale,
    scale,
    target: targetOfBoth(ladder.target, sized.size.tokens, bytes),
    limit: ladder.limit,
    keep: isAskedFor(cause) ? keepWhenAsked(keep) : keep,
    rungs: ladder.rungs,
    context,
    canRead: reader !== undefined,
    check: (items) => dialect.check({ ...conversation, items }, context),
  }
}

function ladderOf<Item extends object>(
  preset: Preset,
  { limits, size }: SizedRequest<Item>,
  cause: CompactionCause,
): { readonly rungs: readonly Rung[]; readonly target: number; readonly limit: number } {
  const { target, limit } = limits
  if (cause.reason === 'threshold') return { rungs: rungsOf(preset, limits.window), target, limit }
  if (cause.reason === 'overflow') {
    const sent = Math.max(cause.sent, size.tokens)
    return overflowLadder(cause.facts, cause.attempt, { preset, limits, sent })
  }
  const rungs = rungsOf(cause.focus === undefined ? preset : withFocus(preset, cause.focus), limits.window)
  return { rungs: summaryFirst(rungs), target, limit }
}

/** What the agent has read back is not offloaded again: it would read in circles. */
function sparingReader(preset: Preset, { tool, also = [] }: Reader): Preset {
  const sparing = (spec: RungSpec): RungSpec =>
    spec.strategy === 'offloadArtifacts' ? { ...spec, except: [...(spec.except ?? []), tool, ...also] } : spec
  return { ...preset, rungs: preset.rungs.map(sparing) }
}

function isAskedFor({ reason }: CompactionCause): boolean {
  return reason === 'manual' || reason === 'tool'
}

/** Who asks for a compaction of a small conversation wants it smaller all the same: a share of it is kept, not of the window. */
function keepWhenAsked(keep: KeepWindow): KeepWindow {
  return 'tokens' in keep ? { fraction: KEPT_WHEN_ASKED, of: 'tokens' } : keep
}

const KEPT_WHEN_ASKED = 0.1

function withFocus(preset: Preset, focus: string): Preset {
  return {
    ...preset,
    rungs: preset.rungs.map((spec) => (spec.strategy === 'summarizeOlder' ? { ...spec, focus } : spec)),
  }
}

function effectsFor<Item extends object>(
  settings: CompactionSettings<Item>,
  { kept, slices, record, bound }: Branch<Item>,
  { cause, scale }: { readonly cause: CompactionCause; readonly scale: number },
): CompactionEffects<Item> {
  return new CompactionEffects(kept, {
    ...settings,
    slices,
    scale,
    refused: bound,
    current: record?.plan ?? EMPTY_PLAN,
    artifacts: settings.stores.artifacts,
    mode: cause.reason === 'manual' ? 'manual' : 'automatic',
  })
}

type Found<Item> =
  | (Pick<Compacted<Item>, 'status' | 'plan' | 'strategies' | 'rejected' | 'tokensBefore' | 'tokensAfter'> & {
      readonly historyPath?: string
    })
  | Refused

/** A plan that was prepared ahead and still fits, or the ladder's; its history stored before it is shown. */
async function findPlan<Item extends object>(
  settings: CompactionSettings<Item>,
  sized: SizedRequest<Item>,
  cause: CompactionCause,
  effects: CompactionEffects<Item>,
  branch: Branch<Item>,
): Promise<Found<Item>> {
  const base = compactionTask(settings, sized, cause)
  if (isReasoningBound(cause)) return withoutReasoning(base, sized)
  if (base.overhead >= base.limit) return hopeless(base, sized) // no summary is worth its call
  const waiting = cause.reason === 'threshold' ? await planInWaiting(branch, base, settings.signal) : undefined
  if (waiting !== undefined) return { ...waiting, ...(await keepHistory(settings, branch, waiting.plan)) }
  const note = await historyNote(settings)
  const task = note === undefined ? base : { ...base, historyNote: note }
  const outcome = await driveCompaction(task, (effect) => effects.answer(effect), settings.signal)
  if (outcome.status === 'refused') return outcome
  const kept = await keepHistory(settings, branch, outcome.plan)
  if (note === undefined || kept.historyPath !== undefined) return { ...outcome, ...kept }
  // what could not be stored must not be pointed to; the summaries are there already
  return driveCompaction(base, (effect) => effects.answer(effect), settings.signal)
}

function hopeless<Item extends object>(task: CompactionTask<Item>, { size }: SizedRequest<Item>): Refused {
  return {
    status: 'refused',
    error: obstacles(task, task.current, size.tokens),
    tokensBefore: size.tokens,
    rejected: [],
  }
}

function isReasoningBound(cause: CompactionCause): boolean {
  return cause.reason === 'overflow' && cause.facts.kind === 'reasoning-bound'
}

/** The view without any reasoning: what a signature that is bound to another conversation asks for. */
function withoutReasoning<Item extends object>(task: CompactionTask<Item>, sized: SizedRequest<Item>): Found<Item> {
  const { transcript } = task
  const placeholders = transcript.items.flatMap((_, position) =>
    transcript
      .view(position)
      .parts.flatMap((part, number) =>
        part.kind === 'reasoning' ? [{ message_index: position, part: number, kind: 'reasoning' as const }] : [],
      ),
  )
  const plan = mergePlans(task.current, { placeholders })
  const view = viewUnder(task, plan)
  const [broken] = newViolations(task, view)
  const nothing = placeholders.length === 0
  if (nothing || broken !== undefined) {
    const why = broken === undefined ? 'The request holds no reasoning.' : `${broken.rule}: ${broken.message}`
    return {
      status: 'refused',
      error: new PalimpsestError('invalid-transcript', `The reasoning could not be taken out. ${why}`),
      tokensBefore: sized.size.tokens,
      rejected: [],
    }
  }
  return {
    status: 'compacted',
    plan,
    strategies: ['dropReasoning'],
    rejected: [],
    tokensBefore: sized.size.tokens,
    tokensAfter: sizeOf(task, view),
  }
}

/**
 * The plan that was prepared ahead, if its view is legal now, small enough, and smaller than what there is. Who cancels the
 * compaction that waits for it cancels it too.
 */
async function planInWaiting<Item extends object>(
  branch: Branch<Item>,
  task: CompactionTask<Item>,
  signal: AbortSignal,
): Promise<(Found<Item> & { readonly status: 'compacted' }) | undefined> {
  const waiting = branch.inWaiting
  branch.inWaiting = undefined
  if (waiting === undefined) return undefined
  const outcome = await abortable(waiting.outcome, signal).catch((error) => {
    waiting.cancel()
    throw error
  })
  if (outcome === undefined) return undefined
  const plan = mergePlans(task.current, outcome.plan)
  const view = viewUnder(task, plan)
  const tokensBefore = sizeOf(task, viewInForce(task))
  const tokensAfter = sizeOf(task, view)
  if (tokensAfter > task.target || tokensAfter >= tokensBefore || newViolations(task, view).length > 0) return undefined
  return { status: 'compacted', plan, strategies: outcome.strategies, rejected: [], tokensBefore, tokensAfter }
}

/** Stores what leaves the view, if it is not there since an earlier compaction. No path where that is not wanted, or failed: then nothing may point there. */
async function keepHistory<Item extends object>(
  { keepHistory, stores, namespace, session, signal, emit }: CompactionSettings<Item>,
  branch: Branch<Item>,
  plan: Plan,
): Promise<{ readonly historyPath?: string }> {
  if (!keepHistory) return {}
  try {
    const entries = evictedEntries(branch.kept, plan, branch.inHistory)
    const historyPath = await stores.history.append({ namespace, session }, entries, { signal })
    branch.inHistory = plan
    return { historyPath }
  } catch (error) {
    signal.throwIfAborted()
    emit({ type: 'store-failed', error: asFailure(error) })
    return {}
  }
}

/** What the summary says of the history, for callers who can read it; undefined where it cannot be kept. */
async function historyNote<Item extends object>(settings: CompactionSettings<Item>): Promise<string | undefined> {
  const { reader, stores, namespace, session, signal } = settings
  if (reader === undefined || !settings.keepHistory) return undefined
  try {
    const path = await stores.history.append({ namespace, session }, [], { signal })
    return [
      `All messages that this summary stands for are kept in ${path}.`,
      `Read them, and what artifact:// references stand for, with the tool \`${reader.tool}\`.`,
    ].join(' ')
  } catch {
    signal.throwIfAborted()
    return undefined // told when the history itself cannot be kept
  }
}

interface Applied<Item> {
  readonly cause: CompactionCause
  readonly outcome: Found<Item> & { readonly status: 'compacted' }
  readonly usage: SummaryUsage
}

async function commit<Item extends object>(
  { dialect, stores, namespace, root, signal, isNeeded, emit }: CompactionSettings<Item>,
  branch: Branch<Item>,
  { transcript, size }: SizedRequest<Item>,
  { cause, outcome, usage }: Applied<Item>,
): Promise<CompactionRecord> {
  const { plan } = outcome
  const { length } = transcript
  const scope = { namespace, dialect: dialect.name }
  const after = branch.record?.key
  const anchored = {
    chain: branch.chain,
    view: (position: number) => transcript.view(position),
    ...(after !== undefined && { after }),
  }
  const record: CompactionRecord = {
    ...anchorPlan(plan, scope, anchored),
    length,
    plan,
    strategy: outcome.strategies.join('+'),
    reason: cause.reason,
    at_turn: transcript.groups.at(-1)?.turn ?? 0,
    kept_from: keptFrom(plan, length),
    tokens_before: size.tokens,
    tokens_after: outcome.tokensAfter,
    ...(outcome.historyPath !== undefined && { history_path: outcome.historyPath }),
    ...(usage.input + usage.output > 0 && { usage }),
  }
  try {
    return await stores.records.commit(root, record, { signal })
  } catch (error) {
    signal.throwIfAborted()
    if (!isNeeded) throw error
    emit({ type: 'store-failed', error: asFailure(error) })
    return record
  }
}

function appliedEvent<Item extends object>(
  sized: SizedRequest<Item>,
  record: CompactionRecord,
  outcome: Found<Item> & { readonly status: 'compacted' },
  { cause, usage }: { readonly cause: CompactionCause; readonly usage: SummaryUsage },
): EventDraft {
  const before = sized.record?.plan ?? EMPTY_PLAN
  return {
    type: 'compaction-applied',
    reason: cause.reason,
    plan: record.plan,
    recordId: record.key,
    strategies: outcome.strategies,
    tokensBefore: sized.size.tokens,
    tokensAfter: outcome.tokensAfter,
    evicted: countEvicted(record.plan) - countEvicted(before),
    usage,
    ...(record.history_path !== undefined && { historyPath: record.history_path }),
    truncatedArguments: truncatedCalls(sized, record.plan) - truncatedCalls(sized, before),
  }
}

function truncatedCalls<Item extends object>({ transcript }: SizedRequest<Item>, { truncations = [] }: Plan): number {
  return truncations.filter((one) => transcript.view(one.message_index).parts[one.part]?.kind === 'tool-call').length
}

function failed<Item extends object>(
  { emit }: CompactionSettings<Item>,
  { reason }: CompactionCause,
  error: PalimpsestError,
  usage: SummaryUsage,
): CompactionResult {
  emit({ type: 'compaction-failed', reason, error, usage })
  return { status: 'failed', error }
}

function asFailure(error: unknown): PalimpsestError {
  if (error instanceof PalimpsestError) return error
  return new PalimpsestError('effect-failed', 'The compaction could not be stored.', { cause: error })
}
