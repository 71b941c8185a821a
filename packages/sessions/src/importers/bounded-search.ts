/**
 * Answers where in a list of numbers the first stands that is more than a bound; undefined where none is. The list need not
 * be sorted; it is gone through once, however many questions follow.
 */
export function firstAbove(numbers: readonly number[]): (bound: number) => number | undefined {
  let most = Number.NEGATIVE_INFINITY
  const highest = numbers.map((number) => {
    most = Math.max(most, number)
    return most
  })
  return (bound) => {
    const at = countWhile(highest, (number) => number <= bound)
    return at < numbers.length ? at : undefined
  }
}

/** Answers where the last stands that is no more than a bound; undefined where none is. Otherwise as `firstAbove`. */
export function lastAtMost(numbers: readonly number[]): (bound: number) => number | undefined {
  const lowest: number[] = new Array(numbers.length)
  let least = Number.POSITIVE_INFINITY
  for (let at = numbers.length - 1; at >= 0; at--) {
    least = Math.min(least, numbers[at] ?? least)
    lowest[at] = least
  }
  return (bound) => {
    const count = countWhile(lowest, (number) => number <= bound)
    return count > 0 ? count - 1 : undefined
  }
}

/** How many numbers of an ascending list pass, where all that pass stand first. */
function countWhile(ascending: readonly number[], passes: (number: number) => boolean): number {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (passes(ascending[middle] ?? Number.NaN)) low = middle + 1
    else high = middle
  }
  return low
}
