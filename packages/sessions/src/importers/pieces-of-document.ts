import { parsed } from './parse-line.ts'
import { endOfValue } from './read-lines.ts'

/** One object that stands whole in a damaged document. */
export interface DocumentPiece {
  readonly value: unknown
  readonly text: string
}

/**
 * The objects in a text that is no JSON as a whole which `isPiece` accepts, in order; none of them lies in another one.
 * Never throws.
 */
export function piecesOfDocument(text: string, isPiece: (value: unknown) => boolean): DocumentPiece[] {
  const pieces: DocumentPiece[] = []
  const opening = /\{\s*"/g
  let left = text.length * RESCUE_PASSES
  for (let found = opening.exec(text); found !== null && left > 0; found = opening.exec(text)) {
    const end = endOfValue(text, found.index)
    const piece = text.slice(found.index, end)
    const value = parsed(piece)
    const accepted = value !== undefined && isPiece(value.value)
    if (!accepted) left -= piece.length
    if (accepted) pieces.push({ value: value.value, text: piece })
    // What is no piece may have pieces in it.
    opening.lastIndex = accepted ? end : found.index + 1
  }
  return pieces
}

/**
 * So often what is no piece may be read over: every object around a damaged place may cost the length of the text, and so may
 * every object of a document that nests deeply. The bound keeps that from its square.
 */
const RESCUE_PASSES = 100
