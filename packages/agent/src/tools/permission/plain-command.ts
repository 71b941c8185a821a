/**
 * The words of a command that is one program with its arguments and nothing else, quotes taken away; undefined for every other
 * one: operators, substitutions, redirections, variables, escapes, several lines, settings in front of the program, and
 * patterns that might turn into options. What is not understood is not plain.
 */
export function plainCommand(text: string): readonly string[] | undefined {
  if (UNKNOWN_SPACE.test(text)) return undefined
  const words: string[] = []
  for (let at = 0; at < text.length; ) {
    const blank = /^[ \t]+/.exec(text.slice(at, at + LONGEST_BLANK))
    if (blank !== null) {
      at += blank[0].length
      continue
    }
    const word = wordAt(text, at)
    if (word === undefined) return undefined
    words.push(word.value)
    at = word.end
  }
  const program = words[0]
  return program === undefined || !PROGRAM.test(program) ? undefined : words
}

/** Line ends, control characters, and spaces that a shell may or may not take for one. */
const UNKNOWN_SPACE = /[^\S \t]|\p{Cc}(?<!\t)/u
const LONGEST_BLANK = 1_000
/** No setting (`A=b`), no pattern, no home folder. */
const PROGRAM = /^[\w./+-][\w./+@:-]*$/
/** What a shell reads as anything but itself, outside of quotes. */
const SPECIAL = /[;&|<>()$`\\!#{}^]/
const PATTERN = /[*?[~]/
const SPECIAL_IN_QUOTES = /[$`\\!]/

interface Word {
  readonly value: string
  readonly end: number
}

function wordAt(text: string, start: number): Word | undefined {
  let value = ''
  for (let at = start; ; ) {
    const unit = text[at]
    if (unit === undefined || unit === ' ' || unit === '\t') return { value, end: at }
    if (unit === "'" || unit === '"') {
      const close = text.indexOf(unit, at + 1)
      const quoted = text.slice(at + 1, close)
      if (close < 0 || (unit === '"' && SPECIAL_IN_QUOTES.test(quoted))) return undefined
      value += quoted
      at = close + 1
    } else {
      if (SPECIAL.test(unit) || (PATTERN.test(unit) && !staysItself(unit, value))) return undefined
      value += unit
      at += 1
    }
  }
}

/** A pattern behind a word's beginning can only become names that begin so; `~` is a home folder at the start of a path. */
function staysItself(unit: string, before: string): boolean {
  return /^[\w./]/.test(before) && !(unit === '~' && /[=:]$/.test(before))
}
