import type { Dialect } from '../dialects/dialect.ts'
import { PalimpsestError } from '../engine/errors.ts'
import { newViolations, runCompaction, sizeOf, viewInForce } from '../engine/ladder/compaction.ts'
import type { Compacted, CompactionTask, RejectedRung } from '../engine/ladder/compaction-task.ts'
import type { Conversation, Violation } from '../engine/messages/message.ts'
import { Transcript } from '../engine/messages/transcript.ts'
import { EMPTY_PLAN, isEmptyPlan, type Plan } from '../engine/plan/plan.ts'
import { type Preset, rungsOf } from '../engine/presets/preset.ts'
import { DEFAULT_PRESET } from '../engine/presets/presets.ts'
import { requestOverhead } from '../engine/tokens/request-overhead.ts'
import { type CompactionLimits, compactionLimits, type LimitOptions } from './compaction-limits.ts'
import { dialectMeter } from './dialect-meter.ts'
import { requestBytes, targetOfBoth } from './request-bytes.ts'
import { extractiveAnswers } from './summary-input.ts'

/** How a conversation is compacted in one step, without a model. */
export interface CompactOptions extends LimitOptions {
  /** Default: `palimpsest`. */
  readonly preset?: Preset
  /** `none`: rungs that need a summary are skipped. Default `extractive`. */
  readonly summarizer?: 'extractive' | 'none'
  /** The plan in force, and the transcript length when it was made. */
  readonly current?: Plan
  readonly madeAt?: number
  /** Tokens of system and tools, where the conversation itself does not hold them. */
  readonly overhead?: number
  /** Measured tokens per estimated one. Given: the mean estimate times this; absent: the upper estimate. */
  readonly scale?: number
  /** Compact even below the trigger. */
  readonly force?: boolean
}

interface Sized {
  readonly tokensBefore: number
  readonly limits: CompactionLimits
}

/** What became of a conversation. */
export type CompactResult<Item> = Sized &
  (
    | {
        readonly status: 'unchanged'
        /** What goes out: what came in, with the plan in force applied and an output cap that the window has room for. */
        readonly conversation: Conversation<Item>
        /** Why nothing came of it, where a compaction was due: `no-progress`. Not worth a retry until there is more. */
        readonly stuck?: PalimpsestError
      }
    | ({ readonly status: 'compacted'; readonly conversation: Conversation<Item> } & Omit<
        Compacted<Item>,
        'status' | 'items' | 'tokensBefore'
      >)
    | { readonly status: 'refused'; readonly error: PalimpsestError; readonly rejected: readonly RejectedRung[] }
  )

/**
 * Compacts a conversation when it reaches the trigger (or always, with `force`). Synchronous and pure: nothing is stored,
 * nothing mutated; the same conversation and options give the same bytes.
 *
 * @example
 * const conversation = anthropicMessages.open(body)
 * const result = compactConversation(anthropicMessages, conversation, { window: 200_000 })
 * if (result.status === 'compacted') send(anthropicMessages.close(body, result.conversation))
 */
export function compactConversation<Item extends object>(
  dialect: Dialect<unknown, Item>,
  conversation: Conversation<Item>,
  options: CompactOptions = {},
): CompactResult<Item> {
  const { task, limits } = compactionTask(dialect, conversation, options)
  const view = shownItems(task, conversation)
  const bytes = requestBytes(dialect, view)
  const tokensBefore = sizeOf(task, view)
  const refused = (error: PalimpsestError, rejected: readonly RejectedRung[] = []) =>
    ({ status: 'refused', error, rejected, tokensBefore, limits }) as const
  const unchanged = {
    status: 'unchanged',
    conversation: outgoing(conversation, view, limits.outputCap(tokensBefore)),
    tokensBefore,
    limits,
  } as const
  const [broken] = brokenRules(task, view)
  if (broken !== undefined) return refused(illegalPlan(broken))
  if (options.force !== true && tokensBefore < limits.trigger && !bytes.tooMany) return unchanged
  if (conversation.historyOnServer) return refused(onServer())
  const target = targetOfBoth(task.target, tokensBefore, bytes)
  const summarize = extractiveAnswers(task.transcript)
  const outcome = runCompaction({ ...task, target }, (effect) =>
    effect.kind === 'summarize' ? summarize(effect.request) : undefined,
  )
  const after = requestBytes(dialect, outcome.status === 'refused' ? view : outcome.items)
  if (outcome.status === 'refused' && outcome.error.code !== 'no-progress') return { ...outcome, limits }
  if (after.tooMany) return refused(tooManyBytes(after.bytes), outcome.rejected)
  if (outcome.status === 'refused') return { ...unchanged, stuck: outcome.error }
  const { items, tokensAfter } = outcome
  return { ...outcome, limits, conversation: outgoing(conversation, items, limits.outputCap(tokensAfter)) }
}

/** What a plan makes of a conversation. */
export interface PlannedConversation<Item> {
  /** As it goes out, with an output cap that the window has room for; itself where the plan changes nothing. */
  readonly conversation: Conversation<Item>
  /** Rules that it breaks and that the conversation itself does not. */
  readonly violations: readonly Violation[]
}

/**
 * The conversation under the plan in force, as `compactConversation` sends it between two compactions.
 * @throws PalimpsestError `plan-mismatch` for a plan of a longer conversation.
 *
 * @example
 * const view = conversationUnderPlan(anthropicMessages, conversation, { current: plan, window: 200_000 })
 * view.conversation.items.length
 */
export function conversationUnderPlan<Item extends object>(
  dialect: Dialect<unknown, Item>,
  conversation: Conversation<Item>,
  options: CompactOptions & { readonly current: Plan },
): PlannedConversation<Item> {
  const { task, limits } = compactionTask(dialect, conversation, options)
  const view = shownItems(task, conversation)
  return {
    conversation: outgoing(conversation, view, limits.outputCap(sizeOf(task, view))),
    violations: brokenRules(task, view),
  }
}

function compactionTask<Item extends object>(
  dialect: Dialect<unknown, Item>,
  conversation: Conversation<Item>,
  options: CompactOptions,
): { readonly task: CompactionTask<Item>; readonly limits: CompactionLimits } {
  const { preset = DEFAULT_PRESET, scale, current = EMPTY_PLAN, madeAt } = options
  const meter = dialectMeter(dialect, options.model ?? conversation.model, scale === undefined ? 'upper' : 'mean')
  const known = requestOverhead(conversation, meter)
  const overhead = options.overhead ?? known.system + known.tools
  const limits = compactionLimits(preset, conversation, options, overhead)
  const { target, limit, keep, context } = limits
  const rungs = rungsOf(preset, limits.window)
  const task = {
    transcript: new Transcript<Item>(dialect, meter, conversation.items),
    current,
    ...(madeAt !== undefined && { madeAt }),
    overhead,
    target,
    limit,
    ...(scale !== undefined && { scale }),
    keep,
    rungs: options.summarizer === 'none' ? rungs.filter((rung) => rung.needsSummary !== true) : rungs,
    context,
    check: (items: readonly Item[]) => dialect.check({ ...conversation, items }, context),
  }
  return { task, limits }
}

/** The items under the plan in force; without one the conversation's own list. */
function shownItems<Item extends object>(task: CompactionTask<Item>, { items }: Conversation<Item>): readonly Item[] {
  return isEmptyPlan(task.current) ? items : viewInForce(task)
}

function brokenRules<Item extends object>(task: CompactionTask<Item>, view: readonly Item[]): readonly Violation[] {
  return isEmptyPlan(task.current) ? [] : newViolations(task, view)
}

/** The conversation with these items and this output cap; itself where neither is new. */
function outgoing<Item>(
  conversation: Conversation<Item>,
  items: readonly Item[],
  outputCap: number | undefined,
): Conversation<Item> {
  if (items === conversation.items && outputCap === undefined) return conversation
  return { ...conversation, items, ...(outputCap !== undefined && { outputCap }) }
}

function tooManyBytes(bytes: number): PalimpsestError {
  return new PalimpsestError(
    'cannot-fit',
    `The request still has ${Math.round(bytes / 1e6)} MB, more than its format takes.`,
    {
      hint: 'What is left is the newest part: send its pictures and files smaller, or as references.',
    },
  )
}

function illegalPlan({ rule, message }: Violation): PalimpsestError {
  return new PalimpsestError('plan-mismatch', `The plan in force makes a view that breaks ${rule}: ${message}`, {
    hint: 'Apply a plan only to the transcript it was made for, or to one that continues it.',
  })
}

function onServer(): PalimpsestError {
  return new PalimpsestError(
    'history-on-server',
    'The history of this request lies at the provider; only its newest part is here.',
    {
      hint: 'Send the whole history instead of previous_response_id or conversation, or let the provider compact it.',
    },
  )
}
