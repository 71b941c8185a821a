/**
 * The text with a sign for each control character but tab and line feed, and for marks of direction, with which a text can
 * look like another one: what a model or tool wrote must not steer a terminal.
 */
export function plainText(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, (character) => {
    const code = character.charCodeAt(0)
    if (character === '\t' || character === '\n') return character
    return code < 0x20 ? String.fromCharCode(PICTURES + code) : '\ufffd'
  })
}

/** On one line: runs of white space are one space. */
export function oneLine(text: string): string {
  return plainText(text.replace(/\s+/g, ' ').trim())
}

/** At most this many characters, with a sign where something is left out. */
export function clipped(text: string, most: number): string {
  const characters = [...text.slice(0, 2 * most + 2)]
  return characters.length > most ? `${characters.slice(0, Math.max(0, most - 1)).join('')}…` : text
}

/** Unicode has a picture for each control character. */
const PICTURES = 0x2400
