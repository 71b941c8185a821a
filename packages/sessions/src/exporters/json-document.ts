import { jsonText } from 'palimpsest/engine'
import { plainMessage } from './langchain-message.ts'

/**
 * JSON text of a value as it would go over the wire: binary data, which objects of the SDKs hold, as base64, instances of
 * LangChain's messages as plain ones.
 */
export function jsonDocument(value: unknown): string {
  try {
    return JSON.stringify(value, plainInside)
  } catch (error) {
    // Thousands of levels, which nothing but JSON that was read from text has.
    if (!(error instanceof RangeError)) throw error
    return jsonText(value)
  }
}

/** One document per line. */
export function jsonLinesOf(values: readonly unknown[]): string {
  return values.map((value) => `${jsonDocument(value)}\n`).join('')
}

/** Base64 of binary data; undefined for anything else. */
export function base64Of(value: unknown): string | undefined {
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')
  return value instanceof ArrayBuffer ? Buffer.from(value).toString('base64') : undefined
}

/** `toJSON` of a value runs before a replacer sees it: the holder still has what it was. */
function plainInside(this: unknown, key: string, value: unknown): unknown {
  const held = (this as Record<string, unknown> | null)?.[key]
  if (typeof held !== 'object') return value
  return base64Of(held) ?? plainMessage(held) ?? value
}
