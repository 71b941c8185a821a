import type { Violation } from 'palimpsest'
import { type ConversationInput, readConversation } from '../conversation-input.ts'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { plural } from '../format-number.ts'
import type { FormatName } from '../option-values.ts'
import type { Terminal } from '../terminal.ts'

export interface CheckCommandOptions {
  readonly format: FormatName
  readonly json?: boolean
}

/** Lists every protocol rule that the request breaks, with the place and what to do. Exit 1 when there is one. */
export async function check(
  file: string | undefined,
  options: CheckCommandOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const input = await readConversation(file, options.format, terminal)
  const violations = input.dialect.check(input.conversation).map((violation) => placed(violation, input))
  terminal.data(
    options.json ? `${JSON.stringify(checkJson(input, violations), undefined, 2)}\n` : checkText(input, violations),
  )
  return violations.length === 0 ? exitCode.fine : exitCode.wrong
}

/** A violation with where it stands: JSON pointer in a request, line in a session file. */
interface PlacedViolation extends Violation {
  readonly pointer: string
  readonly line?: number
}

function placed(violation: Violation, { session, dialect, leading }: ConversationInput): PlacedViolation {
  const { position } = violation
  const pointer = position === undefined ? '' : `/${dialect.itemsKey}/${position + leading}`
  const line = session.format === 'request' || position === undefined ? undefined : session.items[position]?.line
  return { ...violation, pointer, ...(line !== undefined && { line }) }
}

/** What a history on its own does not hold, so that rules about it cannot be checked. */
const notInHistory = ['system', 'tools', 'max_tokens']

function checkJson(input: ConversationInput, violations: readonly PlacedViolation[]) {
  const { conversation, dialect, session, name, historyOnly } = input
  return {
    file: name,
    format: session.format,
    dialect: dialect.name,
    messages: conversation.items.length,
    not_checked: historyOnly ? notInHistory : [],
    violations,
  }
}

function checkText(input: ConversationInput, violations: readonly PlacedViolation[]): string {
  const found = violations.length === 0 ? 'no violations' : plural(violations.length, 'violation')
  const messages = plural(input.conversation.items.length, 'message')
  const unknown = notInHistory.map((name) => `no ${name}`).join(', ')
  const unchecked = input.historyOnly ? ` (history only: ${unknown}; rules about them were not checked)` : ''
  const head = `${input.name}: ${input.dialect.name}, ${messages}, ${found}${unchecked}`
  return `${[head, ...violations.map((violation) => violationText(input.name, violation))].join('\n')}\n`
}

function violationText(name: string, { pointer, line, part, rule, message, fix }: PlacedViolation): string {
  const place = line === undefined ? pointer || '(the request)' : `${name}:${line}`
  const inside = part === undefined ? '' : ` part ${part}`
  return `${place}${inside}  ${rule}\n  ${message}\n  fix: ${fix}`
}
