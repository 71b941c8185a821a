import { stripVTControlCharacters } from 'node:util'

/** UTF-16 units that are kept of the beginning, and of the end. */
const KEPT = 1_000_000
/** Short pieces are joined up to this many units, so that their number stays bounded, too. */
const PIECE = 16_384

/** The beginning and the end of a text of any length, in bounded memory. */
export class OutputBuffer {
  #head = ''
  readonly #tail: string[] = []
  #tailUnits = 0
  #left = 0

  add(text: string): void {
    const room = KEPT - this.#head.length
    this.#head += text.slice(0, room)
    if (text.length > room) this.#addTail(text.slice(Math.max(0, room)))
  }

  /** What is kept, as it would be read: without terminal codes, and of lines that were written over the last state. */
  text(): string {
    const tail = this.#tail.join('')
    if (this.#left === 0) return readable(this.#head + tail)
    return `${readable(this.#head)}${gap(this.#left)}${readable(tail)}`
  }

  #addTail(text: string): void {
    const last = this.#tail.at(-1)
    if (last !== undefined && last.length + text.length <= PIECE) this.#tail[this.#tail.length - 1] = last + text
    else this.#tail.push(text)
    this.#tailUnits += text.length
    for (;;) {
      const first = this.#tail[0]
      if (first === undefined || this.#tailUnits - first.length < KEPT) return
      this.#tail.shift()
      this.#tailUnits -= first.length
      this.#left += first.length
    }
  }
}

/** Beginning and end of a text in about so many units, no pair split; says how much is missing. */
export function cutOutput(text: string, most: number): string {
  if (text.length <= most) return text
  const head = text.slice(0, Math.floor(most / 2))
  const tail = text.slice(text.length - Math.floor(most / 2))
  const left = text.length - head.length - tail.length
  return `${head}${gap(left)}${tail}`.toWellFormed()
}

function gap(units: number): string {
  return `\n[… ${units.toLocaleString('en')} characters left out …]\n`
}

function readable(text: string): string {
  const plain = stripVTControlCharacters(text).replaceAll('\0', '␀').replaceAll('\r\n', '\n')
  if (!plain.includes('\r')) return plain.toWellFormed()
  return plain.split('\n').map(lastState).join('\n').toWellFormed()
}

/** What a terminal would show of a line that went back to its start. */
function lastState(line: string): string {
  let end = line.length
  while (line[end - 1] === '\r') end -= 1
  return line.slice(line.lastIndexOf('\r', end - 1) + 1, end)
}
