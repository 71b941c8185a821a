import { HASH_LENGTH, hashText } from './hash-text.ts'

/** A text that is opaque to clients, as a provider's own signatures are; the mark in front says that this simulator made it. */
export function sealText(mark: string, text: string): string {
  return `${mark}${Buffer.from(`${hashText(text)}${text}`).toString('base64url')}`
}

/** What is sealed; `foreign`: another provider made it; `broken`: it was ours, and somebody changed it. */
export function openText(mark: string, sealed: string): { readonly text: string } | 'foreign' | 'broken' {
  if (!sealed.startsWith(mark)) return 'foreign'
  const opened = Buffer.from(sealed.slice(mark.length), 'base64url').toString()
  const text = opened.slice(HASH_LENGTH)
  return opened.slice(0, HASH_LENGTH) === hashText(text) ? { text } : 'broken'
}
