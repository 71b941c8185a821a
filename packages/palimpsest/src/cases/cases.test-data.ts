import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { expect } from 'vitest'
import {
  type CompactionOutcome,
  type CompactionTask,
  type Effect,
  type EffectResult,
  EMPTY_PLAN,
  runCompaction,
  rungsOf,
} from '../engine/index.ts'
import {
  type CompactOptions,
  type CompactResult,
  type Conversation,
  compactConversation,
  compactionLimits,
  DEFAULT_PRESET,
  type Dialect,
  dialectMeter,
  type MessageView,
  type Plan,
  type Preset,
  Transcript,
} from '../index.ts'

/** A dialect as `dialectByName` gives it: every case goes the way of a caller who knows only names. */
export type AnyDialect = Dialect<unknown, object>

/** What became of one request: the result, and the request that goes out (the input itself where nothing changed). */
export interface CaseRun {
  readonly result: CompactResult<object>
  readonly request: unknown
  readonly items: readonly object[]
  readonly views: readonly MessageView[]
  /** The text of every part that goes out, in order. */
  readonly texts: readonly string[]
  readonly json: string
}

/**
 * Compacts a request the whole way, from body to body, and asserts the base invariants: B1 pairs closed, B2 well-formed,
 * B3 fits, B4 well-formed Unicode, B5 input untouched (it is frozen), B6 same bytes for the same input.
 */
export function compactCase(dialect: AnyDialect, request: object, options: CompactOptions = {}): CaseRun {
  const source = JSON.stringify(request)
  const frozen = deepFreeze(structuredClone(request))
  const run = compactOnce(dialect, frozen, options)
  expect(JSON.stringify(frozen)).toBe(source) // B5
  expect(compactOnce(dialect, structuredClone(request), options).json).toBe(run.json) // B6
  const { result } = run
  if (result.status === 'compacted') {
    expect(result.tokensAfter).toBeLessThan(result.tokensBefore)
    expect(result.tokensAfter).toBeLessThanOrEqual(result.limits.limit)
  }
  if (result.status !== 'refused') expectSendable(dialect, run.request, result.limits)
  return run
}

function compactOnce(dialect: AnyDialect, request: object, options: CompactOptions): CaseRun {
  const result = compactConversation(dialect, dialect.open(request), options)
  return caseRun(dialect, result, result.status === 'refused' ? request : dialect.close(request, result.conversation))
}

function caseRun(dialect: AnyDialect, result: CompactResult<object>, request: unknown): CaseRun {
  const { items } = dialect.open(request)
  const views = items.map((item) => dialect.view(item))
  const texts = views.flatMap((view) => view.parts.map((part) => part.text()))
  return { result, request, items, views, texts, json: JSON.stringify(request) }
}

/** The run's result when it compacted; fails with the reason when it did not. */
export function compacted(run: CaseRun): Extract<CompactResult<object>, { status: 'compacted' }> {
  const { result } = run
  if (result.status === 'refused') throw new Error(`${result.error.message} ${JSON.stringify(result.rejected)}`)
  if (result.status !== 'compacted') throw new Error(`Nothing changed: ${result.stuck?.message ?? 'below the trigger'}`)
  return result
}

/** B1 to B4 on a request that goes out. */
export function expectSendable(
  dialect: AnyDialect,
  request: unknown,
  { window, context }: Pick<CompactResult<object>['limits'], 'window' | 'context'>,
): void {
  const conversation = dialect.open(request)
  expectClosedPairs(conversation.items.map((item) => dialect.view(item))) // B1
  expect(dialect.check(conversation, context)).toEqual([]) // B2
  const size = exactSize(dialect, conversation)
  if (window !== undefined) expect(size + (conversation.outputCap ?? 0)).toBeLessThanOrEqual(window) // B3
  expectWellFormed(request) // B4
}

/**
 * Every result has its call before it, every call that something follows has its result. Read off the parts alone: an
 * answer of our own to the same question that the dialect's check answers.
 */
export function expectClosedPairs(views: readonly MessageView[]): void {
  const open = new Map<string, number>()
  const problems: string[] = []
  const lastSaid = views.findLastIndex((view) => view.role === 'assistant')
  for (const [position, view] of views.entries()) {
    for (const part of view.parts) {
      if (part.callId === undefined) continue
      if (part.kind === 'tool-call') open.set(part.callId, position)
      if (part.kind !== 'tool-result') continue
      if (!open.delete(part.callId)) problems.push(`result ${part.callId} at ${position} has no call`)
    }
  }
  for (const [id, position] of open) if (position < lastSaid) problems.push(`call ${id} at ${position} has no result`)
  expect(problems).toEqual([])
}

/** Tokens of a request by the exact BPE of GPT models; pictures by their formula. */
export function exactSize(dialect: AnyDialect, conversation: Conversation<object>): number {
  const { system, tools = [], items } = conversation
  let tokens = exactTokens([...system, ...tools].map((block) => JSON.stringify(block)).join('\n'))
  for (const item of items) {
    for (const part of dialect.view(item).parts) {
      tokens += exactTokens(`${part.toolName ?? ''} ${part.text()}`)
      for (const media of part.media ?? []) tokens += dialect.mediaTokens(media)
    }
    tokens += dialect.framing.message
  }
  return Math.ceil(tokens)
}

/** Tokens of a text by the exact BPE of GPT-4o and later. */
export function exactTokens(text: string): number {
  return countTokens(text)
}

const LONE_SURROGATE = /\p{Surrogate}/u

/** No string anywhere in the value holds half of a surrogate pair. */
export function expectWellFormed(value: unknown): void {
  const strings: string[] = []
  const visit = (inner: unknown): void => {
    if (typeof inner === 'string') strings.push(inner)
    else if (inner !== null && typeof inner === 'object' && !ArrayBuffer.isView(inner)) {
      Object.values(inner).forEach(visit)
    }
  }
  visit(value)
  expect(strings.filter((text) => LONE_SURROGATE.test(text))).toEqual([])
}

/** A task for the pure core, as a driver with a summariser of its own would set it up. */
export interface MockedCase {
  readonly dialect: AnyDialect
  readonly request: object
  readonly preset?: Preset
  readonly window: number
  readonly current?: Plan
  readonly madeAt?: number
  /** Of the request, how many items there are yet. Default all. */
  readonly length?: number
  readonly canRead?: boolean
}

/** Compacts with a scripted answer to every effect. */
export function compactMocked(
  { dialect, request, preset = DEFAULT_PRESET, window, current = EMPTY_PLAN, madeAt, length, canRead }: MockedCase,
  answer: (effect: Effect, transcript: Transcript<object>) => EffectResult,
): { readonly outcome: CompactionOutcome<object>; readonly transcript: Transcript<object> } {
  const conversation = dialect.open(deepFreeze(structuredClone(request)))
  const limits = compactionLimits(preset, conversation, { window })
  const meter = dialectMeter(dialect, conversation.model, 'upper')
  const transcript = new Transcript<object>(dialect, meter, conversation.items.slice(0, length))
  const task: CompactionTask<object> = {
    transcript,
    current,
    ...(madeAt !== undefined && { madeAt }),
    overhead: 0,
    target: limits.target,
    limit: limits.limit,
    keep: limits.keep,
    rungs: rungsOf(preset),
    context: limits.context,
    ...(canRead !== undefined && { canRead }),
  }
  return { outcome: runCompaction(task, (effect) => answer(effect, transcript)), transcript }
}

/** Freezes a value all the way down: a mutation throws. */
export function deepFreeze<T>(value: T): T {
  if (value === null || typeof value !== 'object' || ArrayBuffer.isView(value) || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const inner of Object.values(value)) deepFreeze(inner)
  return value
}

const WORDS = (
  'table river green window paper stone letter garden silver planet engine market bridge simple number forest circle ' +
  'winter summer doctor school music coffee camera'
).split(' ')

/** Prose of so many tokens by the exact BPE: every word is one. Another seed gives another text. */
export function filler(tokens: number, seed = 1): string {
  let state = seed * 2_654_435_761
  return Array.from({ length: tokens }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return WORDS[(state >>> 8) % WORDS.length]
  }).join(' ')
}

/** `filler` of so many characters. */
export function fillerChars(characters: number, seed = 1): string {
  return filler(Math.ceil(characters / 4), seed).slice(0, characters)
}
