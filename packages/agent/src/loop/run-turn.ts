import type { Session } from '@palimpsest/sessions'
import { type AiSdkMessage, PalimpsestError } from 'palimpsest'
import type { AgentModel } from '../models/agent-model.ts'
import type { Permissions } from '../tools/permissions.ts'
import type { AgentEventListener } from './agent-event.ts'
import { partialOf } from './broken-answer.ts'
import type { ModelAnswer } from './model-answer.ts'
import { runTools } from './run-tools.ts'
import type { MiddlewareStack } from './stack.ts'
import { StepLimitError } from './step-limit-error.ts'
import { streamModel } from './stream-model.ts'
import { requestFrame, turnRequest } from './turn-request.ts'

/** What a turn is run with. */
export interface TurnSetup {
  readonly session: Session
  readonly system: string
  readonly stack: MiddlewareStack
  readonly permissions: Permissions
  readonly model: AgentModel
  readonly maxSteps: number
  readonly emit: AgentEventListener
  readonly signal: AbortSignal
  readonly now: () => number
}

/** What a turn has come to, also where it then fails. */
export interface TurnProgress {
  readonly texts: string[]
  steps: number
}

/**
 * One turn: asks the model, runs what it calls, and asks again, until it answers without a call. All that is said stands in the
 * session before the next thing happens. @throws what ends the turn before that; what was shown by then is stored.
 */
export async function runTurn(text: string, setup: TurnSetup, progress: TurnProgress): Promise<void> {
  const { session, stack, signal, maxSteps, emit } = setup
  session.appendItems([userMessage(text)])
  await session.commit()
  const contributed = await stack.contributions(signal)
  const frame = requestFrame(setup.system, contributed)
  const ask = stack.around(streamModel)
  const items: AiSdkMessage[] = []
  for (;;) {
    if (progress.steps === maxSteps) throw new StepLimitError(maxSteps)
    progress.steps += 1
    emit({ type: 'step-started', step: progress.steps, model: setup.model.name })
    // what came since the last step: a long session is not read again at each one
    items.push(...((await session.transcript({ from: items.length })) as AiSdkMessage[]))
    const options = turnRequest(frame, items, setup.model)
    const step = { model: setup.model, options, stableSystem: frame.stableSystem, signal, session: session.id, emit }
    const answer = await answered(() => ask(step), setup, progress)
    await keep(answer, setup, progress)
    if (answer.calls.length === 0) return
    const { tools } = contributed
    session.appendItems([await runTools(answer.calls, { ...setup, tools })])
    await session.commit()
    signal.throwIfAborted()
  }
}

/** @throws PalimpsestError for a text that says nothing: in the session it would be refused with every request to come. */
function userMessage(text: string): object {
  if (text.trim() === '') {
    throw new PalimpsestError('invalid-input', 'The message has no words.', { hint: 'Say what is to be done.' })
  }
  return { role: 'user', content: [{ type: 'text', text: text.toWellFormed() }] }
}

/** The answer; of one that broke off, what was shown is kept before the failure goes on. */
async function answered(
  ask: () => Promise<ModelAnswer>,
  { session }: TurnSetup,
  progress: TurnProgress,
): Promise<ModelAnswer> {
  try {
    return await ask()
  } catch (error) {
    const partial = partialOf(error)
    if (partial !== undefined) {
      session.appendItems([partial])
      progress.texts.push(textOf(partial))
    }
    throw error
  }
}

async function keep(answer: ModelAnswer, { session, emit }: TurnSetup, { texts, steps }: TurnProgress): Promise<void> {
  const { message, text, usage } = answer
  if (message !== undefined) session.appendItems([message])
  await session.commit()
  if (text !== '') texts.push(text)
  emit({ type: 'step-ended', step: steps, text, ...(usage !== undefined && { usage }) })
  const warning = warningOf(answer)
  if (warning !== undefined) emit({ type: 'warning', message: warning })
}

/** Why an answer may not be all that the model had to say. */
function warningOf({ finish, calls, message }: ModelAnswer): string | undefined {
  if (finish.unified === 'length') return 'The answer was cut at the most that the model may write at once.'
  if (finish.unified === 'content-filter') return 'The provider held the answer back.'
  return message === undefined && calls.length === 0 ? 'The model said nothing.' : undefined
}

function textOf({ content }: AiSdkMessage): string {
  if (typeof content === 'string') return content
  return content.map((part) => ('text' in part && typeof part.text === 'string' ? part.text : '')).join('')
}
