/**
 * The names that a word with a slip in it may have meant, nearest first, three at most; none where all are far away. Case and
 * punctuation count for nothing, and the beginning or a long part of a name stands for it: `trigger_frac` means
 * `contextTriggerFrac`.
 *
 * @example nearestNames('modle', ['model', 'effort']) // ['model']
 */
export function nearestNames<Name extends string>(typed: string, names: readonly Name[]): readonly Name[] {
  const word = bare(typed)
  if (word === '') return []
  const most = Math.max(2, Math.floor(word.length / 3))
  return names
    .map((name) => ({ name, slips: slipsIn(word, bare(name)) }))
    .filter(({ slips }) => slips <= most)
    .toSorted((one, other) => one.slips - other.slips)
    .slice(0, MOST_NAMES)
    .map(({ name }) => name)
}

const MOST_NAMES = 3
/** Letters from which on a word is known by where it stands within a name. */
const LEAST_PART = 5
/** No name is longer: what is, is near none. */
const MOST_LETTERS = 60

function bare(word: string): string {
  return word.slice(0, MOST_LETTERS).toLowerCase().replace(/[\W_]/g, '')
}

/** A part is nearer than any slip, and the name itself nearer than that. */
function slipsIn(word: string, name: string): number {
  if (word === name) return 0
  const isPart = name.startsWith(word) || (word.length >= LEAST_PART && name.includes(word))
  return isPart ? 0.5 : lettersBetween(word, name)
}

/** Letters to add, to remove or to change. */
function lettersBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (const [above, letter] of [...from].entries()) {
    const next = [above + 1]
    for (const [at, other] of [...to].entries()) {
      const changed = (row[at] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(changed, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}
