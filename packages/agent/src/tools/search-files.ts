import { stat } from 'node:fs/promises'
import { basename, relative } from 'node:path'
import { z } from 'zod'
import { type AgentTool, ToolFailure, type ToolOutput } from './agent-tool.ts'
import { batches } from './search/batches.ts'
import { filesBelow } from './search/folder-entries.ts'
import { IgnoreRules } from './search/ignore-rules.ts'
import { matchText } from './search/match-text.ts'
import { MatchingThread } from './search/matching-thread.ts'
import { pathPattern } from './search/path-pattern.ts'
import { searchPattern } from './search/search-pattern.ts'
import { withinSeconds } from './time-limit.ts'
import { readText } from './workspace/file-text.ts'
import { readBytes } from './workspace/files.ts'
import { similarNames } from './workspace/similar-names.ts'
import { type ReadablePlaces, virtualPath } from './workspace/virtual-path.ts'
import { type Place, shownBelow, slashed } from './workspace/workspace.ts'

/** Lines that match, of all files; and UTF-16 units of the answer. */
const MATCHES = 100
const MOST_MATCHES = 500
const MOST_CHARACTERS = 24_000
/** Bytes of a file that is looked through. */
const MOST_BYTES = 8 * 1024 * 1024
/** Files that the thread is asked about at once. */
const BATCH = 32
/** UTF-16 units from which on it is asked at once. */
const MOST_AT_ONCE = 8_000_000
const SECONDS = 30

const input = z.strictObject({
  pattern: z.string().min(1).max(2_000).describe('A regular expression as in JavaScript, asked of each line.'),
  path: z
    .string()
    .optional()
    .describe('A folder or file to look in, relative to the workspace. Default: the workspace.'),
  glob: z
    .string()
    .min(1)
    .optional()
    .describe('Only files whose path below the folder matches: `*.ts`, `src/**/*.test.ts`.'),
  literal: z.boolean().optional().describe('The pattern is the text itself. Default false.'),
  ignore_case: z.boolean().optional(),
  context: z.int().min(0).max(10).optional().describe('Lines to show before and after each match. Default 0.'),
  matches: z.int().min(1).max(MOST_MATCHES).optional().describe(`The most lines that match. Default ${MATCHES}.`),
  include_ignored: z.boolean().optional().describe('Also what .gitignore leaves out. Default false.'),
})

type Input = z.infer<typeof input>

/** Looks through text files. */
export function searchFilesTool(options: ReadablePlaces, seconds = SECONDS): AgentTool<Input> {
  return {
    name: 'search_files',
    description: `Looks for a regular expression in the lines of text files, and gives file by file the lines that match with \
their numbers. Leaves out what .gitignore leaves out, binary files and links.`,
    input,
    run: (asked, { signal }) => {
      const help =
        'Give a simpler pattern (nested repetition such as (a+)+ takes forever), a glob, or a folder as path.'
      return withinSeconds({ seconds, signal, what: 'The search', help }, (within) => searching(options, asked, within))
    },
  }
}

async function searching(options: ReadablePlaces, asked: Input, signal: AbortSignal): Promise<ToolOutput> {
  const { workspace, history } = options
  const path = asked.path?.trim() || '.'
  const virtual = await virtualPath(path, options, signal)
  if (virtual !== undefined) {
    const { status, text } = await history.search(asked.pattern, { path: virtual, signal })
    if (status === 'missing') throw new ToolFailure(text)
    return { text }
  }
  const start = await workspace.locate(path, 'read')
  const search = new FileSearch(asked, start)
  const thread = new MatchingThread()
  try {
    for await (const paths of batches(await filesOf(options, start, asked, signal), BATCH)) {
      await search.look(thread, paths, signal)
      if (search.isFull) break
    }
  } finally {
    await thread.close()
  }
  return search.output()
}

async function filesOf(
  { workspace }: ReadablePlaces,
  start: Place,
  { include_ignored }: Input,
  signal: AbortSignal,
): Promise<AsyncIterable<string>> {
  const state = await stat(start.real).catch(() => undefined)
  if (state === undefined)
    throw new ToolFailure(`There is no ${start.shown}.${await similarNames(start.real, workspace.root)}`)
  if (!state.isDirectory()) return only(start.real)
  const rules = include_ignored ? undefined : await IgnoreRules.above(start.real, workspace.root)
  return filesBelow(start.real, { rules, signal })
}

async function* only(path: string): AsyncGenerator<string> {
  yield path
}

interface SearchedFile {
  readonly shown: string
  readonly text: string
}

/** A search on its way: what it looks for, and what it has found. */
class FileSearch {
  readonly #asked: Input
  readonly #start: Place
  readonly #pattern: RegExp
  readonly #glob: RegExp | undefined
  readonly #found: string[] = []
  #room: number
  #characters = 0
  #skipped = 0

  constructor(asked: Input, start: Place) {
    this.#asked = asked
    this.#start = start
    this.#pattern = searchPattern(asked.pattern, {
      literal: asked.literal === true,
      ignoreCase: asked.ignore_case === true,
    })
    this.#glob = asked.glob === undefined ? undefined : pathPattern(asked.glob)
    this.#room = asked.matches ?? MATCHES
  }

  get isFull(): boolean {
    return this.#room === 0 || this.#characters >= MOST_CHARACTERS
  }

  async look(thread: MatchingThread, paths: readonly string[], signal: AbortSignal): Promise<void> {
    const named = paths.map((path) => ({ path, below: this.#below(path) }))
    const wanted =
      this.#glob &&
      (await thread.whole(
        this.#glob,
        named.map(({ below }) => below),
        signal,
      ))
    let files: SearchedFile[] = []
    let units = 0
    for (const { path, below } of named.filter((_, at) => wanted?.[at] !== false)) {
      signal.throwIfAborted()
      const shown = path === this.#start.real ? this.#start.shown : shownBelow(this.#start, below)
      const text = await textAt({ real: path, shown })
      if (text === undefined) this.#skipped += 1
      else files.push({ shown, text })
      units += text?.length ?? 0
      if (units < MOST_AT_ONCE) continue
      await this.#match(thread, files, signal)
      files = []
      units = 0
    }
    await this.#match(thread, files, signal)
  }

  async #match(thread: MatchingThread, files: readonly SearchedFile[], signal: AbortSignal): Promise<void> {
    if (files.length === 0 || this.isFull) return
    const question = { pattern: this.#pattern, texts: files.map(({ text }) => text), most: MOST_MATCHES }
    const matches = await thread.lines(question, signal)
    files.forEach(({ shown, text }, at) => {
      const some = (matches[at] ?? []).slice(0, this.#room)
      if (some.length === 0 || this.isFull) return
      const lines = matchText(text, some, this.#asked.context ?? 0)
      this.#found.push(`${shown}\n${lines}`)
      this.#characters += lines.length
      this.#room -= some.length
    })
  }

  output(): ToolOutput {
    const found = (this.#asked.matches ?? MATCHES) - this.#room
    const skipped = this.#skipped === 0 ? '' : `\n[${this.#skipped} binary, very large or unreadable left out]`
    if (found === 0) return { text: `Nothing matches ${this.#asked.pattern}.${skipped}`, brief: 'no matches' }
    const text = this.#found.join('\n\n')
    const cut =
      text.length > MOST_CHARACTERS ? text.slice(0, text.lastIndexOf('\n', MOST_CHARACTERS)).toWellFormed() : text
    const more = this.isFull ? `\n[stopped at ${found} lines; there may be more: narrow the pattern, glob or path]` : ''
    return { text: `${cut}${more}${skipped}`, brief: `${found} in ${this.#found.length} files` }
  }

  #below(path: string): string {
    return path === this.#start.real ? basename(path) : slashed(relative(this.#start.real, path))
  }
}

/** Undefined for what is no text, or none that can be looked through. */
async function textAt(place: Place): Promise<string | undefined> {
  try {
    const bytes = await readBytes(place, MOST_BYTES)
    return bytes === undefined ? undefined : readText(bytes, place.shown).text
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) throw error
    return undefined
  }
}
