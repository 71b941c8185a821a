import type { AgentEvent, ContextMeter, TurnEnd } from '@palimpsest/agent'
import type { PalimpsestError } from 'palimpsest'
import {
  emptyScreen,
  type Question,
  type ReplScreen,
  type Segment,
  type Work,
  withAside,
  withNotice,
  withRefusal,
  withSegment,
} from './repl-screen.ts'
import { showEvent, withNothingRunning } from './show-event.ts'
import { readTypedLine, type SlashCommand } from './slash-commands.ts'

/** What happened. `at`: milliseconds since the epoch; `typed`: what stands in the editor, pasted text whole. */
export type ReplAction =
  | { readonly type: 'event'; readonly event: AgentEvent; readonly at: number }
  /** The editor gave its text away, and is empty. */
  | { readonly type: 'submitted'; readonly text: string; readonly at: number }
  | { readonly type: 'escape' }
  | { readonly type: 'ctrl-c'; readonly typed: string }
  | { readonly type: 'ctrl-d'; readonly typed: string; readonly at: number }
  | { readonly type: 'take-queued'; readonly typed: string }
  | { readonly type: 'unfold' }
  /** Any other key. */
  | { readonly type: 'typing' }
  | { readonly type: 'asked'; readonly question: Question }
  | { readonly type: 'answered'; readonly id: number }
  | {
      readonly type: 'ended'
      readonly end: TurnEnd
      readonly typed: string
      readonly at: number
    }
  | { readonly type: 'ticked'; readonly at: number }
  | { readonly type: 'measured'; readonly epoch: number; readonly meter: ContextMeter }
  | { readonly type: 'showed'; readonly segment: Segment }
  | { readonly type: 'noticed'; readonly text: string; readonly at: number }
  | { readonly type: 'refused'; readonly text: string; readonly at: number }
  /** Another session, or this one after something was undone: what it has shown so far. */
  | { readonly type: 'session-opened'; readonly segments: readonly Segment[] }

/** What must be done about it. */
export type ReplEffect =
  | { readonly type: 'send'; readonly text: string }
  | { readonly type: 'command'; readonly name: SlashCommand['name']; readonly argument: string }
  | { readonly type: 'cancel-compaction'; cancel(): void }
  | { readonly type: 'cancel-work' }
  /** The editor's text from now on. */
  | { readonly type: 'edit'; readonly text: string }
  /** Into the history, where Up finds it. */
  | { readonly type: 'remember'; readonly text: string }
  | { readonly type: 'leave' }

export interface ReplUpdate {
  readonly screen: ReplScreen
  readonly effects: readonly ReplEffect[]
}

/**
 * What the screen becomes, and what must be done. Pure. No text that a user gave is ever lost: it is sent, waits in the queue,
 * stands in the editor, or is remembered.
 */
export function updateRepl(screen: ReplScreen, action: ReplAction): ReplUpdate {
  switch (action.type) {
    case 'event':
      return only(showEvent(screen, action.event, action.at))
    case 'submitted':
      return submitted({ ...screen, leaving: false }, action.text, action.at)
    case 'escape':
      return escaped({ ...screen, leaving: false })
    case 'ctrl-c':
      return interrupted(screen, action.typed)
    case 'ctrl-d':
      return endOfInput(screen, action.typed, action.at)
    case 'take-queued':
      return lastQueued({ ...screen, leaving: false }, action.typed)
    case 'unfold':
      return only({ ...screen, unfolded: !screen.unfolded })
    case 'typing':
      return only(screen.leaving ? { ...screen, leaving: false } : screen)
    case 'asked':
      return only({ ...screen, questions: [...screen.questions, action.question] })
    case 'answered':
      return only({ ...screen, questions: screen.questions.filter(({ id }) => id !== action.id) })
    case 'ended':
      return ended(screen, action)
    case 'ticked':
      return only(screen.notice && screen.notice.until <= action.at ? { ...screen, notice: undefined } : screen)
    case 'measured':
      return only(action.epoch === screen.meterEpoch ? { ...screen, meter: action.meter } : screen)
    case 'showed':
      return only(withAside(screen, action.segment))
    case 'noticed':
      return only(withNotice(screen, action.text, action.at))
    case 'refused':
      return only(withRefusal(screen, action.text, action.at))
    case 'session-opened':
      return only(opened(screen, action.segments))
  }
}

function only(screen: ReplScreen): ReplUpdate {
  return { screen, effects: [] }
}

function submitted(screen: ReplScreen, text: string, at: number): ReplUpdate {
  if (text.trim() === '') return only(screen)
  const line = readTypedLine(text)
  if (line.kind === 'unknown') {
    const meant = line.similar.map((name) => `/${name}`).join(' or ')
    const hint = meant === '' ? '/help lists what there is.' : `Did you mean ${meant}?`
    const refusal = withRefusal(screen, `There is no /${line.name}. ${hint}`, at)
    return { screen: refusal, effects: [{ type: 'edit', text }] }
  }
  const remember: ReplEffect = { type: 'remember', text }
  if (line.kind === 'prompt') {
    const { screen: next, effects } = screen.work === undefined ? sent(screen, text, at) : queued(screen, text, at)
    return { screen: next, effects: [remember, ...effects] }
  }
  const { command, argument } = line
  if (command.when === 'idle' && screen.work !== undefined) {
    const refusal = `/${command.name} works when nothing runs: wait, or press Ctrl+C first.`
    return { screen: withRefusal(screen, refusal, at), effects: [remember] }
  }
  const work = command.when === 'idle' ? { kind: workOf(command.name), since: at } : screen.work
  return { screen: { ...screen, work }, effects: [remember, { type: 'command', name: command.name, argument }] }
}

/** What a command runs as: prompts wait until it is done. */
function workOf(name: SlashCommand['name']): Work['kind'] {
  return name === 'compact' || name === 'model' ? name : 'command'
}

function sent(screen: ReplScreen, text: string, at: number): ReplUpdate {
  const shown = withSegment(screen, { kind: 'user', text })
  const work = { kind: 'turn', since: at } as const
  const next = { ...shown, work, stepFrom: shown.segments.length, stepSpoke: false }
  return { screen: next, effects: [{ type: 'send', text }] }
}

function queued(screen: ReplScreen, text: string, at: number): ReplUpdate {
  const next = { ...screen, queue: [...screen.queue, text] }
  const compacting = screen.work?.kind === 'compact' || screen.work?.compaction !== undefined
  return only(compacting ? withNotice(next, 'Queued: sent when the context is compacted.', at) : next)
}

/** Ends a compaction alone. What is typed stays, however often it is pressed. */
function escaped(screen: ReplScreen): ReplUpdate {
  const { work } = screen
  if (work?.kind === 'compact') return { screen: ending(screen, 'compaction'), effects: [{ type: 'cancel-work' }] }
  const compaction = work?.compaction
  if (compaction === undefined) return only(screen)
  return { screen, effects: [{ type: 'cancel-compaction', cancel: () => compaction.cancel() }] }
}

/** Ends what runs, and gives back what waits. With nothing to end it clears the line, and then leaves. */
function interrupted(screen: ReplScreen, typed: string): ReplUpdate {
  if (screen.work !== undefined && screen.work.ending !== 'all') {
    const { screen: next, effects } = givenBack(ending(screen, 'all'), typed)
    return { screen: next, effects: [{ type: 'cancel-work' }, ...effects] }
  }
  if (screen.leaving) return { screen, effects: [{ type: 'leave' }] }
  const cleared: readonly ReplEffect[] =
    typed.trim() === ''
      ? []
      : [
          { type: 'remember', text: typed },
          { type: 'edit', text: '' },
        ]
  return { screen: { ...screen, leaving: true }, effects: cleared }
}

function endOfInput(screen: ReplScreen, typed: string, at: number): ReplUpdate {
  if (typed !== '') return only(screen)
  if (screen.work !== undefined) return only(withRefusal(screen, 'Ctrl+C ends what runs; then Ctrl+D leaves.', at))
  return { screen, effects: [{ type: 'leave' }] }
}

function lastQueued(screen: ReplScreen, typed: string): ReplUpdate {
  const last = screen.queue.at(-1)
  if (last === undefined) return only(screen)
  return {
    screen: { ...screen, queue: screen.queue.slice(0, -1) },
    effects: [{ type: 'edit', text: joined([last, typed]) }],
  }
}

function ended(screen: ReplScreen, action: Extract<ReplAction, { type: 'ended' }>): ReplUpdate {
  const { end, typed, at } = action
  const stopped = { ...withNothingRunning(screen), questions: [] }
  const told = end.outcome === 'failed' ? withSegment(stopped, errorSegment(end.error)) : stopped
  const noticed = end.outcome === 'cancelled' ? withNotice(told, 'Cancelled.', at) : told
  // who ended a compaction alone wants to go on
  if (end.outcome !== 'answered' && screen.work?.ending !== 'compaction') return givenBack(noticed, typed)
  const [first, ...queue] = noticed.queue
  return first === undefined ? only(noticed) : sent({ ...noticed, queue }, first, at)
}

/** What waits goes back into the editor, before what is typed there. */
function givenBack(screen: ReplScreen, typed: string): ReplUpdate {
  if (screen.queue.length === 0) return only(screen)
  return { screen: { ...screen, queue: [] }, effects: [{ type: 'edit', text: joined([...screen.queue, typed]) }] }
}

/** Everything but what the other session showed and measured stays. */
function opened(screen: ReplScreen, segments: readonly Segment[]): ReplScreen {
  const { unfolded, notice, queue, work, meterEpoch } = screen
  const kept = { unfolded, notice, queue, work, meterEpoch: meterEpoch + 1 }
  return { ...emptyScreen, ...kept, segments, stepFrom: segments.length }
}

function ending(screen: ReplScreen, ending: 'compaction' | 'all'): ReplScreen {
  return screen.work === undefined ? screen : { ...screen, work: { ...screen.work, ending } }
}

/** An error in two lines: what is wrong, and what would help. */
export function errorSegment({ message, hint }: PalimpsestError): Segment {
  return { kind: 'error', message, ...(hint !== undefined && { hint }) }
}

function joined(texts: readonly string[]): string {
  return texts.filter((text) => text.trim() !== '').join('\n\n')
}
