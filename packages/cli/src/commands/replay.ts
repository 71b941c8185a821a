import {
  conversationUnderPlan,
  decodePlan,
  PalimpsestError,
  type Plan,
  type PlannedConversation,
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
  const { conversation: view, violations } = await planned(input, plan, options)
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

/** The conversation with the plan applied, laid out and capped as `compact` does it; itself where that changes nothing. */
async function planned(
  { dialect, conversation, session }: ConversationInput,
  plan: Plan,
  options: ReplayCommandOptions,
): Promise<PlannedConversation<object>> {
  const preset = await readPolicy(options.policy)
  const limits = limitOptions({ session }, options)
  const { tokens: overhead, scale } = overheadOf({ dialect, session, conversation }, options.overhead)
  const sizes = { overhead, ...(scale !== undefined && { scale }) }
  const inForce = { current: plan, ...(options.madeAt !== undefined && { madeAt: options.madeAt }) }
  return inFile(options.plan, () =>
    conversationUnderPlan(dialect, conversation, { ...limits, preset, ...sizes, ...inForce }),
  )
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
