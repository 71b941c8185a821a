import { fencesOf } from './markdown.mjs'

/** What a query of Prometheus asks for. */
export interface PromqlParts {
  readonly selectors: readonly { readonly series: string; readonly matchers: readonly LabelMatcher[] }[]
  /** Labels of `by (…)`, `on (…)` and their like. */
  readonly grouping: readonly string[]
}

export interface LabelMatcher {
  readonly label: string
  readonly values: readonly string[]
}

/** What a query of Tempo asks for. */
export interface TraceqlParts {
  readonly attributes: readonly { readonly scope: string; readonly name: string }[]
  /** Values of `event:name`. */
  readonly events: readonly string[]
  /** Values that an attribute is compared with. */
  readonly values: readonly { readonly attribute: string; readonly value: string }[]
}

/** A query and where it stands. */
export interface PlacedQuery {
  readonly where: string
  readonly query: string
}

/** The queries of a document, in fences and between words. */
export function queriesOf(markdown: string): {
  readonly promql: readonly string[]
  readonly traceql: readonly string[]
} {
  const fences: readonly { info: string; text: string }[] = fencesOf(markdown)
  const quoted = [...markdown.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text)
  const inFences = (language: string) => fences.filter(({ info }) => info === language).map(({ text }) => text)
  return {
    promql: [...inFences('promql'), ...quoted.filter((text) => /^\w+\(\w+(?:\{[^}]*\})?\[\w+\]\)$/.test(text))],
    traceql: [...inFences('traceql'), ...quoted.filter((text) => /^\{ .* \}$/.test(text))],
  }
}

const FUNCTIONS = /\b(?:sum|max|min|count|avg|rate|increase|histogram_quantile|vector)\b(?=\s*(?:by\b|\())/g
const KEYWORDS = /\b(?:and|or|unless|offset|by|on|ignoring|without|label_values)\b/g

/**
 * Takes a query apart, as far as names go. Whatever word is left when functions, grouping, matchers, ranges and numbers are gone is the
 * name of a series: none is overlooked because it looks like no metric of ours.
 */
export function promqlParts(query: string): PromqlParts {
  const grouping: string[] = []
  const matched = [...query.matchAll(/(\w+)\{([^}]*)\}/g)].map(([, series = '', inside = '']) => ({
    series,
    matchers: matchersIn(inside),
  }))
  const bare = query
    .replace(/\w+\{[^}]*\}/g, ' ')
    .replace(/\b(?:by|on|ignoring|without)\s*\(([^)]*)\)/g, (_, labels: string) => {
      grouping.push(...labels.split(',').map((label) => label.trim()))
      return ' '
    })
    .replace(/\boffset\s+\w+/g, ' ')
    .replace(/\[[^\]]*\]/g, ' ')
    .replace(/\$\w+/g, ' ')
    .replace(FUNCTIONS, ' ')
    .replace(KEYWORDS, ' ')
  const names = [...bare.matchAll(/(?<!\w)[a-z_]\w*/gi)].map(([name]) => name)
  return { selectors: [...matched, ...names.map((series) => ({ series, matchers: [] }))], grouping }
}

function matchersIn(text: string): readonly LabelMatcher[] {
  return [...text.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"/g)].map(([, label = '', value = '']) => ({
    label,
    values: value.split('|'),
  }))
}

/** Takes a query of Tempo apart, as far as names go. */
export function traceqlParts(query: string): TraceqlParts {
  const events = [...query.matchAll(/event:name\s*=\s*"([^"]*)"/g)].map(([, name = '']) => name)
  const values = [...query.matchAll(/(?:span|event)\.([\w.]+)\s*=\s*"([^"]*)"/g)].map(
    ([, attribute = '', value = '']) => ({ attribute, value }),
  )
  const names = query.replace(/"[^"]*"/g, '""')
  const attributes = [...names.matchAll(/(?<![\w.:])(\w*)\.([a-z_]\w*(?:\.\w+)*)/g)].map(
    ([, scope = '', name = '']) => ({ scope, name }),
  )
  return { attributes, events, values }
}

/** Is every bracket closed by its own kind, and every quotation ended? */
export function isBalanced(query: string): boolean {
  if ((query.match(/"/g)?.length ?? 0) % 2 !== 0) return false
  const closing: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }
  const open: string[] = []
  for (const sign of query.replace(/"[^"]*"/g, '')) {
    if ('([{'.includes(sign)) open.push(sign)
    else if (sign in closing && open.pop() !== closing[sign]) return false
  }
  return open.length === 0
}
