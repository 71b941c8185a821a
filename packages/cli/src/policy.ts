import { decodePreset, type Preset, parseJson, presetByName } from 'palimpsest'
import { inFile } from './error-report.ts'
import { readNamedFile } from './written-file.ts'

/** The policy of this name, or the one in the JSON file of this path (it ends in `.json`). */
export async function readPolicy(nameOrFile: string): Promise<Preset> {
  if (!nameOrFile.endsWith('.json')) return presetByName(nameOrFile)
  const text = await readNamedFile(nameOrFile)
  return inFile(nameOrFile, () => decodePreset(parseJson(text).value))
}
