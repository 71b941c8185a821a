import { asFields, type Fields } from './json-fields.ts'
import { hashText } from './signature.ts'

/** Sealed content and signatures that are not thinking of Claude: opaque to the client, readable by this simulator only. */
const MARK = 'WIRELABS'
const CHECK_LENGTH = hashText('').length

/** Seals what an answer is to remember of itself. */
export function seal(fields: Fields): string {
  const payload = JSON.stringify(fields)
  return `${MARK}${Buffer.from(`${hashText(payload)}${payload}`).toString('base64url')}`
}

/** What is sealed; `foreign`: another provider made it; `broken`: it was ours, and somebody changed it. */
export function openSeal(sealed: string): Fields | 'foreign' | 'broken' {
  if (!sealed.startsWith(MARK)) return 'foreign'
  const text = Buffer.from(sealed.slice(MARK.length), 'base64url').toString()
  const payload = text.slice(CHECK_LENGTH)
  if (text.slice(0, CHECK_LENGTH) !== hashText(payload)) return 'broken'
  return asFields(JSON.parse(payload)) ?? 'broken'
}
