import { lateAfter } from './late-after.ts'

/** How much of a body is waited for. */
export interface BodyBounds {
  readonly maxBytes: number
  readonly milliseconds: number
}

/**
 * The text of a response's body; undefined where it is larger, takes longer, or breaks off. Either way the response can
 * be read from its first byte on, as its body comes; no more than these bytes of it are kept for that.
 */
export async function boundedText(response: Response, bounds: BodyBounds): Promise<string | undefined> {
  const copy = response.clone().body?.getReader()
  if (copy === undefined) return ''
  const late = lateAfter(bounds.milliseconds)
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  try {
    for (;;) {
      const read = await Promise.race([copy.read().catch(() => undefined), late.promise])
      if (read === undefined) return undefined
      if (read.done) return text + decoder.decode()
      bytes += read.value.length
      if (bytes > bounds.maxBytes) return undefined
      text += decoder.decode(read.value, { stream: true })
    }
  } finally {
    late.cancel()
    // not awaited: the copy of a body is cancelled for good when the body itself is, too
    copy.cancel().catch(() => {})
  }
}
