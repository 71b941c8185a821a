import { appendPrivate, readPrivate } from './private-files.ts'

/**
 * The values of a file with one JSON value per line, oldest first; none where there is no file. What does not parse was torn
 * by a crash, and was never confirmed to anybody: it is left out.
 */
export async function readJsonLines<Value>(path: string): Promise<readonly Value[]> {
  const text = (await readPrivate(path)) ?? ''
  return text.split('\n').flatMap((line) => {
    const value = parsed(line)
    // each of our lines is an object, so no beginning of one is JSON
    return typeof value === 'object' && value !== null ? [value as Value] : []
  })
}

/** Adds a value. The line break comes first, so that a line which a crash tore cannot swallow this one. */
export function appendJsonLine(path: string, value: object): Promise<void> {
  return appendPrivate(path, `\n${JSON.stringify(value)}`)
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
