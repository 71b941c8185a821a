/** Where a private key begins and ends, in PEM and in PGP armour. */
const BOUNDARY = /-----(BEGIN|END) (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g
/** The longest keys in use have 13,000 characters. */
const LONGEST_KEY = 30_000
/** A line of base64, with what tools print in front of lines. Code that only speaks of keys has none. */
const LINE = /[A-Za-z0-9+/=]{40}/
/** The next lines of a key whose end was cut off. */
const CUT_LINE = /[\s\\nr"'+,|→\d]{0,24}[A-Za-z0-9+/=]{40}[A-Za-z0-9+/=]*/y
const MOST_LINES = 500

const MASK = '[redacted:private-key]'

/** Masks private keys whole, from their first line to their last. */
export function maskPrivateKeys(text: string): string {
  if (!text.includes('PRIVATE KEY')) return text
  const masked: string[] = []
  let done = 0
  let begin: RegExpExecArray | undefined
  for (const boundary of [...text.matchAll(BOUNDARY), undefined]) {
    const end = begin === undefined ? undefined : keyEnd(text, begin, boundary)
    if (begin !== undefined && end !== undefined) {
      masked.push(text.slice(done, begin.index), MASK)
      done = end
    }
    begin = boundary?.[1] === 'BEGIN' ? boundary : undefined
  }
  masked.push(text.slice(done))
  return masked.join('')
}

/** Where a key that begins here ends; undefined where there is no key. */
function keyEnd(text: string, begin: RegExpExecArray, next: RegExpExecArray | undefined): number | undefined {
  const start = begin.index + begin[0].length
  if (next?.[1] === 'END' && isKey(text.slice(start, next.index))) return next.index + next[0].length
  const end = cutEnd(text.slice(0, next?.index), start)
  return end > start ? end : undefined
}

/** What has a mask in it was looked at before. */
function isKey(body: string): boolean {
  return body.length <= LONGEST_KEY && LINE.test(body) && !body.includes('[')
}

function cutEnd(text: string, start: number): number {
  let end = start
  for (let line = 0; line < MOST_LINES; line++) {
    CUT_LINE.lastIndex = end
    if (!CUT_LINE.test(text)) break
    end = CUT_LINE.lastIndex
  }
  return end
}
