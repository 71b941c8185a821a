import { clipped, oneLine } from '../session-text/plain-text.ts'

/** A tool call in one line: its name, and what it is called with that says most. */
export function toolHead(name: string, input: unknown): string {
  const word = telling(input)
  return word === '' ? oneLine(name) : `${oneLine(name)} ${clipped(oneLine(word), MOST_CHARACTERS)}`
}

const MOST_CHARACTERS = 400

/** Arguments that say what a call is about, the most telling first. */
const TELLING = ['command', 'path', 'file_path', 'pattern', 'query', 'description', 'prompt', 'key']

function telling(input: unknown): string {
  if (typeof input === 'string') return input
  if (typeof input !== 'object' || input === null) return ''
  const fields = new Map<string, unknown>(Object.entries(input))
  const named = TELLING.map((name) => fields.get(name)).find((value) => typeof value === 'string' && value !== '')
  if (typeof named === 'string') return named
  return fields.size === 0 ? '' : JSON.stringify(input)
}
