import { planExtent } from '../plan/plan.ts'
import { decodePlan } from '../plan/plan-codec.ts'
import type { CompactionRecord } from './compaction-record.ts'

/** The record that a store gave, if it is one: what is stored may be damaged, or another version's. Never throws. */
export function readRecord(value: unknown): CompactionRecord | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const record = value as CompactionRecord
  const { key, anchor, extent, length, plan, after } = record
  if (typeof key !== 'string' || typeof anchor !== 'string') return undefined
  if (after !== undefined && typeof after !== 'string') return undefined
  if (!isCount(extent) || !isCount(length) || extent > length) return undefined
  return isPlanOf(plan, extent) ? record : undefined
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isPlanOf(plan: unknown, extent: number): boolean {
  if (typeof plan !== 'object' || plan === null) return false
  try {
    return planExtent(decodePlan(plan)) === extent
  } catch {
    return false
  }
}
