/** Lines of the file that a hint shows, and the units of each. */
const MOST_SHOWN = 12
const LONGEST_SHOWN = 200

/** Why a text may not have been found, as sentences behind a blank; empty where nothing is like it. */
export function nearMiss(text: string, wanted: string): string {
  if (/^[ \t]*\d+→/.test(wanted) && text.includes(withoutNumbers(wanted)))
    return ' It is there without line numbers: leave out each number and its arrow.'
  const lines = text.split('\n')
  const wantedLines = trimmedLines(wanted)
  const place = placeOf(lines.map(collapsed), wantedLines.map(collapsed))
  if (place !== undefined) return differsInSpace(lines, place, wantedLines.length)
  const first = wantedLines[0] ?? ''
  const at = first.trim() === '' ? -1 : lines.findIndex((line) => collapsed(line) === collapsed(first))
  if (at < 0) return ' Read the file again: it may have changed, or be another one.'
  return ` Its first line is line ${at + 1}; what follows there differs:\n${shown(lines, at, wantedLines.length)}`
}

function differsInSpace(lines: readonly string[], place: number, length: number): string {
  const range = length === 1 ? `Line ${place + 1}` : `Lines ${place + 1} to ${place + length}`
  return ` ${range} differ only in white space. They are, exactly:\n${shown(lines, place, length)}`
}

function shown(lines: readonly string[], at: number, length: number): string {
  const part = lines.slice(at, at + Math.min(length, MOST_SHOWN))
  return part.map((line) => (line.length > LONGEST_SHOWN ? `${line.slice(0, LONGEST_SHOWN)}…` : line)).join('\n')
}

/** Comparisons of lines, after which a hint is not worth the time. */
const MOST_COMPARED = 1_000_000

function placeOf(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const first = wanted[0]
  if (first === undefined) return undefined
  let compared = 0
  for (let at = lines.indexOf(first); at >= 0 && compared < MOST_COMPARED; at = lines.indexOf(first, at + 1)) {
    const differs = wanted.findIndex((line, offset) => lines[at + offset] !== line)
    if (differs < 0) return at
    compared += differs + 1
  }
  return undefined
}

/** Without empty lines at both ends. */
function trimmedLines(text: string): readonly string[] {
  const lines = text.split('\n')
  const first = lines.findIndex((line) => line.trim() !== '')
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex((line) => line.trim() !== '') + 1)
}

function collapsed(line: string): string {
  return line.trim().replace(/\s+/g, ' ')
}

function withoutNumbers(text: string): string {
  return text.replace(/^[ \t]*\d+→/gm, '')
}
