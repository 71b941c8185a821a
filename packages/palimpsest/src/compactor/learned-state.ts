import { type Calibration, decodeCalibration } from '../engine/tokens/calibration.ts'
import type { Branch, LateOverflow } from './branch.ts'

/** What one process learned of a conversation, for the next one. Plain JSON. */
export interface LearnedState {
  /** What the usage of this model taught. */
  readonly calibration: Calibration
  /** Mean estimate of the request whose compaction came to nothing. */
  readonly failedAt?: number
  /** A size that the provider refused without saying what would fit. */
  readonly bound?: number
  /** An overflow that was seen too late for a retry. */
  readonly due?: LateOverflow
}

/** What a branch knows now, for this model. */
export function learnedState<Item extends object>(branch: Branch<Item>, model: string): LearnedState {
  const { failedAt, bound, due } = branch
  return {
    calibration: branch.calibration(model),
    ...(failedAt !== undefined && { failedAt }),
    ...(bound !== undefined && { bound }),
    ...(due !== undefined && { due }),
  }
}

/** Gives a new branch what an earlier process knew. What cannot be read is passed over: usage teaches it again. */
export function takeUp<Item extends object>(branch: Branch<Item>, learned: Readonly<Record<string, unknown>>): void {
  for (const [model, value] of Object.entries(learned)) {
    const { calibration, failedAt, bound, due } = fieldsOf(value)
    const known = readCalibration(calibration)
    if (known !== undefined) branch.calibrations.set(model, known)
    if (isTokens(failedAt)) branch.failedAt = failedAt
    if (isTokens(bound)) branch.bound = bound
    if (isLateOverflow(due)) branch.due = due
  }
}

function readCalibration(value: unknown): Calibration | undefined {
  try {
    return decodeCalibration(value)
  } catch {
    return undefined
  }
}

function isTokens(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

function isLateOverflow(value: unknown): value is LateOverflow {
  const { facts, sent } = fieldsOf(value)
  return isTokens(sent) && KINDS.has(fieldsOf(facts).kind) && typeof fieldsOf(facts).detail === 'string'
}

const KINDS: ReadonlySet<unknown> = new Set(['tokens', 'output', 'bytes', 'rate-bucket', 'silent', 'reasoning-bound'])

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}
