// `npm run bench [-- NAME…]`: runs every `benchmarks/*.mjs` that exports `run()`, one after the other in this process.
// `run()` returns `{ columns, rows }` (a table of strings and numbers) and may add anything else; the whole of it goes
// to `benchmarks/results/<name>.json`, the table to standard output.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { prepare, root } from './prepare.mjs'
import { textTable } from './text-table.mjs'

if (prepare()) await runAll(process.argv.slice(2))
else process.exitCode = 1

async function runAll(names) {
  const results = join(root, 'benchmarks/results')
  mkdirSync(results, { recursive: true })
  for (const file of benchmarks(names)) {
    const { run } = await import(pathToFileURL(file).href)
    if (typeof run !== 'function') continue
    const name = basename(file, '.mjs')
    await runOne(name, run, join(results, `${name}.json`))
  }
}

function benchmarks(names) {
  const folder = join(root, 'benchmarks')
  const all = readdirSync(folder).filter((file) => file.endsWith('.mjs'))
  const chosen = names.length === 0 ? all : all.filter((file) => names.includes(basename(file, '.mjs')))
  return chosen.sort().map((file) => join(folder, file))
}

/** One benchmark that fails does not keep the others from running. */
async function runOne(name, run, target) {
  console.log(`\n${name}`)
  try {
    const result = await run()
    if (result?.columns !== undefined) console.log(textTable(result.columns, result.rows))
    const machine = { node: process.version, platform: process.platform, arch: process.arch }
    writeFileSync(target, `${JSON.stringify({ name, machine, ...result }, undefined, 2)}\n`)
  } catch (error) {
    console.error(error)
    process.exitCode = 1
  }
}
