import type { Dialect } from '../dialects/dialect.ts'
import { newViolations } from '../engine/ladder/compaction.ts'
import type { Conversation, Violation } from '../engine/messages/message.ts'
import type { Transcript } from '../engine/messages/transcript.ts'
import type { Preset } from '../engine/presets/preset.ts'
import type { CompactionRecord } from '../engine/record/compaction-record.ts'
import { predictSize, type ViewKey } from '../engine/tokens/calibration.ts'
import { type TokenCount, tokensOf } from '../engine/tokens/ledger.ts'
import type { Branch } from './branch.ts'
import { type CompactionLimits, compactionLimits, type LimitOptions } from './compaction-limits.ts'
import type { MeasuredOverhead } from './overhead-memory.ts'
import { type RequestBytes, requestBytes } from './request-bytes.ts'

/** A request as it would go out under the compaction in force, and how large it is. */
export interface SizedRequest<Item extends object> {
  readonly conversation: Conversation<Item>
  /** The branch's transcript: equal to the request's items, but for the objects. */
  readonly transcript: Transcript<Item>
  /** The compaction in force; undefined: the items go out as they came. */
  readonly record: CompactionRecord | undefined
  readonly view: readonly Item[]
  readonly overhead: MeasuredOverhead
  /** The mean estimate of the whole request, in tokens. */
  readonly mean: number
  readonly size: TokenCount
  /** Tokens per token of the mean estimate. */
  readonly scale: number
  readonly limits: CompactionLimits
  readonly bytes: RequestBytes
  /** Names the view; undefined where it cannot be a base of later sizes. */
  readonly key: ViewKey | undefined
}

export interface SizingSetup<Item extends object> {
  readonly dialect: Dialect<unknown, Item>
  readonly preset: Preset
  readonly limits: LimitOptions
  readonly overhead: MeasuredOverhead
  readonly model: string
  /** A size that the provider refused without saying what would fit. */
  readonly bound: number | undefined
}

/** The request under the branch's record, measured by the one size function. */
export function sizeRequest<Item extends object>(
  setup: SizingSetup<Item>,
  branch: Branch<Item>,
  conversation: Conversation<Item>,
): SizedRequest<Item> {
  const { overhead } = setup
  const { record, shown, transcript } = branch
  const { context } = limitsFor(setup, conversation, overhead.mean)
  const view = shown?.view(transcript, conversation.items, context) ?? conversation.items
  const mean = overhead.mean + tokensOf(shown?.units(transcript, view) ?? unitsOf(branch))
  const keyAt = viewKeys(branch, view.length)
  const upper = overhead.upper + (mean - overhead.mean) * branch.upperRatio()
  const size = predictSize(branch.calibration(setup.model), { mean, upper, tools: overhead.tools, keyAt })
  const key = keyAt(view.length)
  return withSize(
    {
      conversation,
      transcript,
      record,
      view,
      overhead,
      mean,
      bytes: bytesOf(setup.dialect, branch, view),
      key: key === undefined ? undefined : { items: view.length, key },
    },
    size,
    (tokens) => limitsFor(setup, conversation, tokens),
  )
}

/** The same request where its size is known better. */
export function withSize<Item extends object>(
  sized: Omit<SizedRequest<Item>, 'size' | 'scale' | 'limits'>,
  size: TokenCount,
  limits: (overhead: number) => CompactionLimits,
): SizedRequest<Item> {
  const scale = size.tokens / Math.max(1, sized.mean)
  return { ...sized, size, scale, limits: limits(Math.ceil(sized.overhead.mean * scale)) }
}

/** What a request may not go out with: rules that its view breaks and its transcript does not. */
export function brokenView<Item extends object>(
  dialect: Dialect<unknown, Item>,
  { shown }: Branch<Item>,
  { conversation, transcript, view, limits: { context } }: SizedRequest<Item>,
): Violation | undefined {
  if (shown === undefined || shown.isSound(context)) return undefined
  const check = (items: readonly Item[]) => dialect.check({ ...conversation, items }, context)
  if (check(view).length === 0) {
    shown.markSound(context)
    return undefined
  }
  return newViolations({ transcript: transcript.withItems(conversation.items), context, check }, view)[0]
}

/** May it go out as it is? */
export function fits({ size, limits, bytes }: Pick<SizedRequest<object>, 'size' | 'limits' | 'bytes'>): boolean {
  // nobody knows the window: the provider has to say
  return (limits.window === undefined || size.tokens <= limits.limit) && !bytes.tooMany
}

export function limitsFor<Item extends object>(
  { preset, limits, bound }: Pick<SizingSetup<Item>, 'preset' | 'limits' | 'bound'>,
  conversation: Conversation<Item>,
  overhead: number,
): CompactionLimits {
  const known = compactionLimits(preset, conversation, limits, overhead)
  if (bound === undefined) return known
  const most = (tokens: number, share: number) => Math.min(tokens, Math.floor(bound * share))
  return {
    ...known,
    trigger: most(known.trigger, BOUND_TRIGGER),
    limit: most(known.limit, BOUND_TRIGGER),
    target: most(known.target, BOUND_TARGET),
  }
}

/** Shares of a size that was refused without a number: from where on requests are compacted, and where that ends (A9). */
const BOUND_TRIGGER = 0.95
const BOUND_TARGET = 0.75

function unitsOf<Item extends object>(branch: Branch<Item>): number {
  const { transcript } = branch
  return branch.hasPinned() ? transcript.unitsOf(transcript.items) : transcript.ledger.units()
}

/**
 * Names the first `items` items of a view: behind the compaction the view is the transcript's own end, so the transcript's
 * chain names it. Undefined inside of what the compaction made.
 */
function viewKeys<Item extends object>({ record, chain }: Branch<Item>, length: number) {
  const shift = chain.length - length
  return (items: number): string | undefined => {
    const position = items + shift
    if (position < (record?.length ?? 0) || position > chain.length) return undefined
    return `${record?.key ?? ''}/${chain.at(position)}`
  }
}

/** Bytes of the whole transcript are kept in sum: only one that is too large is looked at closely. */
function bytesOf<Item extends object>(
  dialect: Dialect<unknown, Item>,
  branch: Branch<Item>,
  view: readonly Item[],
): RequestBytes {
  const { maxBytes } = dialect
  if (maxBytes === undefined || branch.mostBytes() < maxBytes / 2) return { bytes: 0, share: 1, tooMany: false }
  return requestBytes(dialect, view)
}
