import {
  type Conversation,
  compactionLimits,
  decodePlan,
  dialectMeter,
  isEmptyPlan,
  newViolations,
  PalimpsestError,
  type Plan,
  renderPlan,
  sizeOf,
  Transcript,
  type Violation,
} from 'palimpsest'
import { editsText } from '../compaction-report.ts'
import { type ConversationInput, readConversation } from '../conversation-input.ts'
import { inFile } from '../error-report.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { plural } from '../format-number.ts'
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
  readonly force?: boolean
}

/**
 * Prints the request that the stored plan makes of the transcript: the same bytes as the `compact` that wrote the plan,
 * given the same window, reserve and policy (they decide whether the output cap is lowered). A plan that breaks rules which
 * the transcript kept was made for another one: the rules are named, exit 1, and only `force` prints the request.
 */
export async function replay(
  file: string | undefined,
  options: ReplayCommandOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const text = await readNamedFile(options.plan)
  const plan = inFile(options.plan, () => decodePlan(text))
  const input = await readConversation(file, options.format, terminal)
  const { view, violations } = await planned(input, plan, options)
  for (const violation of violations) terminal.say(violationLine(violation, input))
  const broken = violations.length === 0 ? undefined : plural(violations.length, 'violation')
  if (broken !== undefined && options.force !== true) throw illegalPlan(options.plan, input.name, broken)
  const edits = editsText(plan, input.conversation.items.length)
  terminal.say(
    `${input.name}: ${edits} by ${options.plan}${broken === undefined ? '' : `; ${broken}, printed by force`}`,
  )
  terminal.data(view === input.conversation ? input.whole : input.render(view))
  return broken === undefined ? exitCode.fine : exitCode.wrong
}

/** What a plan makes of a conversation, and the rules that it breaks by that. */
interface PlannedRequest {
  readonly view: Conversation<object>
  readonly violations: readonly Violation[]
}

/** The conversation with the plan applied, laid out and capped as `compact` does it; itself where that changes nothing. */
async function planned(
  { dialect, conversation, session }: ConversationInput,
  plan: Plan,
  options: ReplayCommandOptions,
): Promise<PlannedRequest> {
  const preset = await readPolicy(options.policy)
  const limits = compactionLimits(preset, conversation, limitOptions({ session }, options))
  const { context } = limits
  const { tokens: overhead, scale } = overheadOf({ dialect, session, conversation }, options.overhead)
  const meter = dialectMeter(dialect, conversation.model, scale === undefined ? 'upper' : 'mean')
  const transcript = new Transcript(dialect, meter, conversation.items)
  const madeAt = options.madeAt ?? transcript.length
  const items = isEmptyPlan(plan)
    ? conversation.items
    : inFile(options.plan, () => renderPlan(dialect, transcript, plan, { ...context, madeAt }))
  const check = (view: readonly object[]) => dialect.check({ ...conversation, items: view }, context)
  const violations = newViolations({ transcript, context, check }, items)
  const outputCap = limits.outputCap(sizeOf({ transcript, overhead, ...(scale !== undefined && { scale }) }, items))
  if (items === conversation.items && outputCap === undefined) return { view: conversation, violations }
  return { view: { ...conversation, items, ...(outputCap !== undefined && { outputCap }) }, violations }
}

/** A broken rule of the request that would have been printed, with its place there. */
function violationLine({ position, rule, message }: Violation, { dialect, leading }: ConversationInput): string {
  const place = position === undefined ? '(the request)' : `/${dialect.itemsKey}/${position + leading}`
  return `${place}  ${rule}: ${message}`
}

function illegalPlan(plan: string, name: string, violations: string): PalimpsestError {
  return new PalimpsestError(
    'plan-mismatch',
    `${plan}: the plan makes a request with ${violations} that ${name} does not have.`,
    { hint: 'Apply a plan to the transcript that it was made for; --force prints the request all the same.' },
  )
}
