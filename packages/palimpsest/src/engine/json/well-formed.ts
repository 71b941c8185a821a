/** `text` with each lone surrogate replaced by U+FFFD, so that it survives UTF-8; the same string where there is none. */
export function wellFormed(text: string): string {
  // With the `u` flag the halves of a valid pair are one character, so only lone ones match.
  return text.replace(/\p{Surrogate}/gu, '\ufffd')
}
