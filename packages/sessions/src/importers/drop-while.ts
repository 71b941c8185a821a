/** Takes elements off the end of a list while they pass, and gives them, the last one first. */
export function dropWhile<Element>(list: Element[], passes: (element: Element) => boolean): Element[] {
  const dropped: Element[] = []
  for (let last = list.at(-1); last !== undefined && passes(last); last = list.at(-1)) {
    dropped.push(last)
    list.pop()
  }
  return dropped
}
