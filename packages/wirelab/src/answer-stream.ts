import type { StreamPiece } from './format.ts'

/** How a stream ends: as it should, silent until the client leaves, or broken off. */
export type StreamEnd = 'close' | 'stall' | 'break'

export interface StreamWatch {
  /** Hears how the stream went; only the first word counts. */
  readonly ended: (how: 'sent' | 'client-gone') => void
  /** Breaks the connection off. */
  readonly breakOff: () => void
}

/** The pieces as a body, one by one. */
export function answerStream(
  pieces: readonly StreamPiece[],
  end: StreamEnd,
  watch: StreamWatch,
): ReadableStream<Uint8Array> {
  const left = [...pieces]
  return new ReadableStream({
    pull(controller) {
      const piece = left.shift()
      if (piece !== undefined) return controller.enqueue(piece.bytes)
      if (end !== 'stall') watch.ended('sent')
      if (end === 'close') return controller.close()
      if (end === 'break') watch.breakOff()
      // A pull that never resolves is never followed by another: the stream stays open and silent.
      return new Promise<void>(() => {})
    },
    cancel: () => watch.ended('client-gone'),
  })
}

/** The pieces before the first content; with it, where `including` says so. */
export function piecesUpToContent(pieces: readonly StreamPiece[], including: boolean): readonly StreamPiece[] {
  const first = pieces.findIndex(({ content }) => content)
  const end = first < 0 ? pieces.length - 1 : first
  return pieces.slice(0, including ? end + 1 : end)
}
