import type { EditorTheme, MarkdownTheme, SelectListTheme } from '@mariozechner/pi-tui'
import pc from 'picocolors'
import { plainText } from '../session-text/plain-text.ts'

export type Paint = ReturnType<typeof pc.createColors>

/** How everything looks; without colours nothing but its words. */
export interface ReplTheme {
  readonly paint: Paint
  readonly markdown: MarkdownTheme
  readonly editor: EditorTheme
  readonly list: SelectListTheme
}

export function replTheme(color: boolean): ReplTheme {
  const paint = pc.createColors(color)
  const list: SelectListTheme = {
    selectedPrefix: paint.cyan,
    selectedText: paint.cyan,
    description: paint.dim,
    scrollInfo: paint.dim,
    noMatch: paint.dim,
  }
  return { paint, list, editor: { borderColor: paint.dim, selectList: list }, markdown: markdownTheme(paint) }
}

function markdownTheme(paint: Paint): MarkdownTheme {
  return {
    heading: (text) => paint.bold(paint.cyan(text)),
    link: paint.underline,
    linkUrl: paint.dim,
    code: paint.yellow,
    codeBlock: (text) => text,
    codeBlockBorder: paint.dim,
    quote: paint.italic,
    quoteBorder: paint.dim,
    hr: paint.dim,
    listBullet: paint.cyan,
    bold: paint.bold,
    italic: paint.italic,
    strikethrough: paint.strikethrough,
    underline: paint.underline,
  }
}

/** What a model, a tool or a file says, with signs for what would steer a terminal; tabs are spaces, so that widths are known. */
export function shownText(text: string): string {
  return plainText(text.replaceAll('\r\n', '\n').trimEnd()).replaceAll('\t', '   ')
}
