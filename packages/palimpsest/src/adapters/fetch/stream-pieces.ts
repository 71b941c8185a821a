/** The pieces of a stream, one by one; not every runtime lets a stream be iterated. Who stops early cancels it. */
export async function* streamPieces(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  let isRead = false
  try {
    for (;;) {
      const { done, value } = await reader.read()
      isRead = done
      if (done) return
      yield value
    }
  } finally {
    if (!isRead) await reader.cancel().catch(() => {})
  }
}
