import { createHash } from 'node:crypto'

/** Data link escape: a control character that texts do not have, save those that are about to need it escaped. */
const ESCAPE = '\u0010'
const UNSTORABLE = new RegExp(`[\\0${ESCAPE}]|\\p{Surrogate}`, 'gu')
const ESCAPED = new RegExp(`${ESCAPE}([0-9a-f]{4})`, 'g')

/**
 * A text as both databases hold it, with `textOf` back to the very same: PostgreSQL has no NUL in texts, drivers of SQLite end
 * a text at one, and UTF-8 has no lone halves of surrogate pairs. All other texts stay as they are.
 */
export function storedText(text: string): string {
  return text.replace(UNSTORABLE, escaped)
}

/** The text that `storedText` stored. */
export function textOf(stored: string): string {
  return stored.replace(ESCAPED, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

/** Names any strings in 64 hexadecimal digits, in this order and with these borders; lone surrogates count too. */
export function digestOf(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

function escaped(unit: string): string {
  return `${ESCAPE}${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
