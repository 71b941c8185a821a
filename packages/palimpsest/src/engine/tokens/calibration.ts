import { PalimpsestError } from '../errors.ts'
import type { TokenCount } from './ledger.ts'

/** What one response tells about the request that it answered. */
export interface UsageSample {
  /** Prompt tokens in all, whatever part of them a cache served. */
  readonly input: number
  /** The mean estimate of exactly that request: system, tools, messages and framing. */
  readonly estimate: number
  /** Names the tool definitions: equal for equal ones. */
  readonly tools: string
  /** The view that was sent: how many items, and the chain key of the last of them. Absent: it cannot be a base. */
  readonly view?: ViewKey
  /** The provider removed something before it counted (context editing, compaction of its own). */
  readonly serverEdited?: boolean
}

/** Names the first `items` items of a view by content. */
export interface ViewKey {
  readonly items: number
  readonly key: string
}

/** A sent view of known size. */
export interface MeasuredView extends ViewKey {
  readonly input: number
  readonly estimate: number
  /** Nothing measured it: a compaction made it, and judged its size by the usage before. */
  readonly assumed?: true
}

/**
 * What the usage of one model's responses in one session taught about its estimates. Immutable, and plain JSON: it is kept
 * as it stands in the session's state.
 */
export interface Calibration {
  /** Measured over estimated size of whole requests, newest last, at most five. The first is an assumption. */
  readonly ratios: readonly number[]
  /** Measured over estimated growth between requests, newest last, at most five. The first is an assumption. */
  readonly slopes: readonly number[]
  /** Has any ratio been measured? */
  readonly seen: boolean
  /** The tools that all of this was measured with. */
  readonly tools?: string
  /** Views sent since the newest compaction, newest last. */
  readonly sent: readonly MeasuredView[]
  /** The newest usable sample, trusted or not. */
  readonly last?: Measured
  /** Where the growth that becomes the next slope began. */
  readonly growthFrom?: Measured
}

interface Measured {
  readonly input: number
  readonly estimate: number
}

/** A model of which nothing was seen: its estimates are taken as they are. */
export const UNCALIBRATED: Calibration = { ratios: [1], slopes: [1], seen: false, sent: [] }

/** How many ratios count, and how far they may move an estimate (architecture, law 9). */
const SAMPLES = 5
/** Least measured tokens per estimated one that a usage is believed. */
export const LEAST_SCALE = 0.7
const MOST_SCALE = 1.6
/** A ratio outside of these is no measurement of this request. */
const RATIO_RANGE = [0.2, 5] as const
const SLOPE_RANGE = [0.4, 2.5] as const
/** Below this many estimated tokens a ratio tells more of the provider's preamble than of the text. */
const LEAST_RATIO_TOKENS = 1_000
/** Growth is measured over at least this much, so that framing and rounding of small steps do not count. */
const LEAST_GROWTH_TOKENS = 1_000
/** Two samples confirm each other when they grew together by more than this. */
const LEAST_CONFIRMING_TOKENS = 50
/** How far a usage may be from what was expected and still be a base at once. */
const TRUSTED_RANGE = [0.6, 1.7] as const
/** System and tools that the estimate did not see may add this much to it. */
const UNSEEN_TOKENS = 32_768
/** A retry or a branch goes back a few requests, not more. */
const KEPT_VIEWS = 16

/**
 * The calibration after one more response. What is no measurement (missing, zero, not a number, absurd) changes nothing; a
 * usage far from what was expected joins the ratios, of which the median counts, and is a base only once the next one
 * confirms its growth.
 *
 * @example
 * const calibration = observeUsage(UNCALIBRATED, { input: 11_000, estimate: 10_000, tools: '' })
 */
export function observeUsage(calibration: Calibration, sample: UsageSample): Calibration {
  if (sample.serverEdited === true || !isMeasurement(sample)) return calibration
  const before = calibration.tools === sample.tools ? calibration : otherTools(calibration, sample.tools)
  const { input, estimate } = sample
  const trusted = isTrusted(before, sample)
  return {
    ...before,
    ...withRatio(before, sample),
    ...(trusted && withGrowth(before, sample)),
    sent: trusted && sample.view !== undefined ? withView(before.sent, sample, sample.view) : before.sent,
    last: { input, estimate },
  }
}

/**
 * The calibration after a compaction: the usage of an older view is no base any more.
 *
 * @example
 * forgetViews(observeUsage(UNCALIBRATED, { input: 11_000, estimate: 10_000, tools: '' })).sent // []
 */
export function forgetViews(calibration: Calibration): Calibration {
  const { growthFrom: _ended, last: _older, ...rest } = calibration
  return { ...rest, sent: [] }
}

/**
 * The calibration after a compaction whose view is taken to have `input` tokens. Until its usage is known, that is the base:
 * so the size that a compaction ended with is the size that the next request finds.
 *
 * @example
 * assumeView(UNCALIBRATED, { items: 3, key: 'c0ffee', input: 2_000, estimate: 1_900, tools: '' })
 */
export function assumeView(
  calibration: Calibration,
  view: ViewKey & { readonly input: number; readonly estimate: number; readonly tools: string },
): Calibration {
  const { tools, ...assumed } = view
  const before = calibration.tools === tools ? forgetViews(calibration) : otherTools(calibration, tools)
  return { ...before, tools, sent: [{ ...assumed, assumed: true }] }
}

/** A request about to be sent. */
export interface EstimatedView {
  /** Its estimates, whole request, in tokens. */
  readonly mean: number
  readonly upper: number
  /** Names the tool definitions, as in the samples. */
  readonly tools: string
  /** The chain key of its first `items` items; undefined where it has fewer. */
  keyAt(items: number): string | undefined
}

/**
 * The size of a request in whole tokens. The usage of the longest sent view that it extends, plus κ × what is estimated for
 * the rest; without such a view κ × the estimate of all, and the upper estimate as long as nothing was measured. For the
 * rest κ is the ratio of growth, for all of it the ratio of whole requests: both are medians of the last five, within
 * [0.7, 1.6].
 *
 * @example
 * predictSize(UNCALIBRATED, { mean: 9_000, upper: 10_000, tools: '', keyAt: () => undefined }).tokens // 10000
 */
export function predictSize(calibration: Calibration, view: EstimatedView): TokenCount {
  const base = calibration.tools === view.tools ? longestBase(calibration.sent, view) : undefined
  if (base !== undefined) {
    const tokens = base.input + growthScale(calibration) * (view.mean - base.estimate)
    return { tokens: Math.max(0, Math.round(tokens)), basis: base.assumed === true ? 'estimated' : 'measured' }
  }
  const tokens = calibration.seen ? wholeScale(calibration) * view.mean : view.upper
  return { tokens: Math.round(tokens), basis: 'estimated' }
}

/**
 * κ for a whole request: measured tokens per estimated one.
 *
 * @example
 * wholeScale(UNCALIBRATED) // 1
 */
export function wholeScale(calibration: Calibration): number {
  return clamp(median(calibration.ratios), LEAST_SCALE, MOST_SCALE)
}

/**
 * κ for what a request grew by.
 *
 * @example
 * growthScale(UNCALIBRATED) // 1
 */
export function growthScale(calibration: Calibration): number {
  return clamp(median(calibration.slopes), LEAST_SCALE, MOST_SCALE)
}

/**
 * A calibration from the JSON it was kept as. @throws PalimpsestError `invalid-input` that names what is wrong.
 *
 * @example
 * decodeCalibration(JSON.parse(JSON.stringify(UNCALIBRATED)))
 */
export function decodeCalibration(json: unknown): Calibration {
  const { ratios, slopes, seen, tools, sent, last, growthFrom } = record(json, 'the value')
  if (typeof seen !== 'boolean') wrong('seen', 'must be true or false')
  if (tools !== undefined && typeof tools !== 'string') wrong('tools', 'must be a string')
  if (!Array.isArray(sent)) wrong('sent', 'must be a list')
  return {
    ratios: scales(ratios, 'ratios'),
    slopes: scales(slopes, 'slopes'),
    seen,
    ...(tools !== undefined && { tools }),
    sent: (sent as readonly unknown[]).map((view, at) => measuredView(view, `sent.${at}`)),
    ...(last !== undefined && { last: measured(last, 'last') }),
    ...(growthFrom !== undefined && { growthFrom: measured(growthFrom, 'growthFrom') }),
  }
}

function isMeasurement({ input, estimate }: UsageSample): boolean {
  return Number.isSafeInteger(input) && input > 0 && Number.isFinite(estimate) && estimate > 0
}

/** Other tools, other bases; what was learned stays as the assumption that new measurements replace. */
function otherTools(calibration: Calibration, tools: string): Calibration {
  return { ...forgetViews(calibration), tools, ratios: [wholeScale(calibration)] }
}

function isTrusted(calibration: Calibration, { input, estimate }: UsageSample): boolean {
  if (input < RATIO_RANGE[0] * estimate) return false
  const expected = wholeScale(calibration) * estimate
  const near = input >= TRUSTED_RANGE[0] * expected && input <= TRUSTED_RANGE[1] * expected + UNSEEN_TOKENS
  if (near || calibration.last === undefined) return near
  const grown = estimate - calibration.last.estimate
  return grown > LEAST_CONFIRMING_TOKENS && isSlope((input - calibration.last.input) / grown)
}

function isSlope(ratio: number): boolean {
  return ratio > SLOPE_RANGE[0] && ratio < SLOPE_RANGE[1]
}

function withRatio(before: Calibration, { input, estimate }: UsageSample): Partial<Calibration> {
  const ratio = input / estimate
  if (estimate < LEAST_RATIO_TOKENS || ratio < RATIO_RANGE[0] || ratio > RATIO_RANGE[1]) return {}
  return { seen: true, ratios: [...before.ratios, ratio].slice(-SAMPLES) }
}

function withGrowth(before: Calibration, { input, estimate }: UsageSample): Partial<Calibration> {
  const here = { input, estimate }
  const from = before.growthFrom
  if (from === undefined || estimate < from.estimate) return { growthFrom: here }
  const grown = estimate - from.estimate
  if (grown < LEAST_GROWTH_TOKENS) return {}
  const slope = (input - from.input) / grown
  if (!isSlope(slope)) return { growthFrom: here }
  return { growthFrom: here, slopes: [...before.slopes, slope].slice(-SAMPLES) }
}

function withView(sent: readonly MeasuredView[], { input, estimate }: UsageSample, view: ViewKey): MeasuredView[] {
  const others = sent.filter((other) => other.key !== view.key || other.items !== view.items)
  return [...others, { items: view.items, key: view.key, input, estimate }].slice(-KEPT_VIEWS)
}

function longestBase(sent: readonly MeasuredView[], view: EstimatedView): MeasuredView | undefined {
  let longest: MeasuredView | undefined
  for (const one of sent) {
    if (one.items >= (longest?.items ?? 0) && view.keyAt(one.items) === one.key) longest = one
  }
  return longest
}

/**
 * The scale that these ratios of measured to estimated tokens tell: the median of the newest five, within bounds.
 *
 * @example
 * scaleOf([1.1, 0.9, 1.2]) // 1.1
 */
export function scaleOf(ratios: readonly number[]): number {
  return ratios.length === 0 ? 1 : clamp(median(ratios.slice(-SAMPLES)), LEAST_SCALE, MOST_SCALE)
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? 1
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value))
}

function scales(value: unknown, where: string): readonly number[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > SAMPLES)
    wrong(where, 'must hold one to five numbers')
  return (value as readonly unknown[]).map((one) => positive(one, where))
}

function measuredView(value: unknown, where: string): MeasuredView {
  const { items, key, assumed } = record(value, where)
  if (typeof key !== 'string') wrong(`${where}.key`, 'must be a string')
  if (!Number.isSafeInteger(items) || (items as number) < 0) wrong(`${where}.items`, 'must be a whole number')
  if (assumed !== undefined && assumed !== true) wrong(`${where}.assumed`, 'must be true or absent')
  return { items: items as number, key, ...measured(value, where), ...(assumed === true && { assumed }) }
}

function measured(value: unknown, where: string): Measured {
  const { input, estimate } = record(value, where)
  return { input: positive(input, `${where}.input`), estimate: positive(estimate, `${where}.estimate`) }
}

function positive(value: unknown, where: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) wrong(where, 'must be a number above 0')
  return value
}

function record(value: unknown, where: string): Record<string, unknown> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) wrong(where, 'must be an object')
  return value as Record<string, unknown>
}

function wrong(where: string, what: string): never {
  throw new PalimpsestError('invalid-input', `Not a calibration: ${where} ${what}.`, {
    hint: 'Leave it out and start from UNCALIBRATED: a few responses teach it again.',
  })
}
