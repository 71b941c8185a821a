import {
  type Conversation,
  compactionLimits,
  decodePlan,
  dialectMeter,
  isEmptyPlan,
  type Plan,
  renderPlan,
  sizeOf,
  Transcript,
} from 'palimpsest'
import { editsText } from '../compaction-report.ts'
import { type ConversationInput, readConversation } from '../conversation-input.ts'
import { inFile } from '../error-report.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import type { FormatName } from '../option-values.ts'
import { readPolicy } from '../policy.ts'
import type { Terminal } from '../terminal.ts'
import { overheadOf } from '../token-overhead.ts'
import { readNamedFile } from '../written-file.ts'
import { limitOptions } from './compact.ts'

export interface ReplayCommandOptions {
  readonly format: FormatName
  readonly plan: string
  readonly policy: string
  readonly window?: number
  readonly reserve?: number
  readonly overhead?: number
  readonly madeAt?: number
}

/**
 * Prints the request that the stored plan makes of the transcript: the same bytes as the `compact` that wrote the plan,
 * given the same window, reserve and policy (they decide whether the output cap is lowered).
 */
export async function replay(
  file: string | undefined,
  options: ReplayCommandOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const text = await readNamedFile(options.plan)
  const plan = inFile(options.plan, () => decodePlan(text))
  const input = await readConversation(file, options.format, terminal)
  const view = await planned(input, plan, options)
  terminal.say(`${input.name}: ${editsText(plan, input.conversation.items.length)} by ${options.plan}`)
  terminal.data(view === input.conversation ? input.whole : input.render(view))
  return exitCode.fine
}

/** The conversation with the plan applied, laid out and capped as `compact` does it; itself where that changes nothing. */
async function planned(
  { dialect, conversation, session }: ConversationInput,
  plan: Plan,
  options: ReplayCommandOptions,
): Promise<Conversation<object>> {
  const limits = compactionLimits(await readPolicy(options.policy), conversation, limitOptions({ session }, options))
  const { tokens: overhead, scale } = overheadOf({ dialect, session, conversation }, options.overhead)
  const meter = dialectMeter(dialect, conversation.model, scale === undefined ? 'upper' : 'mean')
  const transcript = new Transcript(dialect, meter, conversation.items)
  const madeAt = options.madeAt ?? transcript.length
  const items = isEmptyPlan(plan)
    ? conversation.items
    : renderPlan(dialect, transcript, plan, { ...limits.context, madeAt })
  const size = sizeOf({ transcript, overhead, ...(scale !== undefined && { scale }) }, items)
  const outputCap = limits.outputCap(size)
  if (items === conversation.items && outputCap === undefined) return conversation
  return { ...conversation, items, ...(outputCap !== undefined && { outputCap }) }
}
