/** Headers as `fetch` has them, as Node has them, or as a plain object. */
export type HeaderFields =
  | Iterable<readonly [string, string]>
  | Readonly<Record<string, string | readonly string[] | undefined>>

/** Names in lower case, with their values; one entry for each value. */
export function headerEntries(headers: HeaderFields): readonly (readonly [string, string])[] {
  if (isIterable(headers)) return Array.from(headers, ([name, value]) => [name.toLowerCase(), value] as const)
  return Object.entries(headers).flatMap(([name, value]) => {
    const values = typeof value === 'string' ? [value] : (value ?? [])
    return values.map((one) => [name.toLowerCase(), one] as const)
  })
}

function isIterable(headers: HeaderFields): headers is Iterable<readonly [string, string]> {
  return Symbol.iterator in headers
}

/** The first value of a header, by its name in lower case. */
export function headerValue(headers: HeaderFields, name: string): string | undefined {
  return headerEntries(headers).find(([known]) => known === name)?.[1]
}
