/** Tokens of a text, as the caller counts them. Must be deterministic; need not be additive. */
export type Estimate = (text: string) => number

/** The same estimate, asked once per text: for who measures the same lines again and again. */
export function remembered(estimate: Estimate): Estimate {
  const known = new Map<string, number>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const tokens = estimate(text)
    known.set(text, tokens)
    return tokens
  }
}

/** Initial guess for a text that is far too long: no tokenizer in use needs fewer tokens per character for prose or code. */
const MOST_CHARACTERS_PER_TOKEN = 6

/** Head and tail of a text in at most `limit` characters (UTF-16 units), with a mark of how much is missing. Never splits a pair. */
export function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text
  const mark = ` … [${text.length} characters, cut] … `
  const room = limit - mark.length
  if (room < 16) return cutEnd(text, limit)
  const tail = Math.floor(room / 3)
  return `${headOf(text, room - tail)}${mark}${tailOf(text, tail)}`
}

/** The beginning of a text in at most `limit` characters, ending in `…` where something is missing. */
export function cutEnd(text: string, limit: number): string {
  if (text.length <= limit) return text
  return limit < 2 ? '' : `${headOf(text, limit - 1)}…`
}

/** A text on one line: terminal codes and control characters leave, white space collapses; at most `limit` characters. */
export function oneLine(text: string, limit: number): string {
  // Twice the limit is looked at: enough unless most of it is white space, and a line of megabytes stays cheap.
  const seen = withoutTerminalCodes(headOf(text, limit * 2 + 64))
  return cutEnd(seen.replace(/[\s\p{Cc}]+/gu, ' ').trim(), limit)
}

/** The text without ANSI escape sequences. */
export function withoutTerminalCodes(text: string): string {
  if (!text.includes('\u001b')) return text
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what this takes away.
  return text.replace(/\u001b(?:\[[0-9;?]{0,32}[A-Za-z]|\][^\u0007\u001b]{0,256}(?:\u0007|\u001b\\)|[@-Z\\-_])/g, '')
}

/** The longest head-and-tail cut of `text` found whose estimate is at most `budget`; empty when none is. */
export function fitTokens(text: string, budget: number, estimate: Estimate): string {
  if (!(budget > 0)) return ''
  let limit = Math.min(text.length, Math.ceil(budget * MOST_CHARACTERS_PER_TOKEN))
  for (let round = 0; round < 12 && limit > 0; round += 1) {
    const cut = cutMiddle(text, limit)
    const tokens = estimate(cut)
    if (tokens <= budget) return cut
    // An estimate that is no number says nothing about how far to go: halve.
    const shrink = tokens > 0 && Number.isFinite(tokens) ? (budget / tokens) * 0.98 : 0.5
    limit = Math.floor(Math.min(cut.length * Math.min(shrink, 0.95), limit - 1))
  }
  return ''
}

function headOf(text: string, length: number): string {
  if (length >= text.length) return text
  return text.slice(0, isHighSurrogate(text, length - 1) && isLowSurrogate(text, length) ? length - 1 : length)
}

function tailOf(text: string, length: number): string {
  const start = text.length - length
  return text.slice(isLowSurrogate(text, start) && isHighSurrogate(text, start - 1) ? start + 1 : start)
}

function isHighSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0xd800 && code < 0xdc00
}

function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code < 0xe000
}
