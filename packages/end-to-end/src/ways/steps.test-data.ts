/** What happens in a conversation, in no wire format. */
export type Step =
  | { readonly user: string }
  | { readonly say: string }
  | { readonly calls: readonly StepCall[]; readonly say?: string }

export interface StepCall {
  readonly id: string
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
  readonly result: string
}

/** A call with its result; the id is the number's. */
export function call(number: number, result: string, { name = 'read_file', input = {} } = {}): StepCall {
  return { id: `toolu_step_${number}`, name, input, result }
}

const WORDS = (
  'table river green window paper stone letter garden silver planet engine market bridge simple number forest circle ' +
  'winter summer doctor school music coffee camera'
).split(' ')

/** Prose of so many words, about as many tokens. Another seed gives another text. */
export function filler(words: number, seed = 1): string {
  let state = Math.imul(seed, 2_654_435_761)
  return Array.from({ length: words }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return WORDS[(state >>> 8) % WORDS.length]
  }).join(' ')
}

const CONSONANTS = 'bdfgklmnprstvz'

/** A word that stands in no other message: `number` from 0 to 999. It looks like prose, not like a name or an identifier. */
export function marker(number: number): string {
  const syllable = (digit: number) => `${CONSONANTS[digit]}${'aeiou'[digit % 5]}${CONSONANTS[13 - digit]}`
  return `q${[100, 10, 1].map((unit) => syllable(Math.floor(number / unit) % 10)).join('')}x`
}

/** Prose with the marker of this number at both ends and in the middle. */
export function marked(number: number, words: number): string {
  const half = filler(Math.floor(words / 2), number + 1)
  return `${marker(number)} ${half} ${marker(number)} ${filler(Math.ceil(words / 2), number + 1_001)} ${marker(number)}`
}

/** The markers that stand in a text, each once, in ascending order. */
export function markersIn(text: string): readonly number[] {
  const found = new Set(text.match(/\bq(?:[a-z]{3}){3}x\b/g))
  return Array.from({ length: 1_000 }, (_, number) => number).filter((number) => found.has(marker(number)))
}

/** Freezes a value all the way down: whoever writes into it throws. */
export function deepFreeze<T>(value: T): T {
  if (value === null || typeof value !== 'object' || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const inner of Object.values(value)) deepFreeze(inner)
  return value
}
