/**
 * What is told of a model call that threw: its name, status and code, where they look like ones. The message is left out:
 * providers and proxies quote requests and keys in it.
 */
export function failureDetail(error: unknown): string {
  const name = word(fieldOf(error, 'name')) ?? 'Error'
  const status = fieldOf(error, 'statusCode') ?? fieldOf(error, 'status')
  const code = word(fieldOf(error, 'code'))
  const facts = [...(isStatus(status) ? [`status ${status}`] : []), ...(code === undefined ? [] : [code])]
  return `The model call failed: ${[name, ...facts].join(', ')}.`
}

/** Names and codes are letters and underscores; keys and texts have more. */
function word(value: unknown): string | undefined {
  return typeof value === 'string' && /^[a-z_]{1,48}$/i.test(value) ? value : undefined
}

function isStatus(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 100 && value < 600
}

/** A field of whatever was thrown, which may be anything, also an object that throws. */
function fieldOf(error: unknown, name: string): unknown {
  if (typeof error !== 'object' || error === null) return undefined
  try {
    return (error as Readonly<Record<string, unknown>>)[name]
  } catch {
    return undefined
  }
}
