import { z } from 'zod'
import type { AgentTool, ToolOutput } from './agent-tool.ts'
import { cleanEnvironment, type Environment } from './command/clean-environment.ts'
import { cutOutput } from './command/output-buffer.ts'
import { type CommandEnd, runCommand } from './command/run-command.ts'

export interface BashToolOptions {
  readonly root: string
  /** Seconds that a command may run, unless its call says otherwise. */
  readonly seconds: number
  readonly env: Environment
}

/** Seconds that a call may ask for. */
const MOST_SECONDS = 600
/** UTF-16 units of an output that the model reads. */
const MOST_OUTPUT = 30_000
/** No shell takes a longer one. */
const LONGEST_COMMAND = 100_000

/** Runs commands. */
export function bashTool({ root, seconds, env }: BashToolOptions): AgentTool<Input> {
  const most = Math.max(MOST_SECONDS, seconds)
  const input = inputUpTo(most, seconds)
  const clean = cleanEnvironment(env)
  return {
    name: 'bash',
    description: `Runs a command with bash in the folder of the workspace, each call in a new shell without input. Gives the \
exit code and the output, standard error included; of a long one beginning and end. A command is stopped after ${seconds} seconds, \
or timeout_seconds. What is to run on goes into the background with its output in a file (\`server >server.log 2>&1 &\`). \
Keys, tokens and passwords of the environment are not passed on.`,
    input,
    permission: ({ command }) => ({ tool: 'bash', kind: 'command', target: command }),
    run: async ({ command, timeout_seconds = seconds }, { signal }) =>
      outputOf(await runCommand(command, { cwd: root, env: clean, seconds: timeout_seconds, signal }), {
        seconds: timeout_seconds,
        most,
      }),
  }
}

type Input = z.infer<ReturnType<typeof inputUpTo>>

function inputUpTo(most: number, seconds: number) {
  return z.strictObject({
    command: z.string().trim().min(1).max(LONGEST_COMMAND).describe('The command, as bash reads it.'),
    timeout_seconds: z.int().min(1).max(most).optional().describe(`Seconds that it may run. Default ${seconds}.`),
  })
}

interface Limits {
  readonly seconds: number
  readonly most: number
}

/** The head is what readers of a transcript know exit codes by; it stands in front, where no output can stand in for it. */
function outputOf(end: CommandEnd, limits: Limits): ToolOutput {
  const exitCode = end.late ? LATE : end.exitCode
  const head = `Exit code: ${exitCode}${reasonOf(end, limits)}`
  const note = end.background
    ? '\n[something that it started goes on in the background; what that prints from here on is not shown]'
    : ''
  const printed = end.output.replace(/\n$/, '')
  const text = (output: string) => `${head}\n${output === '' ? '(no output)' : `Output:\n${output}`}${note}`
  return {
    text: text(cutOutput(printed, MOST_OUTPUT)),
    exitCode,
    brief: briefOf(end, exitCode, printed, limits),
    ...(exitCode !== 0 && { failed: true }),
    ...(printed.length > MOST_OUTPUT && { full: text(printed) }),
  }
}

/** What `timeout` gives. */
const LATE = 124

function reasonOf({ late, killedBy }: CommandEnd, { seconds, most }: Limits): string {
  if (late)
    return ` (stopped: it ran longer than ${seconds} seconds. Give timeout_seconds up to ${most}, do less at once, or run it in \
the background with its output in a file)`
  return killedBy === undefined ? '' : ` (ended by ${killedBy})`
}

function briefOf({ late }: CommandEnd, exitCode: number, printed: string, { seconds }: Limits): string {
  if (late) return `stopped after ${seconds} s`
  const lines = printed === '' ? 0 : printed.split('\n').length
  return exitCode === 0 ? `${lines} ${lines === 1 ? 'line' : 'lines'}` : `exit ${exitCode}`
}
