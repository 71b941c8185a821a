import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { derive, deriveList } from './derive.ts'
import { parseJson } from './json-source.ts'
import { applyEdit, randomEdit, textsOf, writtenJson } from './json-text.test-data.ts'
import { spliceJson } from './splice.ts'
import { wellFormed } from './well-formed.ts'

type Message = { readonly role: string; readonly content: unknown; readonly [key: string]: unknown }

function request(text: string) {
  const source = parseJson(text)
  const value = source.value as { readonly messages: readonly Message[]; readonly [key: string]: unknown }
  return { source, value, messages: value.messages }
}

/** JSON text of what both sides mean, so that -0 and lone surrogates in what was written anew do not count. */
function meaning(value: unknown): string {
  return JSON.stringify(value, (_, inner) => (typeof inner === 'string' ? wellFormed(inner) : inner))
}

describe('what did not change is copied', () => {
  const text = `{
  "model": "m", "seed": 12345678901234567890,
  "messages": [
    {"role": "user", "content": "caf\\u00e9", "t": 1.0},
    { "role" : "assistant", "content" : [ { "id" : 9007199254740993, "text" : "a\\/b" } ], "n" : 1e3 },
    {"role": "user", "content": "\\ud83d", "t": 2.50}
  ]
}`
  const first = '{"role": "user", "content": "caf\\u00e9", "t": 1.0}'
  const second = '{ "role" : "assistant", "content" : [ { "id" : 9007199254740993, "text" : "a\\/b" } ], "n" : 1e3 }'
  const third = '{"role": "user", "content": "\\ud83d", "t": 2.50}'

  test('the value itself is the text itself', () => {
    const { source } = request(text)
    expect(spliceJson(source, source.value)).toBe(text)
  })

  test('messages that stay, and the members beside them', () => {
    const { source, value, messages } = request(text)
    const next = derive(value, { messages: deriveList(messages, messages.slice(1)) })
    expect(spliceJson(source, next)).toBe(`{"model":"m","seed":12345678901234567890,"messages":[${second},${third}]}`)
  })

  test('elements that moved, and new ones between them', () => {
    const { source, value, messages } = request(text)
    const [a, b, c] = messages
    const summary = { role: 'user', content: 'a summary' }
    const next = { ...value, messages: [c, summary, a, b] }
    expect(spliceJson(source, next)).toBe(
      `{"model":"m","seed":12345678901234567890,"messages":[${third},{"role":"user","content":"a summary"},${first},${second}]}`,
    )
  })

  test('inside a derived message: numbers, strings and keys that stayed', () => {
    const { source, value, messages } = request(text)
    const edited = messages.map((message, i) => (i === 2 ? derive(message, { role: 'system' }) : message))
    const next = derive(value, { messages: deriveList(messages, edited) })
    expect(spliceJson(source, next)).toContain('{"role":"system","content":"\\ud83d","t":2.50}')
  })

  test('a derived message that moved, and a copy of a copy', () => {
    const { source, value, messages } = request(text)
    const once = messages.map((message) => derive(message, { role: 'tool' }))
    const twice = once.map((message) => derive(message, { extra: true })).toReversed()
    const next = derive(value, { messages: deriveList(messages, twice) })
    expect(spliceJson(source, next)).toContain(
      '{"role":"tool","content":[ { "id" : 9007199254740993, "text" : "a\\/b" } ],"n":1e3,"extra":true}',
    )
  })

  test('a part that stands in a new object', () => {
    const { source, value, messages } = request(text)
    const joined = { role: 'user', content: [{ text: 'new' }, ...([] as unknown[]).concat(messages[1]?.content)] }
    const next = { ...value, messages: [joined] }
    expect(spliceJson(source, next)).toContain('[{"text":"new"},{ "id" : 9007199254740993, "text" : "a\\/b" }]')
  })

  test('the whole source inside something new', () => {
    const source = parseJson(' [1.0] ')
    expect(spliceJson(source, { batch: [source.value, source.value] })).toBe('{"batch":[[1.0],[1.0]]}')
  })

  test('numbers of a list, when others leave, come or move', () => {
    const source = parseJson('[1.0, 2.0, 2.00, 3.0, "\\u0061"]')
    const list = source.value as unknown[]
    expect(spliceJson(source, deriveList(list, [2, 2, 3, 4, 'a']))).toBe('[2.0,2.00,3.0,4,"\\u0061"]')
    expect(spliceJson(source, deriveList(list, ['a', 3, 1]))).toBe('["\\u0061",3.0,1.0]')
  })

  test('objects under the same key, though they are no derived copies', () => {
    const source = parseJson('{"thinking": {"budget": 1.0e4, "type": "enabled"}}')
    expect(spliceJson(source, { thinking: { budget: 10000, type: 'adaptive' } })).toBe(
      '{"thinking":{"budget":1.0e4,"type":"adaptive"}}',
    )
  })
})

describe('difficult texts', () => {
  test('of a key that stands twice the last value counts', () => {
    const source = parseJson('{"a": {"b": [1.0]}, "a": {"b": {"c": 2.0}}, "d": 3.0}')
    const value = source.value as { a: { b: { c: number } }; d: number }
    expect(spliceJson(source, { ...value, d: 4 })).toBe('{"a":{"b": {"c": 2.0}},"d":4}')
    const deep = derive(value, { a: derive(value.a, { b: derive(value.a.b, { c: 2, e: 5 } as object) }) })
    expect(spliceJson(source, deep)).toBe('{"a":{"b":{"c":2.0,"e":5}},"d":3.0}')
  })

  test('a key __proto__ survives', () => {
    const source = parseJson('{"__proto__": {"x": 1.0}, "a": 1}')
    const value = source.value as { a: number }
    expect(spliceJson(source, derive(value, { a: 2 }))).toBe('{"__proto__":{"x": 1.0},"a":2}')
    expect(Object.getPrototypeOf(derive(value, { a: 2 }))).toBe(Object.prototype)
  })

  test('new strings are well-formed, old ones keep their escapes', () => {
    const source = parseJson('{"old": "\\ud83d", "gone": 1}')
    const value = source.value as object
    expect(spliceJson(source, derive(value, { gone: undefined, added: 'x\ud83d' } as object))).toBe(
      '{"old":"\\ud83d","added":"x\ufffd"}',
    )
  })

  test('values that JSON leaves out or writes by themselves', () => {
    const source = parseJson('{"a": 1.0}')
    const date = new Date(0)
    const next = { ...(source.value as object), u: undefined, f: () => 1, list: [undefined, Number.NaN], date }
    expect(spliceJson(source, next)).toBe('{"a":1.0,"list":[null,null],"date":"1970-01-01T00:00:00.000Z"}')
  })

  test('a source that is no array or object', () => {
    expect(spliceJson(parseJson('1.0'), 1)).toBe('1.0')
    expect(spliceJson(parseJson('1.0'), 2)).toBe('2')
    expect(spliceJson(parseJson('1.0'), { a: [1] })).toBe('{"a":[1]}')
    expect(spliceJson(parseJson('{}'), 'x')).toBe('"x"')
  })

  test('backslashes before quotes, brackets inside strings', () => {
    const text = '{"a":"\\\\","b":"\\"","c":"]}\\\\\\"[{","d":[{"e":"\\\\\\\\"}],"f":1}'
    const source = parseJson(text)
    const next = derive(source.value as { f: number }, { f: 2 })
    expect(spliceJson(source, next)).toBe(text.replace('"f":1', '"f":2'))
  })

  test('deep nesting that stays is skipped without recursion', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const source = parseJson(`{"deep":${deep},"a":1.0}`)
    expect(spliceJson(source, derive(source.value as { a: number }, { a: 2 }))).toBe(`{"deep":${deep},"a":2}`)
  })

  test('long lists', () => {
    const numbers = Array.from({ length: 150_000 }, (_, i) => `{"n":${i}.0}`)
    const source = parseJson(`{"list":[${numbers.join(', ')}],"a":1}`)
    const { list } = source.value as { list: object[] }
    const next = { list: deriveList(list, [{ n: 'new' }, ...list.slice(1)]) }
    expect(spliceJson(source, next)).toBe(`{"list":[{"n":"new"},${numbers.slice(1).join(',')}]}`)
  })
})

describe('what cannot be written', () => {
  test('a value that contains itself', () => {
    const loop: Record<string, unknown> = {}
    loop.self = { list: [loop] }
    expect(() => spliceJson(parseJson('{}'), loop)).toThrow(TypeError)
  })

  test('no JSON value at all', () => {
    expect(() => spliceJson(parseJson('{}'), undefined)).toThrow(TypeError)
    expect(() => spliceJson(parseJson('{}'), { big: 1n })).toThrow(TypeError)
  })

  test('a text that is not the one the value came from', () => {
    const value = JSON.parse('{"a":[1,2],"b":2}')
    for (const text of ['{"a":[1', '{"a', '{"a":', '[', '', '{"a":[1,2],"b":2']) {
      expect(() => spliceJson({ text, value }, { ...value, b: 3 })).toThrow(TypeError)
    }
  })
})

describe('laws', () => {
  const edited = fc.tuple(writtenJson, fc.array(randomEdit, { minLength: 1, maxLength: 4 })).map(([written, edits]) => {
    const source = parseJson(written.text)
    return {
      written,
      source,
      next: edits.reduce((value, edit) => applyEdit(value, edit, source.value), source.value),
    }
  })

  test('the same value gives the same text', () => {
    fc.assert(
      fc.property(writtenJson, ({ text }) => {
        const source = parseJson(text)
        expect(spliceJson(source, source.value)).toBe(text)
      }),
      { numRuns: 1000 },
    )
  })

  test('the text means what the new value means', () => {
    fc.assert(
      fc.property(edited, ({ source, next }) => {
        expect(meaning(JSON.parse(spliceJson(source, next)))).toBe(meaning(next))
      }),
      { numRuns: 1000 },
    )
  })

  test('every array and object that is still the same stands in it with its exact text', () => {
    fc.assert(
      fc.property(edited, ({ written, source, next }) => {
        const spliced = spliceJson(source, next)
        const texts = textsOf(written, source.value)
        const visit = (value: unknown): void => {
          if (value === null || typeof value !== 'object') return
          const text = texts.get(value)
          if (text !== undefined) expect(spliced).toContain(text)
          else Object.values(value).forEach(visit)
        }
        visit(next)
      }),
      { numRuns: 1000 },
    )
  })

  test('numbers and strings of a derived object stand in it with their spelling', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.bigInt({ min: 2n ** 60n, max: 2n ** 64n }), { minLength: 2 }),
        fc.nat(),
        (ids, at) => {
          const members = ids.map((id, i) => `"k${i}": ${id}.0`)
          const source = parseJson(`{"list": [{${members.join(', ')}}]}`)
          const { list } = source.value as { list: { [key: string]: number }[] }
          const gone = at % ids.length
          const edit = list.map((element) => derive(element, { [`k${gone}`]: undefined }))
          const kept = ids.filter((_, i) => i !== gone).map((id) => `:${id}.0`)
          const spliced = spliceJson(source, { list: deriveList(list, edit) })
          expect(spliced.match(/:\d+\.0/g)).toEqual(kept)
        },
      ),
      { numRuns: 1000 },
    )
  })

  test('neither the source nor the new value is changed, and the same input gives the same text', () => {
    fc.assert(
      fc.property(edited, ({ source, next }) => {
        const before = [JSON.stringify(source), JSON.stringify(next)]
        const spliced = spliceJson(source, next)
        expect([JSON.stringify(source), JSON.stringify(next)]).toEqual(before)
        expect(spliceJson(source, next)).toBe(spliced)
      }),
      { numRuns: 1000 },
    )
  })
})
