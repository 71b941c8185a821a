import fc from 'fast-check'
import type { Plan } from './plan.ts'

/** Plans on a transcript of `length` items with up to three parts each: any edits, overlapping as they come. */
export function arbitraryPlan(length: number): fc.Arbitrary<Plan> {
  const position = fc.integer({ min: 0, max: length - 1 })
  const part = fc.integer({ min: 0, max: 2 })
  const place = { message_index: position, part }
  const text = fc.string({ maxLength: 6 })
  const some = <T>(one: fc.Arbitrary<T>) => fc.array(one, { minLength: 1, maxLength: 4 })
  return fc
    .record(
      {
        drop: some(
          fc.tuple(fc.integer({ min: 0, max: length }), fc.integer({ min: 0, max: length })).map(([a, b]) => ({
            from: Math.min(a, b),
            to: Math.max(a, b),
          })),
        ),
        summaries: some(fc.record({ insert_after: fc.integer({ min: -1, max: length - 1 }), content: text })),
        offloads: some(
          fc.record(
            { message_index: position, part, artifact_key: text, threshold: fc.nat(5000) },
            { requiredKeys: ['message_index'] },
          ),
        ),
        truncations: some(fc.record({ ...place, kept_head: fc.nat(60), kept_tail: fc.nat(60), of: fc.nat(900) })),
        removals: some(fc.record(place)),
        placeholders: some(fc.record({ ...place, kind: fc.constantFrom('image', 'document', 'reasoning') })),
      },
      { requiredKeys: [] },
    )
    .map((plan) => plan as Plan)
}
