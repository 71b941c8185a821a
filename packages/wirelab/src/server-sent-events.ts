import type { StreamPiece } from './format.ts'

const encoder = new TextEncoder()

/** One server-sent event as a piece of a stream; `content`: does it carry some of the answer itself? */
export function serverSentEvent(
  data: unknown,
  options: { readonly event?: string; readonly content?: boolean } = {},
): StreamPiece {
  const head = options.event === undefined ? '' : `event: ${options.event}\n`
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  return { bytes: encoder.encode(`${head}data: ${text}\n\n`), content: options.content ?? false }
}

/** A text in the chunks in which a model would stream it: a few words each, at most `most` of them. */
export function streamChunks(text: string, most = 8): readonly string[] {
  const size = Math.max(12, Math.ceil(text.length / most))
  const chunks: string[] = []
  for (let at = 0; at < text.length; ) {
    const end = at + size
    // Never between the halves of a surrogate pair: each chunk is encoded by itself.
    const high = text.charCodeAt(end - 1)
    const cut = high >= 0xd800 && high <= 0xdbff ? end + 1 : end
    chunks.push(text.slice(at, cut))
    at = cut
  }
  return chunks
}
