import type { FileAnswer } from 'palimpsest'
import { z } from 'zod'
import { type AgentTool, ToolFailure, type ToolOutput } from './agent-tool.ts'
import { withinSeconds } from './time-limit.ts'
import { linesOf, type PageStart, pageOf } from './workspace/file-page.ts'
import { encodingNote, readText } from './workspace/file-text.ts'
import { type KnownFiles, readBytes } from './workspace/files.ts'
import { similarNames } from './workspace/similar-names.ts'
import { type ReadablePlaces, virtualPath } from './workspace/virtual-path.ts'

export interface ReadFileOptions extends ReadablePlaces {
  /** Is told of every file that was read: it may be changed then. */
  readonly known: KnownFiles
}

/** Lines of a page, unless the call says otherwise. */
const PAGE_LINES = 2_000
/** UTF-16 units of a page. */
const PAGE_CHARACTERS = 24_000
const SECONDS = 30

const input = z.strictObject({
  path: z
    .string()
    .min(1)
    .describe('The file: relative to the workspace, or a history path or artifact:// reference as it was shown.'),
  offset: z.int().min(0).optional().describe('The first line, from 1. Of a history or artifact: characters to skip.'),
  limit: z.int().min(1).max(PAGE_LINES).optional().describe(`The most lines. Default ${PAGE_LINES}.`),
  character: z
    .int()
    .min(0)
    .optional()
    .describe('Characters of the first line to skip, where a page ended within a long line.'),
})

type Input = z.infer<typeof input>

/** Reads text files of the workspace, and what left the conversation, page by page. */
export function readFileTool(options: ReadFileOptions): AgentTool<Input> {
  return {
    name: 'read_file',
    description: `Reads a text file, each line behind its number and an arrow, which are not part of the file. A page has at \
most ${PAGE_LINES.toLocaleString('en')} lines or ${PAGE_CHARACTERS.toLocaleString('en')} characters, and says how to read on. Old \
results in view may be shortened; read the file again for what was left out. Reads /conversation_history/… and artifact:// \
references, too.`,
    input,
    run: (asked, { signal }) =>
      withinSeconds({ seconds: SECONDS, signal, what: `Reading ${asked.path.slice(0, 200)}` }, (within) =>
        reading(options, asked, within),
      ),
  }
}

async function reading(options: ReadFileOptions, asked: Input, signal: AbortSignal): Promise<ToolOutput> {
  const { workspace, known, history } = options
  const virtual = await virtualPath(asked.path, options, signal)
  if (virtual !== undefined) return virtualPage(await history.read(virtual, { offset: asked.offset ?? 0, signal }))
  const place = await workspace.locate(asked.path, 'read')
  const bytes = await readBytes(place)
  if (bytes === undefined)
    throw new ToolFailure(`There is no file ${place.shown}.${await similarNames(place.real, workspace.root)}`)
  const file = readText(bytes, place.shown)
  known.note(place, bytes)
  return filePage(place.shown, linesOf(file.text), asked, encodingNote(file))
}

function filePage(path: string, lines: readonly string[], asked: Input, note: string | undefined): ToolOutput {
  if (lines.length === 0) return { text: `[${path} is empty]`, brief: 'empty' }
  const start: PageStart = { line: Math.max(1, asked.offset ?? 1), character: asked.character ?? 0 }
  if (start.line > lines.length)
    throw new ToolFailure(`${path} has ${count(lines.length)}; there is nothing from line ${start.line} on.`)
  const page = pageOf(lines, start, { lines: asked.limit ?? PAGE_LINES, characters: PAGE_CHARACTERS })
  const notes = [note, page.next && `${count(lines.length)} in all; ${wayOn(page.next)}`].filter(Boolean)
  return {
    text: notes.length === 0 ? page.text : `${page.text}\n[${notes.join('; ')}]`,
    brief: page.next === undefined ? count(page.lines) : `${page.lines} of ${count(lines.length)}`,
  }
}

function wayOn({ line, character }: PageStart): string {
  if (character === undefined) return `read on with offset ${line}`
  return `line ${line} goes on: read on with offset ${line}, character ${character}`
}

function virtualPage({ status, text, ...rest }: FileAnswer): ToolOutput {
  if (status === 'missing') throw new ToolFailure(text)
  const next = 'next' in rest ? rest.next : undefined
  if (next === undefined) return { text, brief: count(text.split('\n').length) }
  return { text: `${text}\n[read on with offset ${next}]`, brief: `to character ${next}` }
}

function count(lines: number): string {
  return lines === 1 ? '1 line' : `${lines.toLocaleString('en')} lines`
}
