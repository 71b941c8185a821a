// `npm test [-- FILTER…]`: everything that needs no network. Sets itself up, runs every stage even when one fails, and
// closes with `N passed, N failed`: the tests, plus one for each other stage. Words after `--` go to vitest and leave
// the other stages out, save the build.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { install, packageFolders, root, tscCommand } from './prepare.mjs'
import { countTests } from './test-counts.mjs'

const total = install() ? runStages(process.argv.slice(2)) : { passed: 0, failed: 1, skipped: 0 }
if (total.skipped > 0) console.log(`${total.skipped} skipped`)
console.log(`${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed === 0 ? 0 : 1

function runStages(filters) {
  const stages = [stage('types', tscCommand())]
  if (filters.length === 0) {
    stages.push(stage('lint', tool('@biomejs/biome/bin/biome', ['check', '.'])))
    stages.push(stage('unused', tool('knip/bin/knip.js', [])))
    for (const name of packageFolders()) {
      stages.push(stage(`package ${name}`, tool('publint/src/cli.js', [join('packages', name), '--strict'])))
    }
  }
  return sum([...stages, tests(filters)])
}

/** Runs one stage and shows its output; counts as one. */
function stage(name, command) {
  const { status, seconds } = run(name, command)
  console.log(`${status === 0 ? 'ok' : 'FAILED'}  ${name}  ${seconds} s`)
  return status === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 }
}

/** Unit, property, integration and end-to-end tests, counted one by one from vitest's own report. */
function tests(filters) {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-test-'))
  const report = join(folder, 'report.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const { status } = run('tests', tool('vitest/vitest.mjs', ['run', ...reporters, ...filters]))
  const counts = countTests(readReport(report), status)
  rmSync(folder, { recursive: true, force: true })
  return counts
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

function run(name, [program, ...parts]) {
  console.log(`\n── ${name}`)
  const start = performance.now()
  const { status, error } = spawnSync(program, parts, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
  if (error !== undefined) console.error(error.message)
  return { status: status ?? 1, seconds: ((performance.now() - start) / 1000).toFixed(1) }
}

function tool(path, words) {
  return [process.execPath, join(root, 'node_modules', path), ...words]
}

function sum(counts) {
  const add = (key) => counts.reduce((all, one) => all + one[key], 0)
  return { passed: add('passed'), failed: add('failed'), skipped: add('skipped') }
}
