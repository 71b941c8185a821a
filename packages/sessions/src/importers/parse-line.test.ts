import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseLine } from './parse-line.ts'

const isRecord = (value: unknown) => value !== null && typeof value === 'object' && 'record' in value

test('one value is one value, of any kind', () => {
  expect(parseLine('{"a":1}', isRecord)).toEqual({ values: [{ a: 1 }], texts: ['{"a":1}'], broken: false })
  expect(parseLine('null', isRecord)).toEqual({ values: [null], texts: ['null'], broken: false })
})

test('objects glued together are taken apart', () => {
  const line = '{"a":"}{"}{"b":[{}]}  {"c":"\\""}'
  const texts = ['{"a":"}{"}', '{"b":[{}]}', '{"c":"\\""}']
  expect(parseLine(line, isRecord)).toEqual({ values: [{ a: '}{' }, { b: [{}] }, { c: '"' }], texts, broken: false })
})

test('behind a torn object the whole records are found; what is no record is passed over', () => {
  const torn = '{"record":1,"text":"cut {"x":{"record":2,"in":{"y":3}}{"record":4}'
  const texts = ['{"record":2,"in":{"y":3}}', '{"record":4}']
  const values = [{ record: 2, in: { y: 3 } }, { record: 4 }]
  expect(parseLine(torn, isRecord)).toEqual({ values, texts, broken: true })
})

test('a torn end loses only itself', () => {
  expect(parseLine('{"record":1}{"record":2,"te', isRecord)).toEqual({
    values: [{ record: 1 }],
    texts: ['{"record":1}'],
    broken: true,
  })
})

test('no JSON gives nothing', () => {
  expect(parseLine('plain words', isRecord)).toEqual({ values: [], texts: [], broken: true })
  expect(parseLine('}}}', isRecord)).toEqual({ values: [], texts: [], broken: true })
})

test('law: any objects glued together come out as they were', () => {
  fc.assert(
    fc.property(
      fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }), {
        minLength: 1,
        maxLength: 4,
      }),
      (objects) => {
        const line = objects.map((object) => JSON.stringify(object)).join('')
        expect(JSON.stringify(parseLine(line, isRecord).values)).toBe(JSON.stringify(objects))
      },
    ),
    { numRuns: 200 },
  )
})

test('law: any cut of a line gives a result, never an error', () => {
  fc.assert(
    fc.property(fc.string(), fc.jsonValue(), fc.nat(), (noise, value, cut) => {
      const line = (JSON.stringify(value) + noise).slice(cut % 50)
      expect(Array.isArray(parseLine(line, isRecord).values)).toBe(true)
    }),
    { numRuns: 200 },
  )
})

test('a record is found behind a torn one, however many whole objects that one holds', () => {
  const torn = `{"list":[${'{"a":1},'.repeat(1_000)}{"b`
  expect(parseLine(`${torn}{"type":"x"}`, (value) => JSON.stringify(value) === '{"type":"x"}')).toEqual({
    values: [{ type: 'x' }],
    texts: ['{"type":"x"}'],
    broken: true,
  })
})

/** Milliseconds: reading each torn record to the end of the line would take minutes. */
test('a long line of torn records is not read over for each of them', { timeout: 30_000 }, () => {
  const torn = '{"type":"x","held":{"text":"'.repeat(20_000)
  expect(parseLine(torn, () => true)).toEqual({ values: [], texts: [], broken: true })
})
