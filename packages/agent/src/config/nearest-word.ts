/** The word that was probably meant; undefined where none is near. `trigger_frac` is near `triggerFrac`. */
export function nearestWord<Word extends string>(typed: string, words: readonly Word[]): Word | undefined {
  const plain = bare(typed)
  const holding = words.filter((word) => plain.length >= LEAST_LETTERS && bare(word).includes(plain))
  if (holding.length === 1) return holding[0]
  const distances = words.map((word) => [word, distance(plain, bare(word))] as const)
  const [nearest] = distances.toSorted(([, one], [, other]) => one - other)
  return nearest !== undefined && nearest[1] <= Math.min(MOST_EDITS, plain.length * 0.4) ? nearest[0] : undefined
}

const LEAST_LETTERS = 5
const MOST_EDITS = 3
/** No key is longer: what is, is near none. */
const MOST_LETTERS = 60

function bare(word: string): string {
  return word.slice(0, MOST_LETTERS).toLowerCase().replace(/[\W_]/g, '')
}

/** Letters to add, to remove or to change. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1]
    for (let at = 1; at <= to.length; at++) {
      const changed = (row[at - 1] ?? 0) + (letter === to[at - 1] ? 0 : 1)
      next.push(Math.min(changed, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}
