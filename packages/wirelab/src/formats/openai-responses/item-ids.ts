/** What an id that this simulator gave to an output item says. */
export interface IssuedId {
  /** The answer that the item came in. */
  readonly answer: string
  /** Where in the answer it stood. */
  readonly place: number
  /** The place of the reasoning item that it belongs to; undefined: none stood before it. */
  readonly reasoning: number | undefined
}

/** Ids start like the provider's own; the rest is opaque to the client. */
const PREFIX: Readonly<Record<string, string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  custom_tool_call: 'ctc',
  local_shell_call: 'lsh',
}

/** How the id of such an item starts; undefined: the API is not known to care. */
export function idPrefix(type: string): string | undefined {
  return type === 'local_shell_call' ? undefined : PREFIX[type]
}

/** An id that tells later which answer the item came in and which reasoning it needs beside it. */
export function issueId(type: string, issued: IssuedId): string {
  const reasoning = issued.reasoning === undefined ? '' : `_r${issued.reasoning}`
  return `${PREFIX[type] ?? 'item'}_lab_${issued.answer}_${issued.place}${reasoning}`
}

/** What an id says; undefined: another server gave it. */
export function readId(id: string | undefined): IssuedId | undefined {
  const [, answer, place, reasoning] = /^[a-z]+_lab_(.+?)_(\d+)(?:_r(\d+))?$/.exec(id ?? '') ?? []
  if (answer === undefined) return undefined
  return { answer, place: Number(place), reasoning: reasoning === undefined ? undefined : Number(reasoning) }
}
