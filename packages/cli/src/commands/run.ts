import { homedir } from 'node:os'
import type { Agent, AgentEvent, TurnResult } from '@palimpsest/agent'
import { PalimpsestError } from 'palimpsest'
import type { AgentFlags } from '../agent/agent-flags.ts'
import { type OpenedAgent, openAgent } from '../agent/open-agent.ts'
import { exitCodeOf, sayError, usageError } from '../error-report.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { CompactionTally } from '../headless/compaction-tally.ts'
import { errorJson } from '../headless/error-json.ts'
import type { OutputFormat } from '../headless/output-formats.ts'
import { promptText } from '../headless/prompt-text.ts'
import { type RunOutput, runOutput } from '../headless/run-output.ts'
import { failedStart, runResult } from '../headless/run-result.ts'
import { turnExitCode } from '../headless/turn-exit-code.ts'
import { stopSignals } from '../stop-signal.ts'
import type { Terminal } from '../terminal.ts'

export interface RunCommandOptions extends AgentFlags {
  readonly output: OutputFormat
}

/** Steps of a turn that nobody watches, where nobody says how many. */
const MOST_STEPS = 200

/** Lets the agent do one thing. Being told to stop cancels it, and keeps what it did; told again, the process ends. */
export async function run(words: readonly string[], options: RunCommandOptions, terminal: Terminal): Promise<ExitCode> {
  refuseLostPrompt(words, options)
  const prompt = await promptText(words, terminal)
  const output = runOutput(options.output, terminal)
  const compactions = new CompactionTally()
  const onEvent = (event: AgentEvent) => {
    output.event(event)
    compactions.note(event)
    warn(event, terminal)
  }
  const stopped = stopSignal()
  const opened = await open(options, { prompt, onEvent, output, say: (line) => terminal.say(`note: ${line}`) })
  try {
    const { agent, notes } = opened
    for (const note of notes) terminal.say(`note: ${note}`)
    const before = await agent.cost()
    const turn = await agent.send(prompt, { signal: stopped })
    const code = turnExitCode(turn)
    const cost = { before, after: await agent.cost() }
    output.end(
      runResult({
        session: agent.session.id,
        model: agent.model.name,
        turn,
        cost,
        compactions: compactions.ended,
        exitCode: code,
      }),
    )
    sayHowItEnded(turn, agent, terminal)
    return code
  } finally {
    await opened.close()
  }
}

/** What stands behind `--resume` is taken for an id; no id has spaces in it. */
function refuseLostPrompt(words: readonly string[], { resume }: RunCommandOptions): void {
  if (words.length > 0 || typeof resume !== 'string' || !/\s/.test(resume)) return
  throw usageError(
    `--resume takes "${resume}" for the id of a session.`,
    'Where a prompt is meant, put -- before it: palimpsest run --resume -- "…".',
  )
}

function stopSignal(): AbortSignal {
  const stop = stopSignals()
  const controller = new AbortController()
  void stop.first.then(() => controller.abort())
  void stop.second.then(() => process.exit(exitCode.interrupted))
  return controller.signal
}

interface Opening {
  readonly prompt: string
  readonly onEvent: (event: AgentEvent) => void
  readonly output: RunOutput
  readonly say: (line: string) => void
}

/** Opens the agent; what stands in the way is a result too. */
async function open(flags: RunCommandOptions, { prompt, onEvent, output, say }: Opening): Promise<OpenedAgent> {
  try {
    const surroundings = { env: process.env, home: homedir(), cwd: process.cwd(), watched: false, say }
    return await openAgent(flags, { onEvent }, { ...surroundings, firstPrompt: prompt, maxSteps: MOST_STEPS })
  } catch (error) {
    if (error instanceof PalimpsestError) output.end(failedStart(errorJson(error), exitCodeOf(error)))
    throw error
  }
}

function warn(event: AgentEvent, terminal: Terminal): void {
  if (event.type === 'warning') terminal.say(`warning: ${event.message}`)
  if (event.type === 'retry') {
    terminal.say(`warning: ${event.message}; asked again in ${Math.ceil(event.milliseconds / 1_000)} s`)
  }
}

function sayHowItEnded({ outcome, error }: TurnResult, { session }: Agent, terminal: Terminal): void {
  if (error !== undefined) sayError(error, terminal)
  if (outcome === 'cancelled') {
    terminal.say(`interrupted: what was done is stored; palimpsest run --session ${session.id} "go on" goes on with it`)
  }
}
