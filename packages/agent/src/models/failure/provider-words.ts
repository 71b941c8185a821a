import { redactSecrets } from 'palimpsest'

/** Characters of what a provider says that are shown. */
const SHOWN = 300
const READ = 400
/** Characters in which what was sent is looked for, and how far one look is from the next: 31 in a row are always found. */
const ECHO = 24
const STRIDE = 8

/**
 * What a provider says, fit to be shown and logged: in one line, bounded, without secrets, and without any stretch of what was
 * sent: providers like to quote what they refuse.
 *
 * @param known names that may be said although they were sent: the model's
 */
export function providerWords(message: string, request: unknown, known: readonly string[] = []): string {
  // redacted before it is cut: half a key has no shape
  const line = inOneLine(redactSecrets(message.slice(0, 5 * READ)))
    .trim()
    .slice(0, READ)
  const shown = withoutEchoes(line, textsOf(request, known))
  return shown.length > SHOWN ? `${shown.slice(0, SHOWN - 1)}…`.toWellFormed() : shown
}

function withoutEchoes(line: string, sent: string): string {
  const echoed = new Set<number>()
  for (let at = 0; at + ECHO <= line.length; at += STRIDE) {
    const [from, to] = echoAround(line, at, sent)
    for (let place = from; place < to; place++) echoed.add(place)
  }
  const shown = Array.from({ length: line.length }, (_, at) => {
    if (!echoed.has(at)) return line.charAt(at)
    return echoed.has(at - 1) ? '' : '…'
  })
  return shown.join('')
}

/** The stretch around this place that stands in what was sent; empty where it is too short to be a quotation. */
function echoAround(line: string, at: number, sent: string): readonly [from: number, to: number] {
  let [from, to] = [at, at + ECHO]
  if (!sent.includes(line.slice(from, to))) return [at, at]
  // further on, the next place finds it
  while (from > Math.max(0, at - STRIDE) && sent.includes(line.slice(from - 1, to))) from--
  while (to < Math.min(line.length, at + ECHO + STRIDE) && sent.includes(line.slice(from, to + 1))) to++
  return [from, to]
}

/** Every text of a request, each in one line. */
function textsOf(request: unknown, known: readonly string[]): string {
  const texts: string[] = []
  const open: unknown[] = [request]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'string') {
      if (!known.includes(value)) texts.push(inOneLine(value))
    } else if (typeof value === 'object' && value !== null) open.push(...Object.values(value))
  }
  return texts.join('\n')
}

/** Single blanks stay: in long texts nearly all are. */
function inOneLine(text: string): string {
  return text.replace(/\s{2,}|[^\S ]/g, ' ')
}
