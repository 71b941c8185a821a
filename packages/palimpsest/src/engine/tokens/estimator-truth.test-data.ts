import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A real document and its exact token counts. */
export interface CountedDocument {
  readonly text: string
  readonly counts: Readonly<Record<string, number>>
}

const shared = fileURLToPath(new URL('../../../../../../shared/', import.meta.url))
const truth = `${shared}tokens/truth.jsonl`

/** Exact counts of real documents lie beside the repository on some machines only. */
export const hasTruth = existsSync(truth)

interface Entry {
  readonly file: string
  readonly line: number | null
  readonly path: string
  readonly sha256_8: string
  readonly counts: Readonly<Record<string, number>>
}

/** All documents whose file is there. Throws when the hash of one differs. */
export function countedDocuments(): readonly CountedDocument[] {
  const entries = readFileSync(truth, 'utf8').trim().split('\n')
  return entries.flatMap((line) => {
    const entry = JSON.parse(line) as Entry
    const file = `${shared}corpus/${entry.file}`
    if (!existsSync(file)) return []
    const text = stringAt(readFileSync(file, 'utf8'), entry)
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 8)
    if (hash !== entry.sha256_8) throw new Error(`${entry.file}${entry.path} has another hash than when it was counted`)
    return [{ text, counts: entry.counts }]
  })
}

function stringAt(content: string, { line, path }: Entry): string {
  let value: unknown = JSON.parse(line === null ? content : (content.split('\n')[line - 1] ?? ''))
  for (const key of path.split('/').slice(1)) {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~')
    value = (value as Record<string, unknown>)[name]
  }
  if (typeof value !== 'string') throw new Error(`there is no string at ${path}`)
  return value
}
