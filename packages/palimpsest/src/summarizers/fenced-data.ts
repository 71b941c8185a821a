import { sha256 } from '../engine/record/sha256.ts'

/** Hexadecimal digits of a fence's mark: short, because it stands before every piece. */
const MARK_DIGITS = 8

/**
 * A mark that occurs in none of the texts: what stands between delimiters that bear it cannot close them. It is made from
 * the texts themselves, so that the same texts give the same bytes.
 */
export function fenceMark(texts: readonly string[]): string {
  let digest = sha256(texts.join('\n'))
  while (texts.some((text) => text.includes(digest.slice(0, MARK_DIGITS)))) digest = sha256(digest)
  return digest.slice(0, MARK_DIGITS)
}

/** The text, byte for byte, between delimiters of this name that bear the mark. */
export function fenced(name: string, mark: string, text: string): string {
  return `<${name} ${mark}>\n${text}\n</${name} ${mark}>`
}
