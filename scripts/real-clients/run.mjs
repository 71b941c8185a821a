// `node scripts/real-clients/run.mjs [CLIENT…] [--steps N] [--window N] [--folder DIR] [--write FILE]`
//
// Runs Codex, Claude Code, Gemini CLI and opencode, as their makers publish them, through a tool loop that is many times
// as long as the model's window: once straight against a simulated provider, once through `palimpsest proxy`. Offline but
// for the installation: keys are made up, and every other way out leads nowhere. Not part of `npm test`: the clients are
// 1.3 GB. `--folder` keeps the installation for the next run; `--write` writes the table as a document.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { prepare } from '../prepare.mjs'
import { textTable } from '../text-table.mjs'
import { CLIENTS } from './clients.mjs'
import { installClient } from './install-client.mjs'

const WINDOW = 45_000
const STEPS = 100
/** Tokens of one step's result, by the simulator's count, roughly: `part.sh` prints them. */
const STEP_TOKENS = 2_700

const COLUMNS = ['client', 'direct', 'refused', 'steps', 'through the proxy', 'refused', 'steps', 'compactions']

if (prepare()) await main()
else process.exitCode = 1

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      steps: { type: 'string' },
      window: { type: 'string' },
      folder: { type: 'string' },
      write: { type: 'string' },
    },
  })
  const setting = {
    steps: Number(values.steps ?? STEPS),
    window: Number(values.window ?? WINDOW),
    stepTokens: STEP_TOKENS,
  }
  const folder = values.folder === undefined ? mkdtempSync(join(tmpdir(), 'real-clients-')) : resolve(values.folder)
  try {
    const rows = await runAll(chosen(positionals), { ...setting, folder })
    console.log(`\n${textTable(COLUMNS, rows.map(cells))}`)
    if (values.write !== undefined) {
      const { writeReport } = await import('./report.mjs')
      writeReport(values.write, rows, setting)
    }
    process.exitCode = rows.every(({ proxy }) => proxy.finished && proxy.refused === 0) ? 0 : 1
  } finally {
    if (values.folder === undefined) rmSync(folder, { recursive: true, force: true })
  }
}

function chosen(names) {
  const unknown = names.find((name) => !CLIENTS.some((client) => client.name === name))
  if (unknown !== undefined) {
    throw new Error(`"${unknown}" is none of ${CLIENTS.map(({ name }) => name).join(', ')}.`)
  }
  return names.length === 0 ? CLIENTS : CLIENTS.filter(({ name }) => names.includes(name))
}

async function runAll(clients, setting) {
  const { runClient } = await import('./run-client.mjs')
  const rows = []
  for (const client of clients) {
    const program = installClient(client, setting.folder)
    const results = {}
    for (const way of ['direct', 'proxy']) {
      results[way] = await runClient(client, { ...setting, program, way })
      console.log(`${client.name} ${way}: ${JSON.stringify(results[way])}`)
    }
    rows.push({ client, ...results })
  }
  return rows
}

function cells({ client, direct, proxy }) {
  const { refused, steps, compactions } = proxy
  return [client.label, direct.result, direct.refused, direct.steps, proxy.result, refused, steps, compactions]
}
