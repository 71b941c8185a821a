// Reads Mermaid diagrams without a browser, and tells what of one is drawing and what is words.

/**
 * Parses a diagram as Mermaid does before it draws it.
 * @throws Error where it could not be drawn, with the line.
 */
export async function diagramParser() {
  const { default: mermaid } = await withStandIn(() => import('mermaid'))
  return (text) => mermaid.parse(text)
}

/**
 * Mermaid cleans labels with DOMPurify, which wants a document when it is loaded, or it has no functions at all. With one that can
 * do nothing it has them, and leaves texts as they are: nothing is drawn here.
 */
async function withStandIn(load) {
  const had = Object.getOwnPropertyDescriptor(globalThis, 'window')
  const window = { document: { nodeType: 9, createElement: () => ({}) }, Element: class {} }
  Object.defineProperty(globalThis, 'window', { value: window, configurable: true })
  try {
    return await load()
  } finally {
    if (had === undefined) delete globalThis.window
    else Object.defineProperty(globalThis, 'window', had)
  }
}

/** A diagram without its words: two translations of one diagram have the same. */
export function drawingOf(diagram) {
  const isSequence = diagram.startsWith('sequenceDiagram')
  const withoutLabels = diagram.replace(/"[^"]*"/g, '""')
  if (!isSequence) return withoutLabels
  return withoutLabels.replace(/(:| as | alt | else ).*$/gm, '$1').replace(/^(\s*(?:alt|else)).*$/gm, '$1')
}
