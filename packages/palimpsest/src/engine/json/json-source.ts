import { PalimpsestError } from '../errors.ts'
import { jsonFault } from './json-fault.ts'

/** A JSON text with the value that was read from it. `value` is never changed: edits make copies. */
export interface JsonSource {
  readonly text: string
  readonly value: unknown
}

/**
 * Reads JSON text. A byte order mark in front is left out of `text`. Throws `PalimpsestError` `invalid-input` that says
 * where the text stops being JSON (line, column in UTF-16 units, and the place as a JSON pointer) and what was expected.
 *
 * @example parseJson('{"n": 1.0}').value // { n: 1 }
 */
export function parseJson(text: string): JsonSource {
  const body = text.startsWith('\ufeff') ? text.slice(1) : text
  try {
    return { text: body, value: JSON.parse(body) }
  } catch (cause) {
    const { offset, pointer, expected } = jsonFault(body)
    const before = body.slice(0, offset).split('\n')
    const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
    const found = JSON.stringify(String.fromCodePoint(body.codePointAt(offset) ?? 0))
    throw new PalimpsestError(
      'invalid-input',
      `Not JSON at ${place}, in ${pointer === '' ? 'the outermost value' : pointer}: expected ${expected}, found ${offset < body.length ? found : 'the end of the text'}.`,
      { cause, hint: 'Send one complete JSON value.' },
    )
  }
}
