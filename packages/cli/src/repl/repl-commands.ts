import type { Agent, OpenModel } from '@palimpsest/agent'
import type { SessionStore, SessionSummary } from '@palimpsest/sessions'
import { plural } from '../format-number.ts'
import { contextReport } from './context-report.ts'
import { costReport } from './cost-report.ts'
import { helpReport } from './help-report.ts'
import type { Choice } from './picker.ts'
import type { Segment } from './repl-screen.ts'
import type { Paint } from './repl-theme.ts'
import { sessionLabel } from './session-label.ts'
import type { SlashCommand } from './slash-commands.ts'
import { timeAgo } from './time-ago.ts'

/** What commands work with. */
export interface CommandDesk {
  readonly agent: Agent
  readonly sessions: SessionStore
  readonly openModel: OpenModel
  readonly paint: Paint
  /** Columns of the screen. */
  readonly width: number
  readonly now: number
  readonly models: () => Promise<readonly string[]>
  resume(id: string): Promise<Agent>
  /** Goes on with another agent, or with this one after its session went back. */
  goOnWith(agent: Agent): Promise<void>
  pick(title: string, choices: readonly Choice[]): Promise<number | undefined>
  /** Aborted when the person does not want it any more. */
  readonly signal: AbortSignal
  show(segment: Segment): void
  notice(text: string): void
  /** Puts a text into the editor, before what is typed there. */
  giveBack(text: string): void
  leave(): void
}

/** Runs one command. @throws PalimpsestError that says why it could not. */
export async function runSlashCommand(name: SlashCommand['name'], argument: string, desk: CommandDesk): Promise<void> {
  const report = (lines: readonly string[]): void => desk.show({ kind: 'report', lines })
  switch (name) {
    case 'help':
      return report(helpReport(desk.paint))
    case 'context':
      return report(contextReport(await desk.agent.context(), desk.agent.session.snapshot, desk))
    case 'cost':
      return report(costReport(await desk.agent.cost(), desk.paint))
    case 'compact':
      return compact(argument, desk)
    case 'model':
      return switchModel(argument, desk)
    case 'resume':
      return resume(argument, desk)
    case 'fork':
      return fork(desk)
    case 'undo':
      return undo(desk)
    case 'exit':
      return desk.leave()
  }
}

async function compact(focus: string, { agent, signal, notice }: CommandDesk): Promise<void> {
  const done = await agent.compact({ signal, ...(focus !== '' && { focus }) })
  if (!done && !signal.aborted) notice('There is nothing to compact yet.')
}

async function switchModel(argument: string, desk: CommandDesk): Promise<void> {
  const name = argument === '' ? await pickModel(desk) : argument
  if (name === undefined) return
  const model = await desk.openModel(name)
  await desk.agent.setModel(model, { signal: desk.signal })
  desk.notice(`The model is ${model.name} now.`)
}

async function pickModel(desk: CommandDesk): Promise<string | undefined> {
  const models = await desk.models()
  const about = (name: string) => (name === desk.agent.model.name ? { about: 'now' } : {})
  const at = await desk.pick(
    'Go on with which model? /model provider:model takes any other one',
    models.map((name) => ({ label: name, ...about(name) })),
  )
  return at === undefined ? undefined : models[at]
}

async function resume(argument: string, desk: CommandDesk): Promise<void> {
  const id = argument === '' ? await pickSession(desk) : argument
  if (id === undefined || id === desk.agent.session.id) return
  await desk.goOnWith(await desk.resume(id))
  desk.notice(`Session ${id} goes on.`)
}

async function pickSession(desk: CommandDesk): Promise<string | undefined> {
  const { id: own, dialect, snapshot } = desk.agent.session
  const { cwd } = snapshot.started
  const all = await desk.sessions.list({ limit: MOST_SESSIONS, ...(cwd !== undefined && { cwd }) })
  const others = all.filter((one) => one.id !== own && one.dialect === dialect.name && one.messages > 0)
  if (others.length === 0) {
    desk.notice('There is no other session of this folder yet.')
    return undefined
  }
  const at = await desk.pick(
    'Go on with which session?',
    await Promise.all(
      others.map(async (one) => sessionChoice(one, await sessionLabel(one, desk.sessions, dialect), desk.now)),
    ),
  )
  return at === undefined ? undefined : others[at]?.id
}

const MOST_SESSIONS = 200

function sessionChoice({ updatedAt, messages }: SessionSummary, label: string, now: number): Choice {
  return { label, about: `${timeAgo(now - updatedAt)}, ${plural(messages, 'message')}` }
}

async function fork(desk: CommandDesk): Promise<void> {
  const from = desk.agent.session.id
  const copy = await desk.agent.fork()
  await desk.goOnWith(copy)
  desk.notice(`This is session ${copy.session.id} now, a copy of ${from}.`)
}

async function undo(desk: CommandDesk): Promise<void> {
  const points = await desk.agent.undoPoints()
  if (points.length === 0) return desk.notice('There is nothing to undo.')
  const at = await desk.pick(
    'Go back to before what?',
    points.map(({ kind, label, at: when }) => ({
      label: kind === 'turn' ? label : `compaction: ${label}`,
      about: timeAgo(desk.now - when),
    })),
  )
  const point = at === undefined ? undefined : points[at]
  if (point === undefined) return
  await desk.agent.undo(point)
  await desk.goOnWith(desk.agent)
  desk.notice(point.kind === 'turn' ? 'Undone; your text is back in the editor.' : 'The compaction is undone.')
  if (point.text !== undefined) desk.giveBack(point.text)
}
