import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ts from 'typescript'
import { afterAll, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'palimpsest-otel-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** This room alone, away from all packages, as a program of its own imports it. */
function copyRoom(): void {
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022, verbatimModuleSyntax: true }
  for (const name of readdirSync(import.meta.dirname).filter((file) => !file.includes('.test'))) {
    const source = readFileSync(join(import.meta.dirname, name), 'utf8')
    const { outputText } = ts.transpileModule(source, { compilerOptions })
    const text = outputText.replace(/(from '\.\/[\w-]+)\.ts'/g, "$1.mjs'")
    writeFileSync(join(folder, name.replace(/\.ts$/, '.mjs')), text)
  }
}

it('G1 without @opentelemetry/api installed nothing happens, but log lines', () => {
  copyRoom()
  writeFileSync(
    join(folder, 'program.mjs'),
    `
    import { openTelemetry } from './index.mjs'
    const logged = []
    const telemetry = await openTelemetry({ logger: { emit: ({ body }) => logged.push(body) } })
    telemetry.onEvent({
      type: 'compaction-applied', id: 's/1', session: 's', reason: 'threshold', strategies: [],
      tokensBefore: 9, tokensAfter: 1, evicted: 2, truncatedArguments: 0,
    })
    telemetry.startOperation('chat', 'any').end()
    console.log(JSON.stringify({ active: telemetry.active, given: telemetry.inTurn({}, () => 7), logged }))
    `,
  )
  const printed = execFileSync(process.execPath, [join(folder, 'program.mjs')], { encoding: 'utf8' })
  expect(JSON.parse(printed)).toEqual({ active: false, given: 7, logged: ['context compacted'] })
})
