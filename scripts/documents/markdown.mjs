// What the documents' scripts and tests need of Markdown: code fences, generated regions, links, anchors.

/** Every fenced code block: the words behind the fence, the text inside, and where the inside stands. */
export function fencesOf(markdown) {
  return [...markdown.matchAll(/^```([^\n`]*)\n([\s\S]*?)^```$/gm)].map((match) => {
    const start = match.index + match[0].indexOf('\n') + 1
    return { info: match[1].trim(), text: match[2], start, end: start + match[2].length }
  })
}

/** The document with the insides of some fences put in anew. */
export function withFences(markdown, replacements) {
  let result = markdown
  for (const { start, end, text } of replacements.toSorted((a, b) => b.start - a.start)) {
    result = result.slice(0, start) + text + result.slice(end)
  }
  return result
}

/**
 * The document with each region between `<!-- generated: NAME -->` and `<!-- end -->` filled anew.
 * @throws Error where a region has no content, or a content no region.
 */
export function withRegions(markdown, contents) {
  const used = new Set()
  const result = markdown.replace(/(<!-- generated: ([\w-]+) -->\n)[\s\S]*?(<!-- end -->)/g, (_, open, name, close) => {
    if (contents[name] === undefined) throw new Error(`Nothing is generated for the region "${name}".`)
    used.add(name)
    return `${open}\n${contents[name]}\n\n${close}`
  })
  const missing = Object.keys(contents).filter((name) => !used.has(name))
  if (missing.length > 0) throw new Error(`The document has no region for ${missing.join(', ')}.`)
  return result
}

/** A table whose cells may hold anything but line breaks. */
export function markdownTable(columns, rows) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(columns), `|${columns.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n')
}

/** Targets of the links in the text, code left out: those that stand in it, and those that it defines by name. */
export function linksOf(markdown) {
  const prose = proseOf(markdown)
  const inline = [...prose.matchAll(/\]\(([^()\s]+)\)/g)].map((match) => match[1])
  return [...inline, ...Object.values(definitionsIn(prose))]
}

/** Names by which the text links to what it nowhere defines, and definitions that it never uses. */
export function looseNamesOf(markdown) {
  const prose = proseOf(markdown)
  const defined = Object.keys(definitionsIn(prose))
  const used = [...prose.matchAll(/\]\[([^\]]+)\]/g)].map((match) => match[1])
  return [...used.filter((name) => !defined.includes(name)), ...defined.filter((name) => !used.includes(name))]
}

function definitionsIn(prose) {
  return Object.fromEntries([...prose.matchAll(/^\[([^\]]+)\]: (\S+)$/gm)].map(([, name, target]) => [name, target]))
}

function proseOf(markdown) {
  return markdown.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '')
}

/** The anchors that GitHub gives to the headings. */
export function anchorsOf(markdown) {
  const prose = markdown.replace(/^```[\s\S]*?^```$/gm, '')
  return [...prose.matchAll(/^#+ (.+)$/gm)].map((match) =>
    match[1]
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}
