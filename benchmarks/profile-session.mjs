// How long reading and profiling a large Claude Code session takes, and how much memory, each session in a process of its
// own on one core. Sessions: the largest recorded ones where they are at hand, else one that is made up.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from '../scripts/prepare.mjs'

const TARGET_BYTES = 4_000_000

/** One row for each session: its size, seconds, and the most memory in use above the start, also as a multiple of the file. */
export function run() {
  const made = mkdtempSync(join(tmpdir(), 'palimpsest-bench-'))
  try {
    const rows = sessions(made).map((file) => {
      const { seconds, heap, compactions } = measured(file)
      const bytes = statSync(file).size
      return [
        name(file),
        (bytes / 1e6).toFixed(2),
        seconds.toFixed(2),
        (heap / 1e6).toFixed(1),
        (heap / bytes).toFixed(1),
        compactions,
      ]
    })
    return { columns: ['session', 'MB', 's', 'heap MB', '× file', 'compactions'], rows }
  } finally {
    rmSync(made, { recursive: true })
  }
}

function sessions(folder) {
  const recorded = join(root, '../shared/corpus/claude-code')
  const largest = existsSync(recorded)
    ? readdirSync(recorded)
        .map((file) => join(recorded, file))
        .filter((file) => statSync(file).size > 3_500_000)
    : []
  return largest.length > 0 ? largest : [enlarged(folder)]
}

/** The example session said several times over, with ids of its own each time. */
function enlarged(folder) {
  const lines = readFileSync(join(root, 'examples/sessions/ledger-service.jsonl'), 'utf8').trim()
  const rounds = Math.ceil(TARGET_BYTES / lines.length)
  let last = null
  const all = Array.from({ length: rounds }, (_, round) =>
    lines.split('\n').map((line) => {
      const record = JSON.parse(line)
      if (typeof record.uuid !== 'string') return line
      const own = (id) => (id === null || id === undefined ? last : `${id}-${round}`)
      record.parentUuid = own(record.parentUuid)
      record.uuid = `${record.uuid}-${round}`
      if (record.message?.id) record.message.id += `-${round}`
      last = record.uuid
      return JSON.stringify(record)
    }),
  )
  const file = join(folder, 'enlarged-example.jsonl')
  writeFileSync(file, `${all.flat().join('\n')}\n`)
  return file
}

function measured(file) {
  const child = fileURLToPath(new URL('./profile-session.child.mjs', import.meta.url))
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--expose-gc', child, file], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

function name(file) {
  return file.split('/').at(-1).slice(0, 40)
}
