/** JSON text of a value; binary data, which objects of the SDKs hold, as the base64 text that goes over the wire. */
export function jsonDocument(value: unknown): string {
  return JSON.stringify(value, base64Inside)
}

/** One document per line. */
export function jsonLinesOf(values: readonly unknown[]): string {
  return values.map((value) => `${jsonDocument(value)}\n`).join('')
}

/** Base64 of binary data; undefined for anything else. Data that was written as JSON before is `{"0":137,"1":80,…}`. */
export function base64Of(value: unknown): string | undefined {
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')
  return value instanceof ArrayBuffer ? Buffer.from(value).toString('base64') : undefined
}

/** `toJSON` of a Buffer runs before a replacer sees it: the holder still has what it was. */
function base64Inside(this: unknown, key: string, value: unknown): unknown {
  const held = (this as Record<string, unknown> | null)?.[key]
  return base64Of(held) ?? value
}
