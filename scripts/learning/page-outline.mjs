// What two translations of one page have in common: everything but the words.
import { anchorsOf, fencesOf } from '../documents/markdown.mjs'
import { drawingOf } from './mermaid-diagrams.mjs'

/** The sections of a page in order, each as data that does not depend on its language. */
export function outlineOf(markdown) {
  const anchors = anchorsOf(markdown)
  return sectionsOf(markdown).map(({ level, text }) => {
    const prose = proseOf(text)
    return {
      level,
      blocks: fencesOf(text).map(({ info, text: inside }) => `${info}\n${withoutWords(info, inside)}`),
      shape: prose
        .trim()
        .split('\n')
        .map(kindOfLine)
        .filter((kind, at, kinds) => kind !== kinds[at - 1] || kind.startsWith('row') || kind === 'item')
        .filter((kind) => kind !== 'more of it'),
      links: targetsOf(prose)
        .map((target) => placeOf(target, anchors))
        .sort(),
      code: [...prose.matchAll(/`[^`\n]+`/g)].map(([whole]) => whole).sort(),
      figures: figuresOf(prose).sort(),
    }
  })
}

/** Numbers in the text itself, without those of code and links. */
export function figuresOf(prose) {
  const words = prose.replace(/`[^`\n]*`/g, '').replace(/\]\([^()\s]+\)/g, ']')
  return [...words.matchAll(/\d(?:[\d.,]*\d)?/g)].map(([figure]) => figure)
}

/** A text without its fenced blocks. */
export function proseOf(markdown) {
  return markdown.replace(/^```[\s\S]*?^```$/gm, '')
}

/** From heading to heading; a line of a block that begins with `#` is none. */
export function sectionsOf(markdown) {
  const blanked = markdown.replace(/^```[\s\S]*?^```$/gm, (block) => block.replace(/[^\n]/g, ' '))
  const starts = [...blanked.matchAll(/^(#+) .*$/gm)].map(({ index, 1: hashes }) => ({ index, level: hashes.length }))
  return starts.map(({ index, level }, at) => ({
    level,
    heading: markdown.slice(index).split('\n')[0].replace(/^#+ /, ''),
    text: markdown.slice(index, starts[at + 1]?.index),
  }))
}

function withoutWords(info, inside) {
  if (info === 'mermaid') return drawingOf(inside)
  return info === 'console' ? inside : inside.replace(/^#.*$/gm, '#')
}

function kindOfLine(line) {
  if (line.startsWith('|')) return `row of ${line.split('|').length}`
  if (line.startsWith('- ')) return 'item'
  if (line.startsWith('  ')) return 'more of it'
  return line === '' ? 'gap' : 'text'
}

function targetsOf(prose) {
  return [...prose.matchAll(/\]\(([^()\s]+)\)/g)].map((match) => match[1])
}

/** An anchor of the page itself is the number of its heading; the page's translation is `translation`. */
function placeOf(target, anchors) {
  if (target.startsWith('#')) return `heading ${anchors.indexOf(decodeURI(target.slice(1)))}`
  return /^context-management(?:\.vi)?\.md$/.test(target) ? 'translation' : target
}
