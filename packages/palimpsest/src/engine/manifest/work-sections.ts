import type { BriefingScope, Section } from './briefing-scope.ts'
import { fitLines, type Line } from './fit-lines.ts'
import type { PlacedCall, PlacedInstruction } from './manifest.ts'
import { foldPlan, type PlanEntry } from './plan-change.ts'
import { cutMiddle, fitTokens, oneLine } from './text-cut.ts'

export const INSTRUCTIONS_HEADING = '## Standing instructions from the client'
export const EARLIER_HEADING = '## Earlier summary'
export const PLAN_HEADING = '## Plan, as last written'
export const COMMANDS_HEADING = '## Commands run, oldest first'
export const ERRORS_HEADING = '## Errors seen, oldest first'

const LONGEST_COMMAND = 200
const MOST_COMMANDS = 150
const LONGEST_ERROR = 200
const MARKS = { active: '[in progress]', pending: '[open]', done: '[done]' } as const
const URGENCY = { active: 0, pending: 1, done: 2 } as const

/** The newest instructions of each kind that a client (not the user) put into the conversation. */
export function standingInstructions(scope: BriefingScope): Section {
  const newest = new Map<string, PlacedInstruction>(scope.instructions.map((placed) => [placed.kind, placed]))
  const texts = [...newest.values()].map((placed) => placed.text.trim())
  return {
    isEmpty: texts.length === 0,
    render: (budget) => block(INSTRUCTIONS_HEADING, texts.join('\n\n'), budget, scope),
  }
}

/** A summary that a model wrote earlier: its reasons and decisions are in no list. */
export function earlierSummary(scope: BriefingScope, previous: string): Section {
  return { isEmpty: previous.trim() === '', render: (budget) => block(EARLIER_HEADING, previous.trim(), budget, scope) }
}

/** The plan as its last change left it; what is open is placed first. */
export function planSection(scope: BriefingScope): Section {
  const events = scope.calls.flatMap(({ call, result }) =>
    call.plan === undefined
      ? []
      : [{ change: call.plan, ...(result?.entryId === undefined ? {} : { id: result.entryId }) }],
  )
  const entries = foldPlan(events)
  const lines = entries
    .map((entry, order) => ({ entry, line: { text: `- ${MARKS[entry.state]} ${entry.text}`, order } }))
    .sort((a, b) => urgency(a.entry) - urgency(b.entry) || newestFirst(a, b))
    .map(({ line }) => line)
  return { isEmpty: lines.length === 0, render: (budget) => fitLines(PLAN_HEADING, lines, budget, scope.estimate) }
}

/** Commands, each once with its last outcome and the ids it gave out; failures and changes before mere looks. */
export function commandsSection(scope: BriefingScope): Section {
  const last = new Map<string, { readonly placed: PlacedCall; readonly order: number; readonly runs: number }>()
  scope.calls.forEach((placed, order) => {
    const { command } = placed.call
    if (command !== undefined) last.set(command, { placed, order, runs: (last.get(command)?.runs ?? 0) + 1 })
  })
  const lines = [...last.values()]
    .map((run) => ({ ...run, weight: weightOf(run.placed, run.runs) }))
    .sort((a, b) => b.weight - a.weight || b.order - a.order)
    .slice(0, MOST_COMMANDS)
    .map(({ placed, order, runs }): Line => ({ text: commandLine(placed, runs, scope), order }))
  return { isEmpty: lines.length === 0, render: (budget) => fitLines(COMMANDS_HEADING, lines, budget, scope.estimate) }
}

/** Error lines of results, each once, the newest placed first. */
export function errorsSection(scope: BriefingScope): Section {
  const lines = new Map<string, Line>()
  scope.calls.forEach((placed, order) => {
    for (const error of placed.result?.outcome.errors.slice(0, 2) ?? []) {
      const text = `- ${nameOf(placed, scope)}: ${oneLine(error, LONGEST_ERROR)}`
      lines.delete(text)
      lines.set(text, { text, order })
    }
  })
  const newest = [...lines.values()].toReversed()
  return { isEmpty: newest.length === 0, render: (budget) => fitLines(ERRORS_HEADING, newest, budget, scope.estimate) }
}

/** How a call ended, in a few words. */
export function outcomeOf(placed: PlacedCall): string {
  const outcome = placed.result?.outcome
  if (outcome === undefined) return 'no result yet'
  const code = outcome.exitCode === undefined ? '' : `exit ${outcome.exitCode}`
  if (!outcome.failed) return code === '' ? 'ok' : code
  return code === '' ? 'failed' : `${code}, failed`
}

/** What a call acted on, on one line. */
export function nameOf(placed: PlacedCall, scope: BriefingScope): string {
  const { call } = placed
  if (call.command !== undefined) return shortCommand(call.command, scope, 80)
  const target = call.paths[0]
  if (call.action === 'plan') return call.tool
  const words = [call.pattern ?? '', target === undefined ? '' : scope.relative(target)].filter((word) => word !== '')
  return oneLine([call.tool, ...(words.length > 0 ? words : [call.otherText.slice(0, 200)])].join(' '), 120)
}

function block(heading: string, text: string, budget: number, scope: BriefingScope): string {
  const body = fitTokens(text, budget - scope.estimate(`${heading}\n`), scope.estimate)
  return body === '' ? '' : `${heading}\n${body}`
}

function urgency(entry: PlanEntry): number {
  return URGENCY[entry.state]
}

/** Of what is done the newest counts most; what is open keeps its order. */
function newestFirst(a: { entry: PlanEntry; line: Line }, b: { entry: PlanEntry; line: Line }): number {
  return a.entry.state === 'done' ? b.line.order - a.line.order : a.line.order - b.line.order
}

/** Looking at files is told by the list of files. */
function weightOf(placed: PlacedCall, runs: number): number {
  const isLook =
    placed.call.reads.length > 0 ||
    /^\s*(?:cd [^&;]+(?:&&|;)\s*)?(?:ls|rg|grep|find|pwd|wc|which|sleep)\b/.test(placed.call.command ?? '')
  const outcome = placed.result?.outcome
  return (
    (isLook ? 0 : 1) +
    (outcome?.failed ? 1 : 0) +
    (outcome !== undefined && outcome.ids.length > 0 ? 1 : 0) +
    (runs > 1 ? 1 : 0)
  )
}

function commandLine(placed: PlacedCall, runs: number, scope: BriefingScope): string {
  const outcome = placed.result?.outcome
  const command = shortCommand(placed.call.command ?? '', scope, LONGEST_COMMAND)
  const ids = outcome?.ids.filter((id) => !command.includes(id)) ?? []
  const told = ids.length > 0 ? ` (${ids.map((id) => oneLine(id, 120)).join(' ')})` : ''
  const often = runs > 1 ? ` ×${runs}` : ''
  return `- ${command}${often} → ${outcomeOf(placed)}${told}`
}

/** A command without the change to the folder that the briefing names anyway. */
function shortCommand(command: string, scope: BriefingScope, limit: number): string {
  const start = `cd ${scope.folder} && `
  const here = scope.folder !== '' && command.startsWith(start) ? command.slice(start.length) : command
  return cutMiddle(oneLine(here, limit * 4), limit)
}
