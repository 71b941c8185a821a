import { jsonBytes } from '../../engine/json/json-bytes.ts'
import { someInside } from '../../engine/json/some-inside.ts'
import { isObject } from '../json-fields.ts'

/** The value as it stands in a JSON body: binary data as base64 text. The same object where there is none. */
export function wireForm(value: unknown): unknown {
  return replaceBinary(value, base64)
}

/** UTF-8 bytes of the value's JSON on the wire; binary data is counted, not encoded. */
export function wireBytes(value: unknown): number {
  let binary = 0
  const rest = replaceBinary(value, (bytes) => {
    binary += base64Length(bytes)
    return ''
  })
  return jsonBytes(rest) + binary
}

/** Characters of the base64 text of these bytes, padding included. */
export function base64Length(bytes: Uint8Array): number {
  return Math.ceil(bytes.length / 3) * 4
}

function replaceBinary(value: unknown, replace: (bytes: Uint8Array) => string): unknown {
  return someInside(value, isBytes) ? replaced(value, replace) : value
}

function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array
}

function replaced(value: unknown, replace: (bytes: Uint8Array) => string): unknown {
  if (isBytes(value)) return replace(value)
  if (Array.isArray(value)) {
    const copy = value.map((inner) => replaced(inner, replace))
    return copy.every((inner, index) => inner === value[index]) ? value : copy
  }
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, replaced(inner, replace)] as const)
  return entries.every(([key, inner]) => inner === value[key]) ? value : Object.fromEntries(entries)
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

function base64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const [one = 0, two, three] = bytes.subarray(at, at + 3)
    const bits = (one << 16) | ((two ?? 0) << 8) | (three ?? 0)
    text += ALPHABET.charAt(bits >> 18) + ALPHABET.charAt((bits >> 12) & 63)
    text += two === undefined ? '=' : ALPHABET.charAt((bits >> 6) & 63)
    text += three === undefined ? '=' : ALPHABET.charAt(bits & 63)
  }
  return text
}
