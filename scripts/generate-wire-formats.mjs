// Writes the tables of docs/wire-formats.md from the sources: `node scripts/generate-wire-formats.mjs`. What stands
// between the tables is written by hand and stays.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { markdownTable, withRegions } from './documents/markdown.mjs'
import { overflowTables } from './documents/overflow-tables.mjs'
import { ruleTables } from './documents/rule-tables.mjs'
import { root } from './prepare.mjs'

const path = join(root, 'docs/wire-formats.md')

/** The document as it should stand, given what stands there. */
export function wireFormats(current = readFileSync(path, 'utf8')) {
  const rules = Object.entries(ruleTables(root)).map(([name, table]) => [name, rulesText(name, table)])
  return withRegions(current, { ...Object.fromEntries(rules), overflow: overflowText(overflowTables(root)) })
}

/** In the tables of Anthropic and Bedrock the sources say what is refused, in the others what is demanded. */
const refusing = new Set(['anthropic-rules', 'bedrock-rules'])

function rulesText(name, table) {
  const columns = ['rule', refusing.has(name) ? 'refused' : 'demanded', 'what to do']
  return markdownTable(
    columns,
    table.map(({ id, says, fix }) => [`\`${id}\``, says, fix]),
  )
}

function overflowText({ output, input, codes, bytes, reasoning, vetoStatuses, vetoes, caps }) {
  return [
    `Input and output cap together exceed the window (kind \`output\` where the input alone fits, else \`tokens\`):`,
    wordingsTable(output),
    `The input is too large (kind \`tokens\`), by wording:`,
    wordingsTable(input),
    `… or by code, type or class name: ${codes.map(code).join(', ')}.`,
    `The body is too large in bytes (kind \`bytes\`): ${bytes.map(code).join(', ')}.`,
    `Signed thinking behind other messages than it was made for (kind \`reasoning-bound\`): ${reasoning.map(code).join(', ')}.`,
    `Never overflow: status ${vetoStatuses.join(', ')}, or one of ${vetoes.map(code).join(', ')}. Nor is an output cap that is larger than the model allows: ${caps.map(code).join(', ')}.`,
  ].join('\n\n')
}

function wordingsTable(wordings) {
  return markdownTable(
    ['whose wording', 'pattern'],
    wordings.map(({ provider, pattern }) => [provider, code(pattern)]),
  )
}

/** Code in Markdown, whatever backticks are in it. */
function code(text) {
  if (!text.includes('`')) return `\`${text}\``
  return `\`\` ${text} \`\``
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  writeFileSync(path, wireFormats())
}
