import { redactSecrets } from 'palimpsest'

/** Characters of what a provider says that are shown. */
const SHOWN = 300
const READ = 600
/** Characters that a stretch of the request has before it is known again. */
const ECHO = 24

/**
 * What a provider says, fit to be shown and logged: in one line, bounded, without secrets, and without any stretch of what was
 * sent: providers like to quote what they refuse.
 *
 * @param known names that may be said although they were sent: the model's
 */
export function providerWords(message: string, request: unknown, known: readonly string[] = []): string {
  const line = message.slice(0, READ).replace(/\s+/g, ' ').trim()
  const shown = redactSecrets(withoutEchoes(line, textsOf(request, known)))
  return shown.length > SHOWN ? `${shown.slice(0, SHOWN - 1)}…`.toWellFormed() : shown
}

function withoutEchoes(line: string, sent: string): string {
  if (sent.length < ECHO) return line
  let clean = ''
  for (let at = 0; at < line.length; ) {
    const length = echoAt(line, at, sent)
    clean += length === 0 ? line.charAt(at) : '…'
    at += Math.max(1, length)
  }
  return clean
}

/** How many characters from here on stand in what was sent; 0 where they are too few to be a quotation. */
function echoAt(line: string, at: number, sent: string): number {
  let length = ECHO
  if (at + length > line.length || !sent.includes(line.slice(at, at + length))) return 0
  while (at + length < line.length && sent.includes(line.slice(at, at + length + 1))) length++
  return length
}

/** Every text of a request, in lines, with its white space as the line has it. */
function textsOf(request: unknown, known: readonly string[]): string {
  const texts: string[] = []
  const open: unknown[] = [request]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'string') {
      if (!known.includes(value)) texts.push(value.replace(/\s+/g, ' '))
    } else if (typeof value === 'object' && value !== null) open.push(...Object.values(value))
  }
  return texts.join('\n')
}
