import { expect, expectTypeOf, it } from 'vitest'
import type { CompactorEvent } from '../compactor/events.ts'
import type { CompactionReason } from '../engine/record/compaction-record.ts'
import { type Heard, type HeardEvent, reasonOf } from './heard-event.ts'
import type { REASONS } from './names.ts'

it('G1 every event of a compactor is one that telemetry knows', () => {
  expectTypeOf<CompactorEvent>().toExtend<HeardEvent>()
  expectTypeOf<CompactorEvent['type']>().toEqualTypeOf<HeardEvent['type']>()
  expectTypeOf<(typeof REASONS)[number]>().toEqualTypeOf<CompactionReason>()
})

it.each([
  ['threshold', ['truncateToolPayloads'], 'truncate'],
  ['threshold', ['truncateToolPayloads', 'summarizeOlder'], 'threshold'],
  ['threshold', [], 'threshold'],
  ['overflow', ['truncateToolPayloads'], 'overflow'],
  ['manual', ['truncateToolPayloads'], 'manual'],
  ['tool', ['summarizeOlder'], 'tool'],
] as const)('G1 a compaction for %s by %j has the reason %s', (reason, strategies, told) => {
  expect(reasonOf({ ...APPLIED, reason, strategies })).toBe(told)
})

const APPLIED: Heard<'compaction-applied'> = {
  ...{ type: 'compaction-applied', id: 's/1', session: 's', reason: 'threshold', strategies: [] },
  ...{ tokensBefore: 2, tokensAfter: 1, evicted: 0, truncatedArguments: 0 },
}
