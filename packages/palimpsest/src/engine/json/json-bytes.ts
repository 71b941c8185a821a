import { jsonText } from './json-text.ts'

/** UTF-8 bytes of `text`; a lone surrogate counts 3, as it does when it is written as U+FFFD. */
export function utf8Bytes(text: string): number {
  let bytes = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) continue
    if (unit < 0x800) bytes += 1
    else if (unit >= 0xd800 && unit <= 0xdbff && isLowSurrogate(text.charCodeAt(i + 1))) {
      bytes += 2
      i++
    } else bytes += 2
  }
  return bytes
}

/** UTF-8 bytes of the JSON text of `value`. */
export function jsonBytes(value: unknown): number {
  return utf8Bytes(jsonText(value))
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
