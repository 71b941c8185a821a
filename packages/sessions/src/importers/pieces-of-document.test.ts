import { expect, test } from 'vitest'
import { isFields } from './json-fields.ts'
import { piecesOfDocument } from './pieces-of-document.ts'

const isNamed = (value: unknown) => isFields(value) && typeof value.name === 'string'

test.each([
  ['a torn end', '{"list":[{"name":"a"},{"name":"b","of":{"name":"inner"}},{"name":"c', ['a', 'b']],
  ['a torn beginning', 'st":[{"name":"a"},\n  {\n  "name": "b" }]}', ['a', 'b']],
  ['a quote too much', '{"list":[{"name":"a"},{"na"me":"x"},{"name":"b"}]}', ['a', 'b']],
  ['a bracket too much', '{"list":[{"name":"a"}]}]{"name":"b"}}', ['a', 'b']],
  ['pieces below what is none', '{"list":[{"of":[{"name":"a"}]},{"name":"b"', ['a']],
  ['what only looks like a piece, inside a text', '{"list":[{"name":"{\\"name\\":\\"x\\"}"},', ['{"name":"x"}']],
  ['nothing', '', []],
])('%s', (_name, text, names) => {
  const pieces = piecesOfDocument(text, isNamed)
  expect(pieces.map(({ value }) => (value as { name: string }).name)).toEqual(names)
  for (const piece of pieces) expect(JSON.parse(piece.text)).toEqual(piece.value)
})

test('a text of nothing but beginnings is given up', () => {
  expect(piecesOfDocument('{"'.repeat(50_000), isNamed)).toEqual([])
})

/** Milliseconds: reading each object to its end would take minutes. */
test('a document that nests deeply and holds no piece is not read over for each object', { timeout: 30_000 }, () => {
  const deep = `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`
  expect(piecesOfDocument(deep, () => false)).toEqual([])
})
