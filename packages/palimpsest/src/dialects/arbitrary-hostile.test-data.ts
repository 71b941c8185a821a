import fc from 'fast-check'

/** Values where others are due: names that mean something, any JSON, and what only a program can hold. */
function arbitraryValue(names: readonly string[]): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom<unknown>(undefined, null, '', 'text', 7, ...names) },
    { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
    { weight: 1, arbitrary: fc.anything({ maxDepth: 2 }) },
  )
}

/**
 * Anything that may stand where an item should: known fields with any value in them, lists of the same inside, and any
 * value. `names` are words that a field may hold to be taken for something (roles, types).
 */
export function hostileItems(fields: readonly string[], names: readonly string[]): fc.Arbitrary<unknown> {
  const value = arbitraryValue(names)
  const record = (inner: fc.Arbitrary<unknown>) => fc.dictionary(fc.constantFrom(...fields), inner, { maxKeys: 6 })
  const block = fc.oneof(
    { weight: 3, arbitrary: record(fc.oneof(value, record(value))) },
    { weight: 1, arbitrary: value },
  )
  const content = fc.oneof(value, fc.array(block, { maxLength: 4 }))
  return fc.oneof(
    { weight: 4, arbitrary: record(content) },
    { weight: 1, arbitrary: value },
    { weight: 1, arbitrary: fc.anything({ withDate: true, withTypedArray: true }) },
  )
}
