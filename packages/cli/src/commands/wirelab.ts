import {
  type CallRecord,
  type Fault,
  type LabRules,
  type Script,
  type SummaryBehaviour,
  startWirelab,
  toolLoop,
  type Wirelab,
} from '@palimpsest/wirelab'
import { usageError } from '../error-report.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { formatCount, plural } from '../format-number.ts'
import { answersIn } from '../lab-script.ts'
import { stopSignals } from '../stop-signal.ts'
import type { Terminal } from '../terminal.ts'

export interface WirelabCommandOptions {
  readonly port: number
  readonly window: number
  /** `tool-loop`, `answer`, or a file. */
  readonly script: string
  readonly steps: number
  readonly tool: string
  readonly input?: object
  readonly resultTokens: number
  readonly text: string
  readonly summary: SummaryBehaviour
  readonly fault: readonly Fault[]
  readonly thinking: LabRules['thinkingBinding']
  readonly strictAlternation?: boolean
  readonly wording?: string
}

/** Runs the simulator until it is told to stop, with a line for every call; then sums up. */
export async function wirelab(options: WirelabCommandOptions, terminal: Terminal): Promise<ExitCode> {
  const { port, window, fault, summary, thinking, strictAlternation = false, wording } = options
  const lab = await startWirelab({
    port,
    window,
    script: await scriptOf(options),
    summarizer: summary,
    faults: fault,
    rules: { thinkingBinding: thinking, strictAlternation },
    onCall: (call) => terminal.data(`${callLine(call)}\n`),
    ...(wording !== undefined && { wording }),
  }).catch((error: unknown) => {
    throw isPortTaken(error) ? usageError(`Port ${port} is taken.`, 'Take another one with --port.', error) : error
  })
  const stop = stopSignals()
  for (const line of greeting(lab, window)) terminal.say(line)
  await stop.first
  await lab.close()
  for (const line of sums(lab.calls)) terminal.say(line)
  if (lab.faultsLeft > 0) {
    terminal.say(
      `${plural(lab.faultsLeft, 'fault')} did not happen: no call came that it applies to (mid-stream: a streamed one).`,
    )
  }
  return exitCode.fine
}

async function scriptOf(options: WirelabCommandOptions): Promise<Script> {
  const { script, steps, tool, input, resultTokens, text } = options
  if (script === 'answer') return () => ({ parts: [{ kind: 'text', text }] })
  if (script !== 'tool-loop') return answersIn(script)
  const given = input === undefined ? { resultTokens } : { input: () => input }
  return toolLoop({ steps, tool, final: text, ...given })
}

function isPortTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
}

function greeting({ url }: Wirelab, window: number): readonly string[] {
  return [
    `wirelab on ${url}, with a window of ${formatCount(window)} tokens; Ctrl+C ends it`,
    `  ANTHROPIC_BASE_URL=${url}  OPENAI_BASE_URL=${url}/v1  GOOGLE_GEMINI_BASE_URL=${url}`,
    `  AWS_ENDPOINT_URL_BEDROCK_RUNTIME=${url}; any key will do`,
  ]
}

/** Format, purpose, size, and what came of it. */
function callLine({
  format,
  kind,
  purpose,
  stream,
  tokens,
  outcome,
  status,
  reason,
  message,
  path,
}: CallRecord): string {
  const what = format === undefined ? path : [format, kind, purpose, ...(stream ? ['stream'] : [])].join(' ')
  const why = [reason, message].filter((word) => word !== undefined).join(': ')
  return `${what}  ${formatCount(tokens)} tokens  ${outcome} ${status}${why === '' ? '' : `  ${why}`}`
}

function sums(calls: readonly CallRecord[]): readonly string[] {
  const generating = calls.filter(({ kind }) => kind === 'generate')
  const ended = (outcome: CallRecord['outcome']) => generating.filter((call) => call.outcome === outcome)
  const total = (of: (call: CallRecord) => number) => formatCount(generating.reduce((sum, call) => sum + of(call), 0))
  const largest = ended('answered').reduce((most, { tokens }) => Math.max(most, tokens), 0)
  return [
    `${plural(generating.length, 'call')}: ${ended('answered').length} answered, ${ended('refused').length} refused, ` +
      `${ended('faulted').length} faulted, ${generating.filter(({ purpose }) => purpose === 'summary').length} for summaries`,
    `tokens: ${total(({ usage }) => usage?.input ?? 0)} input (${total(({ usage }) => usage?.cacheRead ?? 0)} from the cache), ` +
      `${total(({ usage }) => usage?.output ?? 0)} output; largest prompt ${formatCount(largest)}`,
  ]
}
