import { originOf } from './derive.ts'

/** How a new value hangs together with the value it was made from. */
export interface Originals {
  /** For arrays and objects of the new value: the one of the source that it is, was derived from, or replaces. */
  readonly of: ReadonlyMap<object, object>
  /** Those of the source whose children the new value needs one by one, with all that contain them. */
  readonly open: ReadonlySet<object>
}

/** Finds the originals of `next` and of what is inside it. Throws `TypeError` when `next` contains itself. */
export function originalsOf(root: object, next: object): Originals {
  const search: Search = { source: new SourceObjects(root), of: new Map(), open: new Set(), path: new Set() }
  visit(search, next, root)
  return search
}

/** Is this an array or object whose children JSON shows? Objects that say how they are written are not. */
export function isContainer(value: unknown): value is object {
  return value !== null && typeof value === 'object' && typeof (value as { toJSON?: unknown }).toJSON !== 'function'
}

/** The own value under `key`; `__proto__` is a key like any other. */
export function valueAt(owner: object | undefined, key: string | number): unknown {
  return owner !== undefined && Object.hasOwn(owner, key) ? (owner as Record<string, unknown>)[key] : undefined
}

interface Search {
  readonly source: SourceObjects
  readonly of: Map<object, object>
  readonly open: Set<object>
  /** What contains the object that is visited. */
  readonly path: Set<object>
}

/** `counterpart` is what stands in the same place of the source. */
function visit(search: Search, value: object, counterpart: unknown): void {
  if (search.path.has(value)) throw new TypeError('A value that contains itself has no JSON text.')
  if (search.of.has(value)) return
  const original = originalOf(search, value, counterpart)
  if (original !== undefined) {
    search.of.set(value, original)
    openAround(search, original)
    if (original === value) return
    search.open.add(original)
    search.source.learnChildren(original)
  }
  search.path.add(value)
  // Elements of a list may have moved: their place says nothing about where they came from.
  if (Array.isArray(value)) visitAll(search, value)
  else {
    for (const [key, child] of Object.entries(value)) {
      if (isContainer(child)) visit(search, child, valueAt(original, key))
    }
  }
  search.path.delete(value)
}

function visitAll(search: Search, list: readonly unknown[]): void {
  for (const element of list) if (isContainer(element)) visit(search, element, undefined)
}

function originalOf({ source, path }: Search, value: object, counterpart: unknown): object | undefined {
  const replaced = isSameKind(value, counterpart) ? counterpart : undefined
  // The outermost value is often a plain copy: no reason to look for it everywhere.
  if (path.size === 0) return source.find(value, 'known') ?? replaced
  return source.find(value, 'known') ?? source.find(value, 'all') ?? replaced
}

function isSameKind(value: object, other: unknown): other is object {
  return isContainer(other) && Array.isArray(value) === Array.isArray(other)
}

function openAround({ source, open }: Search, original: object): void {
  let above = source.parentOf(original)
  while (above !== undefined && !open.has(above)) {
    open.add(above)
    above = source.parentOf(above)
  }
}

/** The arrays and objects of the source, learned as far as they are asked for. */
class SourceObjects {
  readonly #root: object
  readonly #parents = new Map<object, object>()
  #isComplete = false

  constructor(root: object) {
    this.#root = root
  }

  /** The object of the source that `value` is, or that it was derived from, step by step. */
  find(value: object, among: 'known' | 'all'): object | undefined {
    if (among === 'all') this.#learnAll()
    for (let origin: object | undefined = value; origin !== undefined; origin = originOf(origin)) {
      if (origin === this.#root || this.#parents.has(origin)) return origin
    }
    return undefined
  }

  parentOf(object: object): object | undefined {
    return this.#parents.get(object)
  }

  learnChildren(container: object): readonly object[] {
    const children: object[] = (Array.isArray(container) ? container : Object.values(container)).filter(isContainer)
    for (const child of children) this.#parents.set(child, container)
    return children
  }

  #learnAll(): void {
    if (this.#isComplete) return
    this.#isComplete = true
    const waiting = [this.#root]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      for (const child of this.learnChildren(next)) waiting.push(child)
    }
  }
}
