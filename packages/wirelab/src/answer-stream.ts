import type { StreamPiece } from './format.ts'

/** How a stream ends: as it should, silent until the client leaves, or broken off. */
export type StreamEnd = 'close' | 'stall' | 'break'

/** The pieces as a body, one by one; `ended` hears how it went. */
export function answerStream(
  pieces: readonly StreamPiece[],
  end: StreamEnd,
  ended: (how: 'sent' | 'client-gone') => void,
): ReadableStream<Uint8Array> {
  const left = [...pieces]
  return new ReadableStream({
    pull(controller) {
      const piece = left.shift()
      if (piece !== undefined) return controller.enqueue(piece.bytes)
      // A pull that never resolves is never followed by another: the stream stays open and silent.
      if (end === 'stall') return new Promise<void>(() => {})
      ended('sent')
      if (end === 'break') controller.error(new Error('the simulator breaks the connection off'))
      else controller.close()
    },
    cancel: () => ended('client-gone'),
  })
}

/** The pieces before the first content; with it, where `including` says so. */
export function piecesUpToContent(pieces: readonly StreamPiece[], including: boolean): readonly StreamPiece[] {
  const first = pieces.findIndex(({ content }) => content)
  const end = first < 0 ? pieces.length - 1 : first
  return pieces.slice(0, including ? end + 1 : end)
}
