import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import * as names from '../packages/palimpsest/src/telemetry/names.ts'
import { withFreshOutput } from './documents/console-session.mjs'
import { fencesOf } from './documents/markdown.mjs'
import { prometheusSeries } from './documents/prometheus-names.ts'
import { diagramParser, drawingOf } from './learning/mermaid-diagrams.mjs'
import { figuresOf, outlineOf, proseOf, sectionsOf } from './learning/page-outline.mjs'

interface Section {
  readonly level: number
  readonly heading: string
  readonly text: string
}

const root = fileURLToPath(new URL('../', import.meta.url))
const textOf = (path: string) => readFileSync(join(root, path), 'utf8')
const english = textOf('docs/learning/context-management.md')
const vietnamese = textOf('docs/learning/context-management.vi.md')
const pages = [
  { language: 'English', text: english },
  { language: 'Vietnamese', text: vietnamese },
]
const programs = readdirSync(join(root, 'examples/learning'))
  .filter((name) => name.endsWith('.mjs'))
  .map((name) => `examples/learning/${name}`)

describe('H2 what the pages show', () => {
  // The programs import the packages as a reader does: as they are built.
  beforeAll(() => {
    spawnSync(process.execPath, [join(root, 'scripts/prepare.mjs')], { cwd: root, stdio: 'ignore' })
  })

  it('is what the commands and exercises print today (node scripts/run-learning-commands.mjs writes it anew)', () => {
    expect(withFreshOutput(english)).toBe(english)
  }, 900_000)

  it('runs every program of examples/learning, or names its command', () => {
    expect(programs.length).toBeGreaterThan(7)
    expect(programs.filter((path) => !english.includes(`node ${path}`))).toEqual([])
  })

  it('has figures that stand in an output, a program or the benchmarks', () => {
    const sources = ['docs/benchmarks.md', 'docs/architecture.md', ...programs].map(textOf)
    const outputs = fencesOf(english).filter(({ info }) => info === 'console')
    const known = new Set<string>(figuresOf(plain([...sources, ...outputs.map(({ text }) => text)].join('\n'))))
    // what was read in the sources of others was not measured here
    const own = sectionsOf(english).filter(({ heading }: Section) => !heading.startsWith('8.'))
    const measured = own
      .flatMap(({ text }: Section) => figuresOf(proseOf(text)))
      .filter((figure: string) => /\d{3}|\.\d\d/.test(figure) && !VERSION.test(figure))
    expect(measured.length).toBeGreaterThan(40)
    expect(measured.filter((figure: string) => !known.has(plain(figure)))).toEqual([])
  })

  it('names versions of packages that are installed', () => {
    const installed = ['deepagents', 'openai'].map(
      (name) => JSON.parse(textOf(`node_modules/${name}/package.json`)).version,
    )
    const named = figuresOf(proseOf(english)).filter((figure: string) => VERSION.test(figure))
    expect(new Set(named)).toEqual(new Set(installed))
  })
})

const VERSION = /^\d+\.\d+\.\d+$/

/** Thousands without commas, and 100k as 100000. */
function plain(text: string): string {
  return text.replace(/(?<=\d),(?=\d{3})/g, '').replace(/(?<=\d)k\b/g, '000')
}

describe.each(pages)('H2 the page in $language', ({ text }) => {
  it('has diagrams that Mermaid can draw', async () => {
    const diagrams = fencesOf(text).filter(({ info }) => info === 'mermaid')
    expect(diagrams.length).toBeGreaterThanOrEqual(5)
    const parse = await diagramParser()
    for (const { text: diagram } of diagrams) await expect(parse(diagram)).resolves.toBeTruthy()
    await expect(parse('flowchart LR\n  a["b" --> c')).rejects.toThrow('line')
  })

  it('uses the names that telemetry has, and the metrics that Prometheus makes of them', () => {
    const { ATTRIBUTES, METRICS, SPAN_EVENTS } = names
    const metrics = Object.values(METRICS)
    const known = [...Object.values(ATTRIBUTES), ...Object.values(SPAN_EVENTS), ...metrics.map(({ name }) => name)]
    const used = [...text.matchAll(/(?<![/\w.-])(?:palimpsest|gen_ai|provider)\.[a-z_]+(?:\.[a-z_]+)*/g)].map(
      ([name]) => name,
    )
    expect(used.length).toBeGreaterThan(10)
    expect(used.filter((name) => !known.includes(name as never))).toEqual([])
    const series = metrics.flatMap((metric) => prometheusSeries(metric))
    const queried = [...text.matchAll(/palimpsest_\w+/g)].map(([name]) => name)
    expect(queried.length).toBeGreaterThan(3)
    expect(queried.filter((name) => !series.includes(name))).toEqual([])
  })
})

describe('H2 the translation', () => {
  it('has the sections, blocks, diagrams, tables, links, code and figures of the original', () => {
    const [original, translated] = [outlineOf(english), outlineOf(vietnamese)]
    for (const [at, section] of original.entries()) {
      expect(translated[at], sectionsOf(english)[at].heading).toEqual(section)
    }
    expect(translated).toHaveLength(original.length)
  })

  it('is in Vietnamese, section by section', () => {
    const words = /[àáảãạăâđèéẻẽẹêìíỉĩịòóỏõọôơùúủũụưỳýỷỹỵ]/i
    const untranslated = sectionsOf(vietnamese).filter(({ text }: Section) => !words.test(proseOf(text)))
    expect(untranslated).toEqual([])
    expect(drawingOf('flowchart LR\n  a["một"] --> b["hai"]')).toBe(drawingOf('flowchart LR\n  a["one"] --> b["two"]'))
    expect(drawingOf('flowchart LR\n  a["một"] --> b["hai"]')).not.toBe(
      drawingOf('flowchart LR\n  b["one"] --> a["two"]'),
    )
  })
})
