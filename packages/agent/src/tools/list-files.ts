import { stat } from 'node:fs/promises'
import { relative } from 'node:path'
import { z } from 'zod'
import { type AgentTool, ToolFailure, type ToolOutput } from './agent-tool.ts'
import { batches } from './search/batches.ts'
import { type EntryOptions, filesBelow } from './search/folder-entries.ts'
import { folderTree } from './search/folder-tree.ts'
import { IgnoreRules } from './search/ignore-rules.ts'
import { MatchingThread } from './search/matching-thread.ts'
import { pathPattern } from './search/path-pattern.ts'
import { withinSeconds } from './time-limit.ts'
import { similarNames } from './workspace/similar-names.ts'
import { type ReadablePlaces, virtualPath } from './workspace/virtual-path.ts'
import { type Place, shownBelow, slashed } from './workspace/workspace.ts'

/** Lines of an answer. */
const MOST_ENTRIES = 400
const PER_FOLDER = 100
const DEPTH = 3
const SECONDS = 30
/** Paths that the thread is asked about at once. */
const BATCH = 1_000

const input = z.strictObject({
  path: z.string().optional().describe('The folder, relative to the workspace. Default: the workspace.'),
  glob: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Only files whose path below the folder matches, at any depth: `src/**/*.ts`; without `/` their name: `*.ts`.',
    ),
  depth: z.int().min(1).max(20).optional().describe(`Levels of the tree, without glob. Default ${DEPTH}.`),
  include_ignored: z.boolean().optional().describe('Also what .gitignore leaves out. Default false.'),
})

type Input = z.infer<typeof input>

/** Lists what is in a folder. */
export function listFilesTool(options: ReadablePlaces): AgentTool<Input> {
  return {
    name: 'list_files',
    description: `Lists a folder as a tree, or with glob the paths of files that match it, sorted; at most ${MOST_ENTRIES} \
entries. Leaves out what .gitignore leaves out, and says how much; links are named, not followed.`,
    input,
    run: (asked, { signal }) =>
      withinSeconds(
        { seconds: SECONDS, signal, what: 'Listing', help: 'Give a folder further down, or a smaller depth.' },
        (within) => listing(options, asked, within),
      ),
  }
}

async function listing(options: ReadablePlaces, asked: Input, signal: AbortSignal): Promise<ToolOutput> {
  const { workspace, history } = options
  const path = asked.path?.trim() || '.'
  const virtual = await virtualPath(path, options, signal)
  if (virtual !== undefined) {
    const { status, text } = await history.list(virtual, { signal })
    if (status === 'missing') throw new ToolFailure(text)
    return { text }
  }
  const folder = await folderAt(options, path)
  const rules = asked.include_ignored ? undefined : await IgnoreRules.above(folder.real, workspace.root)
  if (asked.glob !== undefined) return globbed(folder, asked.glob, { rules, signal })
  const bounds = { depth: asked.depth ?? DEPTH, entries: MOST_ENTRIES, perFolder: PER_FOLDER }
  const { text, shown, ignored } = await folderTree(folder.real, { rules, signal }, bounds)
  const note = ignored === 0 ? '' : `\n[${ignored} left out by .gitignore]`
  return { text: `${text === '' ? `[${folder.shown} has no entries]` : text}${note}`, brief: count(shown, 'entries') }
}

/** @throws ToolFailure where there is no folder. */
async function folderAt({ workspace }: ReadablePlaces, path: string): Promise<Place> {
  const place = await workspace.locate(path, 'read')
  const state = await stat(place.real).catch(() => undefined)
  if (state?.isDirectory()) return place
  if (state !== undefined) throw new ToolFailure(`${place.shown} is a file. read_file shows what is in it.`)
  throw new ToolFailure(`There is no folder ${place.shown}.${await similarNames(place.real, workspace.root)}`)
}

async function globbed(folder: Place, glob: string, options: EntryOptions): Promise<ToolOutput> {
  const pattern = pathPattern(glob)
  const thread = new MatchingThread()
  const found: string[] = []
  try {
    for await (const paths of batches(filesBelow(folder.real, options), BATCH)) {
      const below = paths.map((path) => slashed(relative(folder.real, path)))
      const matched = await thread.whole(pattern, below, options.signal)
      found.push(...below.filter((_, at) => matched[at]).map((path) => shownBelow(folder, path)))
      if (found.length > MOST_ENTRIES) break
    }
  } finally {
    await thread.close()
  }
  if (found.length === 0) return { text: `No file below ${folder.shown} matches ${glob}.`, brief: 'no files' }
  const more =
    found.length > MOST_ENTRIES ? `\n[the first ${MOST_ENTRIES}; narrow the glob, or give a folder as path]` : ''
  return {
    text: `${found.slice(0, MOST_ENTRIES).join('\n')}${more}`,
    brief: count(Math.min(found.length, MOST_ENTRIES), 'files'),
  }
}

function count(number: number, what: 'entries' | 'files'): string {
  return number === 1 ? `1 ${what === 'files' ? 'file' : 'entry'}` : `${number} ${what}`
}
