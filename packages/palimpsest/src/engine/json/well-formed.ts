/** `text` with each lone surrogate replaced by U+FFFD, so that it survives UTF-8; the same string where there is none. */
export function wellFormed(text: string): string {
  // With the `u` flag the halves of a valid pair are one character, so only lone ones match.
  return text.replace(/\p{Surrogate}/gu, '\ufffd')
}

/** How a text is cut. */
export interface CutOptions {
  /** The most UTF-16 units of the result, marker included. */
  readonly limit: number
  /** The share of what is kept that comes from the beginning, 0 to 1; a half by default. */
  readonly headShare?: number
  /** What stands where something is missing, given the UTF-16 units that are. */
  readonly marker: (cutChars: number) => string
}

/** A cut text; lengths in UTF-16 units. */
export interface CutText {
  /** Well-formed, whatever went in. */
  readonly text: string
  /** Units that are missing; 0: nothing is. */
  readonly cut: number
  /** Units kept of the beginning and of the end. */
  readonly head: number
  readonly tail: number
}

/**
 * Both ends of a text that is longer than `limit`, with a marker between them. No surrogate pair is split, nor a letter
 * from its accents or an emoji from what it is joined to. Where not even the marker fits, only the beginning of the
 * marker is left. Throws `RangeError` when `limit` is no natural number or 0.
 *
 * @example cutText('0123456789', { limit: 6, marker: (cut) => `[${cut}]` }) // { text: '01[7]9', cut: 7, head: 2, tail: 1 }
 */
export function cutText(text: string, options: CutOptions): CutText {
  const { limit, headShare = 0.5, marker } = options
  if (!Number.isInteger(limit) || limit < 0) throw new RangeError(`limit must be 0 or a natural number, not ${limit}`)
  if (!(headShare >= 0 && headShare <= 1)) throw new RangeError(`headShare must be from 0 to 1, not ${headShare}`)
  if (text.length <= limit) return { text: wellFormed(text), cut: 0, head: text.length, tail: 0 }
  let room = limit - marker(text.length - limit).length
  while (room > 0) {
    const { head, tail } = endsWithin(text, room, headShare)
    const note = marker(text.length - head - tail)
    const over = head + note.length + tail - limit
    if (over <= 0) return joined(text, head, note, tail)
    // The marker grew with the number in it.
    room -= over
  }
  const note = wellFormed(marker(text.length))
  return { text: note.slice(0, clusterStart(note, limit)), cut: text.length, head: 0, tail: 0 }
}

/** Whole characters from both ends, `room` units together at most. */
function endsWithin(text: string, room: number, headShare: number): { readonly head: number; readonly tail: number } {
  const wanted = Math.round(room * headShare)
  const head = clusterStart(text, wanted)
  return { head, tail: text.length - clusterEnd(text, text.length - (room - wanted)) }
}

function joined(text: string, head: number, note: string, tail: number): CutText {
  const start = text.length - tail
  return {
    text: wellFormed(text.slice(0, head)) + wellFormed(note) + wellFormed(text.slice(start)),
    cut: start - head,
    head,
    tail,
  }
}

/** Units to look for the border of a character that the reader sees; longer ones are split between code points. */
const MAX_CLUSTER = 32

function clusterStart(text: string, at: number): number {
  for (let start = at; start >= Math.max(0, at - MAX_CLUSTER); start--) {
    if (!isInsideCluster(text, start)) return start
  }
  return isInsidePair(text, at) ? at - 1 : at
}

function clusterEnd(text: string, at: number): number {
  for (let end = at; end <= Math.min(text.length, at + MAX_CLUSTER); end++) {
    if (!isInsideCluster(text, end)) return end
  }
  return isInsidePair(text, at) ? at + 1 : at
}

const ZERO_WIDTH_JOINER = 0x200d

/** Accents, joined and modified emoji: what follows belongs to what stands before. */
function isInsideCluster(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return false
  if (isInsidePair(text, at) || text.charCodeAt(at - 1) === ZERO_WIDTH_JOINER) return true
  if (text.charCodeAt(at) < 0x300) return false
  return /^[\p{Mark}\p{Emoji_Modifier}\u200d]/u.test(text.slice(at, at + 2))
}

function isInsidePair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1)
  const after = text.charCodeAt(at)
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff
}
