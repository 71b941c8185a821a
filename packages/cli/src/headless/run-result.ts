import type { SessionCost, TurnResult } from '@palimpsest/agent'
import type { UsageTotal } from '@palimpsest/sessions'
import type { ExitCode } from '../exit-code.ts'
import type { CompactionJson } from './compaction-tally.ts'
import { type ErrorJson, errorJson } from './error-json.ts'
import { type UsageJson, usageJson } from './usage-json.ts'

/** How a run ended: the object of `json`, and the last line of `stream-json`. */
export interface RunResult {
  readonly type: 'result'
  /** Goes on with `--session ID`. Absent where it came to no session. */
  readonly session?: string
  readonly model?: string
  readonly outcome: TurnResult['outcome']
  /** What `--output text` prints. */
  readonly text: string
  /** What the model said, step by step. */
  readonly texts: readonly string[]
  readonly steps: number
  /** Of this run, whatever the session had cost before. */
  readonly usage: Readonly<Record<'chat' | 'summarize' | 'sub_agents', CalledUsage>>
  /** What this run cost, where the prices of its models are known. */
  readonly dollars?: number
  readonly compactions: readonly CompactionJson[]
  readonly error?: ErrorJson
  readonly exit_code: ExitCode
}

export interface CalledUsage extends UsageJson {
  readonly calls: number
}

/** What is known when a run ends. */
export interface EndedRun {
  readonly session: string
  readonly model: string
  readonly turn: TurnResult
  /** What the session had cost before this run, and with it. */
  readonly cost: { readonly before: SessionCost; readonly after: SessionCost }
  readonly compactions: readonly CompactionJson[]
  readonly exitCode: ExitCode
}

export function runResult({ session, model, turn, cost, compactions, exitCode }: EndedRun): RunResult {
  const { before, after } = cost
  const dollars = after.dollars === undefined ? undefined : after.dollars - (before.dollars ?? 0)
  const texts = saidTexts(turn.texts)
  return {
    type: 'result',
    session,
    model,
    outcome: turn.outcome,
    text: texts.join(BETWEEN_TEXTS),
    texts,
    steps: turn.steps,
    usage: {
      chat: spent(before.chat, after.chat),
      summarize: spent(before.summarize, after.summarize),
      sub_agents: spent(before.subAgents, after.subAgents),
    },
    ...(dollars !== undefined && { dollars }),
    compactions,
    ...(turn.error && { error: errorJson(turn.error) }),
    exit_code: exitCode,
  }
}

/** The result of a run that did not get as far as a turn. */
export function failedStart(error: ErrorJson, exit_code: ExitCode): RunResult {
  const nothing = { calls: 0, input: 0, cache_read: 0, cache_write: 0, output: 0 }
  return {
    type: 'result',
    outcome: 'failed',
    text: '',
    texts: [],
    steps: 0,
    usage: { chat: nothing, summarize: nothing, sub_agents: nothing },
    compactions: [],
    error,
    exit_code,
  }
}

/** Stands between what two steps said. */
export const BETWEEN_TEXTS = '\n\n'

/** Texts without those of steps that only called tools; without white space around them. */
export function saidTexts(texts: readonly string[]): readonly string[] {
  return texts.map((text) => text.trim()).filter((text) => text !== '')
}

function spent(before: UsageTotal, after: UsageTotal): CalledUsage {
  return {
    calls: after.calls - before.calls,
    ...usageJson({
      input: after.input - before.input,
      cacheRead: after.cacheRead - before.cacheRead,
      cacheWrite: after.cacheWrite - before.cacheWrite,
      output: after.output - before.output,
    }),
  }
}
