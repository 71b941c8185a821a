import fc from 'fast-check'
import { derive, deriveList } from './derive.ts'

/** A JSON text with the tree that it was written from, so that a test knows the exact text of every part. */
export interface WrittenJson {
  readonly text: string
  readonly elements?: readonly WrittenJson[]
  readonly members?: readonly { readonly name: string; readonly value: WrittenJson }[]
}

/** Spellings that parsing and writing again would lose. */
const scalar = fc.oneof(
  fc.constantFrom('true', 'false', 'null', '-0', '1.0', '1.50', '1e3', '2E+2', '0.10e-2', '12345678901234567890'),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n }).map(String),
  fc.constantFrom(
    '""',
    '"caf\\u00e9"',
    '"a\\/b"',
    '"\\ud83d\\ude80"',
    '"\\ud83d"',
    '"\\\\"',
    '"\\""',
    '"[{,:]}"',
    '"é𝔘"',
  ),
  fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text)),
)
const space = fc.constantFrom('', '', ' ', '\n  ', '\t', '\r\n')
const key = fc.constantFrom('a', 'b', 'content', '', 'é', '__proto__', 'constructor', 'toString', '1', '0', '\\', '"')

/** JSON in any spelling: white space, escapes, keys that stand twice, `__proto__`, numbers beyond 2^53. */
export const writtenJson: fc.Arbitrary<WrittenJson> = fc.letrec<{ node: WrittenJson }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    scalar.map((text) => ({ text })),
    fc.tuple(fc.array(tie('node'), { maxLength: 5 }), space).map(([elements, gap]) => writtenArray(elements, gap)),
    fc
      .tuple(fc.array(fc.tuple(key, fc.boolean(), tie('node')), { maxLength: 5 }), space)
      .map(([members, gap]) => writtenObject(members, gap)),
  ),
})).node

function writtenArray(elements: readonly WrittenJson[], gap: string): WrittenJson {
  return { text: `[${gap}${elements.map(({ text }) => text).join(`${gap},${gap}`)}${gap}]`, elements }
}

function writtenObject(members: readonly (readonly [string, boolean, WrittenJson])[], gap: string): WrittenJson {
  const written = members.map(([name, isEscaped, value]) => {
    const quoted = isEscaped ? `"${escapeAll(name)}"` : JSON.stringify(name)
    return `${quoted}${gap}:${gap}${value.text}`
  })
  return {
    text: `{${gap}${written.join(`${gap},${gap}`)}${gap}}`,
    members: members.map(([name, , value]) => ({ name, value })),
  }
}

function escapeAll(text: string): string {
  return Array.from(text, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
}

/** The text of every array and object of the value that was parsed from `written`. */
export function textsOf(written: WrittenJson, value: unknown, into = new Map<object, string>()): Map<object, string> {
  if (value === null || typeof value !== 'object') return into
  into.set(value, written.text)
  written.elements?.forEach((element, i) => {
    textsOf(element, (value as unknown[])[i], into)
  })
  for (const [name, last] of new Map(written.members?.map((member) => [member.name, member.value]))) {
    textsOf(last, (value as Record<string, unknown>)[name], into)
  }
  return into
}

/** One edit at a random place, in the ways that the library edits: derived copies, lists with elements kept or moved. */
export interface RandomEdit {
  /** Which child to go into, level by level; numbers are taken modulo the number of children. */
  readonly path: readonly number[]
  readonly kind: 'replace' | 'remove' | 'add' | 'reverse' | 'copy' | 'adopt'
  readonly at: number
  readonly value: unknown
}

export const randomEdit: fc.Arbitrary<RandomEdit> = fc.record({
  path: fc.array(fc.nat(9), { maxLength: 4 }),
  kind: fc.constantFrom('replace', 'remove', 'add', 'reverse', 'copy', 'adopt'),
  at: fc.nat(9),
  value: fc.jsonValue({ maxDepth: 2, stringUnit: 'grapheme' }),
})

/** The value with the edit; `adopt` puts a part of `source` where it did not stand. Nothing is mutated. */
export function applyEdit(value: unknown, edit: RandomEdit, source: unknown, depth = 0): unknown {
  if (value === null || typeof value !== 'object') return value
  const keys = Object.keys(value)
  const step = edit.path[depth]
  const target = keys[(step ?? edit.at) % Math.max(1, keys.length)]
  if (step !== undefined && target !== undefined) {
    return withChild(value, target, applyEdit(childOf(value, target), edit, source, depth + 1))
  }
  return Array.isArray(value) ? editList(value, edit, source) : editRecord(value, target, edit, source)
}

function editList(list: readonly unknown[], edit: RandomEdit, source: unknown): unknown {
  const at = edit.at % (list.length + 1)
  if (edit.kind === 'remove') return deriveList(list, list.toSpliced(at, 1))
  if (edit.kind === 'reverse') return deriveList(list, list.toReversed())
  if (edit.kind === 'copy') return [...list]
  const added = edit.kind === 'adopt' ? partOf(source, edit.path) : edit.value
  return deriveList(list, list.toSpliced(at, edit.kind === 'replace' ? 1 : 0, added))
}

function editRecord(record: object, target: string | undefined, edit: RandomEdit, source: unknown): unknown {
  if (edit.kind === 'copy') return { ...record }
  if (edit.kind === 'adopt') return withChild(record, 'adopted', partOf(source, edit.path))
  if (edit.kind === 'add' || target === undefined) return withChild(record, `new ${edit.at}`, edit.value)
  return withChild(record, target, edit.kind === 'remove' ? undefined : edit.value)
}

function withChild(owner: object, key: string, child: unknown): unknown {
  if (!Array.isArray(owner)) return derive(owner, Object.fromEntries([[key, child]]))
  return deriveList(owner, owner.with(Number(key), child))
}

function partOf(value: unknown, path: readonly number[]): unknown {
  const [step = 0, ...rest] = path
  if (value === null || typeof value !== 'object' || path.length === 0) return value
  const keys = Object.keys(value)
  const key = keys[step % Math.max(1, keys.length)]
  return key === undefined ? value : partOf(childOf(value, key), rest)
}

function childOf(owner: object, key: string): unknown {
  return (owner as Record<string, unknown>)[key]
}
