import { sha256 } from '../engine/record/sha256.ts'

const LONGEST = 100
/** Names that some systems keep for devices. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)$/

/**
 * A file name for any id: no id leads out of a folder, and no two ids share a name. Short plain ids stay as they are;
 * all others get a digest.
 *
 * @example
 * safeName('../../etc/passwd')
 */
export function safeName(id: string): string {
  const safe = id.replace(/[^A-Za-z0-9_-]/g, (unit) => `%${unit.charCodeAt(0).toString(16)}`)
  // capitals too get a digest: some file systems do not tell them from small letters
  if (safe === id && /^[a-z0-9_-]{1,100}$/.test(id) && !RESERVED.test(id)) return id
  // as JSON, because the UTF-8 of two lone surrogates is the same
  return `${safe.slice(0, LONGEST)}~${sha256(JSON.stringify(id)).slice(0, 32)}`
}
