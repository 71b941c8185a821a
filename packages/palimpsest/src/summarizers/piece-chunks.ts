import { type Estimate, fitTokens } from '../engine/manifest/text-cut.ts'
import type { ShownPiece } from './summary-prompt.ts'
import { boundedText, type TranscriptPiece } from './transcript-pieces.ts'

/** Tokens of the mark, the brackets and the empty line around a piece. */
const AROUND_PIECE = 12
/** Characters of a tool result that a summariser reads, from the first choice to the last. */
const DETAILS = [4_000, 1_200, 400, 120] as const

/** Pieces for one call, and how many of all they are. */
export interface PieceChunk {
  readonly shown: readonly ShownPiece[]
  readonly count: number
}

/**
 * The pieces cut into chunks of at most `room` tokens, in the finest detail that makes at most `most` of them; undefined
 * where none does.
 */
export function chunksOf(
  pieces: readonly TranscriptPiece[],
  { room, most, estimate }: { readonly room: number; readonly most: number; readonly estimate: Estimate },
): readonly PieceChunk[] | undefined {
  for (const detail of DETAILS) {
    const chunks = packed(pieces, { detail, room, most, estimate })
    if (chunks !== undefined) return chunks
  }
  return undefined
}

interface Packing {
  readonly detail: number
  readonly room: number
  readonly most: number
  readonly estimate: Estimate
}

function packed(pieces: readonly TranscriptPiece[], packing: Packing): readonly PieceChunk[] | undefined {
  const chunks: { shown: ShownPiece[]; count: number }[] = []
  let left = 0
  for (const piece of pieces) {
    const { shown, tokens } = fitted(piece, packing)
    // Tokens that are no number fit nowhere.
    if (!(tokens <= left) || chunks.length === 0) {
      if (chunks.length === packing.most) return undefined
      chunks.push({ shown: [], count: 0 })
      left = packing.room
    }
    left -= tokens
    const chunk = chunks.at(-1)
    chunk?.shown.push(shown)
    if (chunk !== undefined) chunk.count += 1
  }
  return chunks
}

function fitted(piece: TranscriptPiece, { detail, room, estimate }: Packing) {
  const { kind, stays, text: whole } = piece
  const head = stays ? `${piece.head}, stays word for word` : piece.head
  const around = AROUND_PIECE + estimate(head)
  const text = boundedText({ kind, stays, head, text: whole }, detail)
  const tokens = estimate(text) + around
  if (tokens <= room) return { shown: { head, text }, tokens }
  const cut = fitTokens(text, room - around, estimate)
  return { shown: { head, text: cut }, tokens: estimate(cut) + around }
}

/** The text in parts of at most `room` tokens that give it back when they are joined: cut at line ends where there are any. */
export function splitText(text: string, room: number, estimate: Estimate): readonly string[] {
  if (text.length < 2 || estimate(text) <= room) return [text]
  const middle = text.length >> 1
  const line = text.indexOf('\n', middle) + 1
  let at = line > 0 && line < text.length ? line : middle
  if (/[\udc00-\udfff]/.test(text.charAt(at)) && at > 1) at -= 1
  return [...splitText(text.slice(0, at), room, estimate), ...splitText(text.slice(at), room, estimate)]
}
