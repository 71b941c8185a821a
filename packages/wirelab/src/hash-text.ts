import { createHash } from 'node:crypto'

/** Hexadecimal digits of a hash: short, because signatures hold several. */
export const HASH_LENGTH = 24

/** Short hash of a text, the same on every machine. */
export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH)
}

/** A hash over a growing list: each step depends on all before it. */
export function chainHash(before: string, next: string): string {
  return hashText(`${before}\n${next}`)
}
