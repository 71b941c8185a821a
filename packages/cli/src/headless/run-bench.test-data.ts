import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Reply, ReplyPart } from '@palimpsest/wirelab'
import { type CommandResult, type RunningCommand, scratchFolder, startPalimpsest } from '../built-command.test-data.ts'

/** A home folder and a project in it, for runs of the agent. */
export function runBench() {
  const scratch = scratchFolder()
  const [home, project] = [scratch.folder('home'), scratch.folder('project')]
  const start = (words: readonly string[], { input, env = {} }: RunOptions = {}): RunningCommand =>
    startPalimpsest(words, { cwd: project, input: input ?? '', env: { HOME: home, USERPROFILE: home, ...env } })
  return {
    home,
    project,
    start,
    run: (words: readonly string[], options?: RunOptions): Promise<CommandResult> => start(words, options).ended,
    /** The object that a run ends with. */
    async result(words: readonly string[], options?: RunOptions): Promise<RunOutcome> {
      const { code, out, err } = await start(['run', '--output', 'json', ...words], options).ended
      return { code, err, ...(JSON.parse(out) as ResultJson) }
    },
    /** A file of the project. */
    write(name: string, text: string | object): string {
      const file = join(project, name)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, typeof text === 'string' ? text : JSON.stringify(text))
      return file
    },
    read: (name: string) => readFileSync(join(project, name), 'utf8'),
    remove: scratch.remove,
  }
}

export interface RunOptions {
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
}

interface ResultJson {
  readonly session: string
  readonly outcome: string
  readonly text: string
  readonly texts: readonly string[]
  readonly steps: number
  readonly usage: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly compactions: readonly {
    readonly outcome: string
    readonly before: number
    readonly after: number
    readonly reason: string
  }[]
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string }
  readonly exit_code: number
}

export interface RunOutcome extends ResultJson {
  readonly code: number | null
  readonly err: string
}

/** A reply that says something, if anything, and calls a tool where one is named. */
export function reply(text: string, call?: readonly [name: string, input: object], id = 'call_1'): Reply {
  const parts: ReplyPart[] = text === '' ? [] : [{ kind: 'text', text }]
  if (call !== undefined) parts.push({ kind: 'tool-call', id, name: call[0], input: call[1] })
  return { parts }
}

/** A model that nobody knows, with a window that is soon full. */
export function smallWindow(model: string, window = 18_000): Readonly<Record<string, string>> {
  const profile = { max_input_tokens: window, max_output_tokens: 1_500 }
  return { PALIMPSEST_MODEL_PROFILES: JSON.stringify({ [model]: profile }), PALIMPSEST_TOOL_ARG_MAX_TOKENS: '8000' }
}
