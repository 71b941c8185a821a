import {
  type CompactionLimits,
  type CompactResult,
  countEvicted,
  dialectMeter,
  encodePlan,
  type Plan,
  type ViewComposition,
  viewComposition,
} from 'palimpsest'
import type { ConversationInput } from './conversation-input.ts'
import { formatBytes, formatCount, formatShort, plural } from './format-number.ts'
import type { TokenOverhead } from './token-overhead.ts'

/** Everything that is known when `compact` is done. */
export interface CompactionFacts {
  readonly input: ConversationInput
  readonly policy: string
  readonly overhead: TokenOverhead
  readonly result: CompactResult<object>
  /** What makes the output of the transcript. */
  readonly plan: Plan
  /** What was in force before: the plan that leaves out what a session broke off. */
  readonly previous: Plan
  /** Parts of a recorded session that were broken off, and left out so that the rest is legal. */
  readonly mended: number
  readonly bytesBefore: number
  /** Absent where nothing goes out. */
  readonly bytesAfter?: number
  readonly historyPath?: string
}

/** Said where neither the caller nor the table of models knows the window. */
export const unknownWindow = 'window of the model unknown (--window N sets it)'

/** One line for the person. */
export function reportLine(facts: CompactionFacts): string {
  const { result, input } = facts
  const before = formatCount(result.tokensBefore)
  const limits = `trigger ${formatShort(result.limits.trigger)}${result.limits.window === undefined ? '' : ` of ${formatShort(result.limits.window)}`}`
  if (result.status === 'unchanged') {
    const why = result.stuck === undefined ? `below the ${limits}: nothing to do` : `${limits}: ${result.stuck.message}`
    return `${input.name}: ${before} tokens, ${why}${capText(facts)}${unsure(facts)}`
  }
  if (result.status === 'refused') return `${input.name}: ${before} tokens, ${limits}: no way to fit${unsure(facts)}`
  const composition = compositionOf(facts)
  const parts = composition === undefined ? '' : ` ${compositionText(composition, result.strategies)}`
  const bytes = `${formatBytes(facts.bytesBefore)} → ${formatBytes(facts.bytesAfter ?? 0)}`
  const missed = result.reachedTarget ? '' : `, above the target of ${formatShort(result.limits.target)}`
  return `${input.name}: ${before} → ${formatCount(result.tokensAfter)} tokens${missed} (${bytes})${parts}; ${limits}${capText(facts)}${unsure(facts)}`
}

/** What the request consists of after a compaction; undefined where there was none. */
function compositionOf({ input, overhead, result, previous }: CompactionFacts): ViewComposition | undefined {
  if (result.status !== 'compacted') return undefined
  const { dialect, conversation } = input
  return viewComposition({
    plan: result.plan,
    previous,
    length: conversation.items.length,
    tokens: result.tokensAfter,
    overhead: overhead.tokens,
    scale: overhead.scale ?? 1,
    meter: dialectMeter(dialect, conversation.model, overhead.scale === undefined ? 'upper' : 'mean'),
  })
}

/** What a compaction leaves in view, and what it took out of it: `= 42.4k system and tools + …; rungs: …`. */
export function compositionText(composition: ViewComposition, strategies: readonly string[]): string {
  const { overhead, summaryTokens, keptTokens, keptItems, evicted, newlyEvicted, shortened, newlyShortened } =
    composition
  const summary = summaryTokens === 0 ? '' : ` + ${formatShort(summaryTokens)} summary`
  const kept = `${formatShort(keptTokens)} kept (${plural(keptItems, 'message')})`
  const words = [
    ...(newlyEvicted > 0 ? [`evicted ${plural(newlyEvicted, 'message')}${inAll(newlyEvicted, evicted)}`] : []),
    ...(newlyShortened > 0 ? [`shortened ${plural(newlyShortened, 'part')}${inAll(newlyShortened, shortened)}`] : []),
  ]
  const news = words.length === 0 ? 'nothing newly evicted' : `newly ${words.join(', ')}`
  return `= ${formatShort(overhead)} system and tools${summary} + ${kept}; ${news}; rungs: ${strategies.join(', ')}`
}

function inAll(some: number, all: number): string {
  return some === all ? '' : ` (${formatCount(all)} in all)`
}

/** A cap that the window has no room for is lowered, so that input and output fit together. */
function capText({ input, result }: CompactionFacts): string {
  const cap = loweredCap(input, result)
  return cap === undefined ? '' : `; output cap lowered to ${formatShort(cap)}`
}

function loweredCap({ conversation }: ConversationInput, result: CompactResult<object>): number | undefined {
  if (result.status === 'refused') return undefined
  const { outputCap } = result.conversation
  return outputCap === conversation.outputCap ? undefined : outputCap
}

function unsure({ overhead, mended, result }: CompactionFacts): string {
  const left = mended === 0 ? '' : `; ${plural(mended, 'part')} left out that the session broke off (check lists them)`
  const size = overheadText(overhead, result.status === 'compacted')
  return left + size + (result.limits.window === undefined ? `; ${unknownWindow}` : '')
}

/** The number itself only where the line does not have it already. */
function overheadText(overhead: TokenOverhead, isSaid: boolean): string {
  if (overhead.source === 'estimated') {
    return isSaid ? '; system and tools are estimated' : `; system and tools ${formatShort(overhead.tokens)}, estimated`
  }
  return overhead.source === 'unknown' ? '; system and tools unknown, taken as 0 (--overhead N sets them)' : ''
}

/** All of it as JSON. Numbers of tokens are estimates, calibrated by `overhead.scale` where the file records usage. */
export function reportJson(facts: CompactionFacts): Record<string, unknown> {
  const { input, result, overhead, policy, mended, bytesBefore, bytesAfter, historyPath } = facts
  return {
    status: result.status,
    file: input.name,
    format: input.session.format,
    dialect: input.dialect.name,
    model: input.conversation.model,
    policy,
    limits: limitsJson(result.limits),
    overhead,
    messages: input.conversation.items.length,
    mended,
    made_at: input.conversation.items.length,
    tokens: { before: result.tokensBefore, after: tokensAfter(result), basis: 'estimated' },
    bytes: { before: bytesBefore, after: bytesAfter },
    output_cap: loweredCap(input, result),
    ...outcomeJson(facts),
    history_path: historyPath,
  }
}

/** The numbers that a compaction went by. */
export function limitsJson({
  window,
  trigger,
  target,
  limit,
  keep,
  context,
}: CompactionLimits): Record<string, unknown> {
  return { window, trigger, target, limit, keep, ...context }
}

/** How many parts a plan leaves in view with less in them than there was. */
export function countShortened({ offloads, truncations, removals, placeholders }: Plan): number {
  const edits = [offloads, truncations, removals, placeholders].flatMap((list) => list ?? [])
  return new Set(edits.map(({ message_index, part }) => `${message_index}.${part}`)).size
}

/** What a plan did, in words. */
export function editsText(plan: Plan, messages: number): string {
  const evicted = countEvicted(plan)
  const shortened = countShortened(plan)
  const words = [
    ...(evicted > 0 ? [`${formatCount(evicted)} of ${plural(messages, 'message')} evicted`] : []),
    ...(shortened > 0 ? [`${plural(shortened, 'part')} shortened`] : []),
  ]
  return words.length === 0 ? 'nothing evicted' : words.join(' and ')
}

function tokensAfter(result: CompactResult<object>): number | undefined {
  if (result.status === 'unchanged') return result.tokensBefore
  return result.status === 'compacted' ? result.tokensAfter : undefined
}

function outcomeJson(facts: CompactionFacts): Record<string, unknown> {
  const { result, plan } = facts
  if (result.status === 'refused') {
    const { code, message, hint } = result.error
    return { rejected: result.rejected, error: { code, message, hint } }
  }
  const composition = compositionOf(facts)
  const edits = {
    evicted: countEvicted(plan),
    shortened: countShortened(plan),
    ...(composition !== undefined && { composition: compositionJson(composition) }),
    plan: JSON.parse(planText(plan, result)),
  }
  if (result.status === 'unchanged') return { ...edits, strategies: [], rejected: [], stuck: result.stuck?.message }
  const { strategies, rejected, reachedTarget } = result
  return { ...edits, strategies, rejected, reached_target: reachedTarget }
}

function compositionJson(composition: ViewComposition): Record<string, unknown> {
  const { overhead, summaryTokens, keptTokens, keptItems, newlyEvicted, newlyShortened } = composition
  return {
    system_and_tools: overhead,
    summary: summaryTokens,
    kept: keptTokens,
    kept_messages: keptItems,
    newly_evicted: newlyEvicted,
    newly_shortened: newlyShortened,
  }
}

/** The plan as it is stored: with the strategies that made it. `{}` where there is nothing to do. */
export function planText(plan: Plan, result: CompactResult<object>): string {
  return encodePlan(result.status === 'compacted' ? { ...plan, strategy: result.strategies.join('+') } : plan)
}
