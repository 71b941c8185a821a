/** The names that a word with a slip in it may have meant, nearest first, three at most; none where all are far away. */
export function nearestNames(word: string, names: readonly string[]): readonly string[] {
  const most = Math.max(2, Math.floor(word.length / 3))
  return names
    .map((name) => ({ name, slips: name.startsWith(word) ? 0 : slipsBetween(word, name, most) }))
    .filter(({ slips }) => slips <= most)
    .sort((a, b) => a.slips - b.slips)
    .slice(0, 3)
    .map(({ name }) => name)
}

/** Letters to add, take out or change to get from one to the other; above `most`, some number above it. */
function slipsBetween(from: string, to: string, most: number): number {
  if (Math.abs(from.length - to.length) > most) return most + 1
  const letters = to.split('')
  let row = [0, ...letters.map((_, at) => at + 1)]
  for (const [above, letter] of from.split('').entries()) {
    const next = [above + 1]
    for (const [at, other] of letters.entries()) {
      const changed = (row[at] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(changed, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? most + 1
}
