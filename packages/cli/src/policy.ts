import { decodePreset, PalimpsestError, type Preset, parseJson, presetByName } from 'palimpsest'
import { readNamedFile } from './written-file.ts'

/** The policy of this name, or the one in the JSON file of this path (it ends in `.json`). */
export async function readPolicy(nameOrFile: string): Promise<Preset> {
  if (!nameOrFile.endsWith('.json')) return presetByName(nameOrFile)
  const text = await readNamedFile(nameOrFile)
  return inFile(nameOrFile, () => decodePreset(parseJson(text).value))
}

/** The same errors, with the file's name in front. */
export function inFile<T>(file: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof PalimpsestError)) throw error
    throw new PalimpsestError(error.code, `${file}: ${error.message}`, {
      cause: error,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    })
  }
}
