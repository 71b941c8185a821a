import { utf8Bytes } from '../../engine/json/json-bytes.ts'
import { jsonText as plainText } from '../../engine/json/json-text.ts'
import { someInside } from '../../engine/json/some-inside.ts'

/**
 * UTF-8 bytes of a value's JSON, with binary data as the base64 that a provider sends. 0 for what has no JSON (a cycle):
 * values come from the caller's memory here, not from a parser.
 */
export function wireBytes(value: unknown): number {
  let binary = 0
  const text = jsonText(value, (bytes) => {
    binary += base64Length(bytes.length)
    return ''
  })
  return text === '' ? 0 : utf8Bytes(text) + binary
}

/** JSON text of a value with its binary data as base64; empty for what has no JSON. */
export function jsonText(value: unknown, binary: (bytes: Uint8Array) => string = base64): string {
  try {
    return plainText(plainJson(value, binary))
  } catch {
    return ''
  }
}

/** Characters of the base64 of so many bytes. */
export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4
}

/** The bytes of a `Uint8Array` or `ArrayBuffer`; undefined for anything else. */
export function bytesOf(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value
  return value instanceof ArrayBuffer ? new Uint8Array(value) : undefined
}

/** Bytes at a time: more would be too many arguments for one call. */
const CHUNK = 8192

/** Base64 of bytes. */
function base64(bytes: Uint8Array): string {
  const chunks: string[] = []
  for (let at = 0; at < bytes.length; at += CHUNK) {
    chunks.push(String.fromCharCode(...bytes.subarray(at, at + CHUNK)))
  }
  return btoa(chunks.join(''))
}

/**
 * The value with its binary data as base64 and its big integers as text: JSON would write the one byte by byte, and refuse
 * the other. What has neither is not copied.
 */
export function plainJson(value: unknown, binary: (bytes: Uint8Array) => string = base64): unknown {
  if (!someInside(value, isBinary)) return value
  if (typeof value === 'bigint') return value.toString()
  const bytes = bytesOf(value)
  if (bytes !== undefined) return binary(bytes)
  if (Array.isArray(value)) return value.map((element) => plainJson(element, binary))
  const entries = Object.entries(value as object)
  return Object.fromEntries(entries.map(([key, inner]) => [key, plainJson(inner, binary)]))
}

function isBinary(value: unknown): boolean {
  return typeof value === 'bigint' || bytesOf(value) !== undefined
}
