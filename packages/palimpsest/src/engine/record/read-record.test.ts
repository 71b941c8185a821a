import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CompactionRecord } from './compaction-record.ts'
import { readRecord } from './read-record.ts'

const RECORD: CompactionRecord = {
  key: 'k',
  anchor: 'a',
  extent: 4,
  length: 6,
  plan: { drop: [{ from: 0, to: 4 }], summaries: [{ insert_after: 3, content: 's' }] },
  strategy: 'summarizeOlder',
  reason: 'threshold',
  at_turn: 1,
  kept_from: 4,
  tokens_before: 9,
  tokens_after: 3,
}

describe('readRecord', () => {
  it('gives a record as it stands, also after JSON', () => {
    expect(readRecord(RECORD)).toBe(RECORD)
    expect(readRecord(JSON.parse(JSON.stringify(RECORD)))).toEqual(RECORD)
  })

  it.each([
    ['no plan', { plan: null }],
    ['a plan that is none', { plan: { drop: 'x' } }],
    ['a cut without its numbers', { plan: { truncations: [{ message_index: 3, part: 0 }] } }],
    ['a plan of other positions', { plan: { drop: [{ from: 0, to: 1_000_000_000 }] } }],
    ['no length', { length: undefined }],
    ['a length below its extent', { length: 3 }],
    ['an extent below 0', { extent: -1 }],
    ['a key that is none', { key: 7 }],
  ])('takes nothing with %s', (_name, change) => {
    expect(readRecord({ ...RECORD, ...change })).toBeUndefined()
  })

  it('never throws', () => {
    fc.assert(
      fc.property(fc.anything(), fc.constantFrom(...Object.keys(RECORD)), (value, field) => {
        expect(readRecord(value)).toBeUndefined()
        expect(() => readRecord({ ...RECORD, [field]: value })).not.toThrow()
      }),
      { numRuns: 1000 },
    )
  })
})
