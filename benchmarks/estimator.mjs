// The token estimator against an exact counter (gpt-tokenizer, o200k), in one process: speed as MB/s and as a ratio, on
// documents and on texts that make byte-pair counters slow; and its error per family where documents with exact counts lie
// beside the repository. Both counters get the same strings, in turns; the best round of each counts. The exact counter
// remembers words from one call to the next: its memory is emptied before each round, so that the texts are new to it; a
// second row tells what it makes of texts that it has seen.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { clearMergeCache } from 'gpt-tokenizer/encoding/o200k_base'
import { loadExactCounter } from '../packages/palimpsest/dist/exact-tokens/gpt-tokenizer.js'
import { estimateText } from '../packages/palimpsest/dist/index.js'
import { textTable } from '../scripts/text-table.mjs'

const root = join(import.meta.dirname, '..')
const FAMILIES = ['o200k', 'cl100k', 'claude3', 'claude47', 'gemma3', 'qwen3', 'llama3']
const KB = 200_000
/** What one pre-token of a byte-pair counter may be at worst. The exact counter is cut at 512 characters, else it takes minutes. */
const WORST = [
  ['200 kB of one letter', 'a'.repeat(KB)],
  ['200 kB of spaces', ' '.repeat(KB)],
  ['200 kB of dashes', '-'.repeat(KB)],
  ['200 kB of Han', '資料庫連線逾時伺服器回應錯誤'.repeat(KB / 14)],
  ['200 kB of base64', base64(KB)],
]

export const COLUMNS = [
  'text',
  'kB',
  'estimate MB/s',
  'exact MB/s',
  'ratio',
  'MAE %',
  'p5 %',
  'p95 %',
  'under 10 % low',
]

export async function run({ shared = join(root, '../shared'), rounds = 5 } = {}) {
  const exact = await loadExactCounter('o200k')
  const documents = countedDocuments(shared)
  const texts = documents.length > 0 ? documents.map(({ text }) => text) : ownSources()
  const name = documents.length > 0 ? `${texts.length} counted documents` : `${texts.length} sources of this repository`
  const speeds = [
    speed(name, texts, exact, { rounds }),
    speed('the same, seen before', texts, exact, { rounds, seen: true }),
  ]
  for (const [title, text] of WORST) speeds.push(speed(title, [text], exact, { rounds: Math.min(rounds, 2) }))
  const errors = documents.length === 0 ? [] : FAMILIES.flatMap((family) => errorsOf(family, documents))
  return { columns: COLUMNS, rows: [...speeds.map(speedRow), ...errors.map(errorRow)], speeds, errors }
}

/** Megabytes of UTF-8 a second of both counters, in turns. */
function speed(name, texts, exact, { rounds, seen = false }) {
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  // The estimator is too fast for one pass to be timed.
  const passes = Math.max(1, Math.round(40_000_000 / bytes))
  let estimating = Number.POSITIVE_INFINITY
  let counting = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) {
    const estimated = seconds(() => {
      for (let pass = 0; pass < passes; pass++) total(texts, (text) => estimateText(text, { family: 'o200k' }))
    })
    estimating = Math.min(estimating, estimated / passes)
    if (!seen) clearMergeCache()
    counting = Math.min(
      counting,
      seconds(() => total(texts, exact)),
    )
  }
  const [estimate, counted] = [estimating, counting].map((time) => bytes / 1e6 / time)
  return { name, bytes, estimate, exact: counted, ratio: estimate / counted }
}

function total(texts, count) {
  let sum = 0
  for (const text of texts) sum += count(text)
  return sum
}

/** Processor time, not the clock's: other work on the machine must not count. */
function seconds(work) {
  const start = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1e6
}

function errorsOf(family, documents) {
  return ['mean', 'upper'].map((mode) => {
    const errors = documents
      .map(({ text, counts }) => (100 * estimateText(text, { family, mode })) / counts[family] - 100)
      .sort((a, b) => a - b)
    const at = (share) => errors[Math.floor(share * errors.length)]
    const mae = errors.reduce((sum, error) => sum + Math.abs(error), 0) / errors.length
    const under = (100 * errors.filter((error) => error < -10).length) / errors.length
    return { family, mode, mae, p5: at(0.05), p95: at(0.95), under }
  })
}

function speedRow({ name, bytes, estimate, exact, ratio }) {
  return [name, Math.round(bytes / 1000), rounded(estimate), rounded(exact), rounded(ratio), '', '', '', '']
}

function errorRow({ family, mode, mae, p5, p95, under }) {
  return [`${family}, ${mode}`, '', '', '', '', rounded(mae), rounded(p5), rounded(p95), rounded(under)]
}

function rounded(value) {
  return Math.round(value * 10) / 10
}

/** Real documents with their exact counts, where they are. */
function countedDocuments(shared) {
  const truth = join(shared, 'tokens/truth.jsonl')
  if (!existsSync(truth)) return []
  const entries = readFileSync(truth, 'utf8').trim().split('\n')
  return entries.flatMap((line) => {
    const { file, line: number, path, counts } = JSON.parse(line)
    const source = join(shared, 'corpus', file)
    if (!existsSync(source)) return []
    const content = readFileSync(source, 'utf8')
    const json = JSON.parse(number === null ? content : content.split('\n')[number - 1])
    const keys = path.split('/').slice(1)
    const text = keys.reduce((value, key) => value[key.replaceAll('~1', '/').replaceAll('~0', '~')], json)
    return [{ text, counts }]
  })
}

/** Something to read where there are no such documents. */
function ownSources() {
  const folder = join(root, 'packages/palimpsest/src')
  const files = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('.ts'))
  return files.sort().map((file) => readFileSync(join(folder, file), 'utf8'))
}

/** Base64 characters as of random bytes, the same every time. */
function base64(length) {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  let state = 12345
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return alphabet[state >>> 26]
  }).join('')
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { columns, rows } = await run()
  console.log(textTable(columns, rows))
}
