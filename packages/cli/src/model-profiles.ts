import { type ProfileOverrides, parseProfileOverrides } from 'palimpsest'
import { inFile } from './error-report.ts'

const variable = 'PALIMPSEST_MODEL_PROFILES'

/** The user's own model profiles, from the environment. @throws PalimpsestError `invalid-input` that names the variable. */
export function ownProfiles(env: Readonly<Record<string, string | undefined>> = process.env): ProfileOverrides {
  const json = env[variable] ?? ''
  return json.trim() === '' ? {} : inFile(variable, () => parseProfileOverrides(json))
}
