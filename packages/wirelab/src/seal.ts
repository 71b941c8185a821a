import { asFields, type Fields } from './json-fields.ts'
import { openText, sealText } from './sealed-text.ts'

/** Sealed content and signatures that are not thinking of Claude: opaque to the client, readable by this simulator only. */
const MARK = 'WIRELABS'

/** Seals what an answer is to remember of itself. */
export function seal(fields: Fields): string {
  return sealText(MARK, JSON.stringify(fields))
}

/** What is sealed; `foreign`: another provider made it; `broken`: it was ours, and somebody changed it. */
export function openSeal(sealed: string): Fields | 'foreign' | 'broken' {
  const opened = openText(MARK, sealed)
  return typeof opened === 'string' ? opened : (asFields(JSON.parse(opened.text)) ?? 'broken')
}
