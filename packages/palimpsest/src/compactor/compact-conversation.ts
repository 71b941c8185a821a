import type { Dialect } from '../dialects/dialect.ts'
import { PalimpsestError } from '../engine/errors.ts'
import { runCompaction, sizeOf } from '../engine/ladder/compaction.ts'
import type { Compacted, CompactionTask, RejectedRung } from '../engine/ladder/compaction-task.ts'
import type { Conversation } from '../engine/messages/message.ts'
import { Transcript } from '../engine/messages/transcript.ts'
import { EMPTY_PLAN, isEmptyPlan, type Plan } from '../engine/plan/plan.ts'
import { renderPlan } from '../engine/plan/render.ts'
import { type Preset, rungsOf } from '../engine/presets/preset.ts'
import { DEFAULT_PRESET } from '../engine/presets/presets.ts'
import { requestOverhead } from '../engine/tokens/request-overhead.ts'
import { type CompactionLimits, compactionLimits, type LimitOptions } from './compaction-limits.ts'
import { dialectMeter } from './dialect-meter.ts'
import { extractiveSummarizer } from './extractive-summarizer.ts'

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
  const preset = options.preset ?? DEFAULT_PRESET
  const meter = dialectMeter(
    dialect,
    options.model ?? conversation.model,
    options.scale === undefined ? 'upper' : 'mean',
  )
  const transcript = new Transcript<Item>(dialect, meter, conversation.items)
  const known = requestOverhead(conversation, meter)
  const overhead = options.overhead ?? known.system + known.tools
  const limits = compactionLimits(preset, conversation, options, overhead)
  const task: CompactionTask<Item> = {
    transcript,
    current: options.current ?? EMPTY_PLAN,
    ...(options.madeAt !== undefined && { madeAt: options.madeAt }),
    overhead,
    target: limits.target,
    limit: limits.limit,
    ...(options.scale !== undefined && { scale: options.scale }),
    keep: limits.keep,
    rungs: rungsOf(preset, limits.window).filter((rung) => options.summarizer !== 'none' || rung.name !== 'summarizeOlder'),
    context: limits.context,
    check: (items) => dialect.check({ ...conversation, items }, limits.context),
  }
  const view = viewInForce(task, conversation)
  const tokensBefore = sizeOf(task, view)
  const unchanged = {
    status: 'unchanged',
    conversation: outgoing(conversation, view, limits.outputCap(tokensBefore)),
    tokensBefore,
    limits,
  } as const
  if (options.force !== true && tokensBefore < limits.trigger) return unchanged
  if (conversation.historyOnServer) return { status: 'refused', error: onServer(), rejected: [], tokensBefore, limits }
  const summarize = extractiveSummarizer(transcript)
  const outcome = runCompaction(task, (effect) => (effect.kind === 'summarize' ? summarize(effect.request) : undefined))
  if (outcome.status === 'refused') {
    const { error } = outcome
    return error.code === 'no-progress' ? { ...unchanged, stuck: error } : { ...outcome, limits }
  }
  const { items, tokensAfter } = outcome
  return { ...outcome, limits, conversation: outgoing(conversation, items, limits.outputCap(tokensAfter)) }
}

/** The items under the plan in force; without one the conversation's own list. */
function viewInForce<Item extends object>(task: CompactionTask<Item>, { items }: Conversation<Item>): readonly Item[] {
  const { transcript, current, madeAt, context } = task
  if (isEmptyPlan(current)) return items
  return renderPlan(transcript.lens, transcript, current, { ...context, ...(madeAt !== undefined && { madeAt }) })
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

function onServer(): PalimpsestError {
  return new PalimpsestError(
    'history-on-server',
    'The history of this request lies at the provider; only its newest part is here.',
    {
      hint: 'Send the whole history instead of previous_response_id or conversation, or let the provider compact it.',
    },
  )
}
