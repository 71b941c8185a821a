// What the agents of the examples do: read the Markdown files of a folder, a page at a time. `node examples/NAME.mjs [FOLDER]`
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = resolve(process.argv[2] ?? fileURLToPath(new URL('../docs', import.meta.url)))
const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.md'))
const LINES_OF_A_PAGE = 100

export const TASK = `Read these files page by page to their ends, one call after the other, and then say in one sentence
what each is about: ${files.join(', ')}`

/** The tool, as JSON Schema. */
export const READ_FILE = {
  name: 'read_file',
  description: 'Reads one page of a file.',
  parameters: {
    type: 'object',
    properties: { path: { type: 'string' }, page: { type: 'integer', minimum: 1 } },
    required: ['path'],
  },
}

/** What the tool answers. */
export function readFile({ path, page = 1 }) {
  if (!files.includes(relative(folder, join(folder, path)))) return `There is no file ${path}.`
  const lines = readFileSync(join(folder, path), 'utf8').split('\n')
  const pages = Math.ceil(lines.length / LINES_OF_A_PAGE)
  const text = lines.slice((page - 1) * LINES_OF_A_PAGE, page * LINES_OF_A_PAGE).join('\n')
  return `${path}, page ${page} of ${pages}\n${text}`
}

/** Prints what was compacted. */
export function report(event) {
  if (event.type !== 'compaction-applied') return
  const { reason, tokensBefore, tokensAfter, evicted, strategies } = event
  console.log(
    `compacted (${reason}): ${tokensBefore} → ${tokensAfter} tokens, ${evicted} messages evicted, ${strategies}`,
  )
}
