import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

type Fields = Record<string, unknown>

/** Where recorded sessions stand when this computer has them: beside the repository. */
const FOLDER = fileURLToPath(new URL('../../../../../shared/corpus/', import.meta.url))

export const hasCorpus = existsSync(join(FOLDER, 'INDEX.tsv'))

/** One recorded session, and what its index says of it. */
export interface CorpusFile {
  readonly name: string
  readonly path: string
  readonly messages: number
  readonly toolCalls: number
  readonly compactions: string
  readonly notes: ReadonlyMap<string, string>
}

/** The sessions of one folder, in the order of the index. */
export function corpusFiles(folder: string): CorpusFile[] {
  if (!hasCorpus) return []
  const [head = '', ...rows] = readFileSync(join(FOLDER, 'INDEX.tsv'), 'utf8').trimEnd().split('\n')
  const columns = head.split('\t')
  const files = rows.map((row) => corpusFile(new Map(row.split('\t').map((cell, at) => [columns[at] ?? '', cell]))))
  return files.filter(({ name }) => name.startsWith(`${folder}/`))
}

function corpusFile(row: ReadonlyMap<string, string>): CorpusFile {
  const name = row.get('file') ?? ''
  const notes = (row.get('notes') ?? '').split('; ').map((note) => note.split('=') as [string, string])
  return {
    name,
    path: join(FOLDER, name),
    messages: Number(row.get('messages')),
    toolCalls: Number(row.get('tool_calls')),
    compactions: row.get('compactions') ?? '',
    notes: new Map(notes),
  }
}

/** The JSON objects of a file, read in the plainest way: line by line, two glued on one line taken apart. */
export function rawRecords(path: string): Fields[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as Fields]
      } catch {
        return line.split(/(?<=\})(?=\{"(?:parentUuid|type)")/).map((part) => JSON.parse(part) as Fields)
      }
    })
}
