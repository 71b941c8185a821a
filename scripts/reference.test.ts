import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { apiReference, exportsOf } from './documents/api-reference.mjs'
import { exampleProgram, givenBy } from './documents/example-programs.mjs'
import { typeErrors } from './documents/type-errors.mjs'

/** Milliseconds: on a machine that does other things too it takes minutes. */
const PATIENCE = 300_000

describe('the API reference', () => {
  let complaints: readonly string[]
  let points: readonly EntryPoint[]

  // what the packages export is read once: it takes some seconds
  beforeAll(async () => {
    const reference = await apiReference()
    complaints = reference.complaints
    points = exportsOf(reference.project)
  }, PATIENCE)

  it('H3 says something of every export, links to what is there, and leaves out no type that it names', () => {
    expect(complaints).toEqual([])
    expect(points.map(({ name }) => name)).toContain('palimpsest/engine')
  })

  it('lists every module in its README', () => {
    const readme = readFileSync(new URL('../docs/reference/README.md', import.meta.url), 'utf8')
    const listed = [...readme.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name)
    expect(listed.toSorted()).toEqual(points.map(({ name }) => name).toSorted())
  })

  it('H3 shows an example of every function and class', () => {
    const without = points.flatMap(({ name, exports }) =>
      exports
        .filter(({ isCallable, examples }) => isCallable && examples?.length === 0)
        .map((one) => `${name} ${one.name}`),
    )
    expect(without).toEqual([])
  })

  it(
    'H3 shows examples whose types are right',
    () => {
      const examples = points.flatMap((own) =>
        own.exports.flatMap((exported) =>
          (exported.examples ?? []).map((example) => ({
            of: `${own.name} ${exported.name}`,
            program: exampleProgram(example, [own, ...points]),
          })),
        ),
      )
      const errors = typeErrors(
        examples.map(({ program }) => program),
        { unused: true },
      )
      expect(errors.flatMap((of, at) => of.map((error) => `${examples[at]?.of}: ${error}`))).toEqual([])
    },
    PATIENCE,
  )

  it('H3 shows examples that give what stands behind them', async () => {
    const load = (from: string) => import(from)
    const examples = points.flatMap((own) =>
      own.exports.flatMap(({ name, examples = [] }) => examples.map((example) => ({ own, name, example }))),
    )
    const given = await Promise.all(
      examples.map(async ({ own, name, example }) => [name, await givenBy(example, [own, ...points], load)] as const),
    )
    const told = given.flatMap(([name, pair]) => (pair === undefined ? [] : [{ name, gives: pair[0], says: pair[1] }]))
    expect(told.map(({ name, gives }) => ({ name, value: gives }))).toEqual(
      told.map(({ name, says }) => ({ name, value: says })),
    )
    expect(told.length).toBeGreaterThan(40)
  })
})

describe('an example', () => {
  const points = [{ name: 'p', exports: [{ name: 'made' }, { name: 'Made', isType: true }] }]

  it('becomes a program that imports what it does not declare', () => {
    expect(exampleProgram('const one: Made = made(plan)', points)).toBe(
      [
        `import type { Made } from 'p'`,
        `import { made } from 'p'`,
        `declare const plan: import('palimpsest').Plan`,
        'const one: Made = made(plan)',
        'export {}',
      ].join('\n'),
    )
  })

  it('is refused with what is wrong in it', () => {
    expect(typeErrors(['export const a: number = 1', `export const b: number = 'x'`])).toEqual([
      [],
      [`Type 'string' is not assignable to type 'number'.`],
    ])
  })
})

interface EntryPoint {
  readonly name: string
  readonly exports: readonly {
    readonly name: string
    readonly isCallable: boolean
    readonly examples?: readonly string[]
  }[]
}
