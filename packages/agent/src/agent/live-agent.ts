import type { Session, SessionStore } from '@palimpsest/sessions'
import { type AiSdkMessage, PalimpsestError, type Prepared, type Preset, type ProfileOverrides } from 'palimpsest'
import type { ModelCall } from 'palimpsest/ai-sdk'
import type { AgentEventListener } from '../loop/agent-event.ts'
import { BrokenAnswer, failureOf } from '../loop/broken-answer.ts'
import { runTurn, type TurnProgress } from '../loop/run-turn.ts'
import type { MiddlewareStack } from '../loop/stack.ts'
import { type RequestFrame, requestFrame, turnRequest } from '../loop/turn-request.ts'
import type { TurnEnd, TurnResult } from '../loop/turn-result.ts'
import { adopt, modelCallOf } from '../middleware/summarisation.ts'
import type { AgentModel } from '../models/agent-model.ts'
import { providerFailure } from '../models/provider-failure.ts'
import type { Permissions } from '../tools/permissions.ts'
import type { Agent, ContextMeter, SessionCost, UndoPoint } from './agent.ts'
import { contextMeter } from './context-meter.ts'
import type { ModelInUse } from './model-in-use.ts'
import { sessionCost } from './session-cost.ts'
import { ShownSummary } from './shown-summary.ts'
import { undoPointsOf } from './undo-points.ts'
import type { UsedContext } from './used-context.ts'

/** What an agent consists of. */
export interface AgentParts {
  readonly session: Session
  readonly sessions: SessionStore
  readonly system: string
  readonly stack: MiddlewareStack
  readonly inUse: ModelInUse
  readonly permissions: Permissions
  readonly preset: Preset
  readonly profiles: ProfileOverrides
  readonly used: UsedContext
  readonly maxSteps: number
  readonly emit: AgentEventListener
  readonly now: () => number
  readonly newId: () => string
  /** Tells the end of compactions that a turn left behind. */
  readonly settle: () => void
  /** An agent that goes on with a stored session. */
  readonly resume: (id: string) => Promise<Agent>
}

interface Cancel {
  readonly signal?: AbortSignal
}

/** See `Agent`. */
export class LiveAgent implements Agent {
  readonly session: Session
  readonly #parts: AgentParts
  #busy = false

  constructor(parts: AgentParts) {
    this.session = parts.session
    this.#parts = parts
  }

  get model(): AgentModel {
    return this.#parts.inUse.model
  }

  get busy(): boolean {
    return this.#busy
  }

  async send(text: string, { signal = new AbortController().signal }: Cancel = {}): Promise<TurnResult> {
    const { session, inUse, emit, stack, system, permissions, maxSteps, now } = this.#parts
    const progress: TurnProgress = { texts: [], steps: 0 }
    const setup = { session, stack, system, permissions, maxSteps, emit, signal, now, model: inUse.model }
    const ended = await this.#alone(() => {
      emit({ type: 'turn-started', session: session.id, turn: session.snapshot.turn + 1 })
      return outcomeOf(() => this.#turn(() => runTurn(text, setup, progress), signal), setup)
    })
    emit({ type: 'turn-ended', ...ended })
    return { ...ended, ...progress }
  }

  async compact({ focus, signal = new AbortController().signal }: Cancel & { readonly focus?: string } = {}) {
    const { session, inUse, emit } = this.#parts
    const shown = new ShownSummary(emit)
    const byHand = async (): Promise<boolean> => {
      const call = modelCallOf({ model: inUse.model, options: await this.#request(signal) })
      const how = { ...session.forCompactor, signal, summarizer: inUse.summarizer(shown.watch) }
      const prepared = await inUse.compactor.compactNow(call, 'manual', { ...how, ...(focus && { focus }) })
      if (!prepared.compacted) return false
      if (shown.text === '') shown.add(summaryOf(prepared))
      await adopt(prepared, session)
      if (shown.text !== '') session.add({ type: 'display-segment', role: 'assistant', text: shown.text })
      session.add({ type: 'display-segment', role: 'notice', text: COMPACTED })
      return true
    }
    return this.#alone(() => this.#turn(byHand, signal))
  }

  async setModel(model: AgentModel, { signal = new AbortController().signal }: Cancel = {}): Promise<void> {
    const { session, inUse } = this.#parts
    const compactor = inUse.compactorOf(model)
    const fitted = async () => {
      const options = await this.#request(signal, model)
      const how = { ...session.forCompactor, signal, summarizer: inUse.summarizer() }
      // with the new model's limits, by the old one's hand; what cannot be made to fit is refused here, and nothing changes
      await adopt(await compactor.prepare(modelCallOf({ model, options }), how), session)
    }
    await this.#alone(async () => {
      if (session.snapshot.length > 0) await this.#turn(fitted, signal)
      inUse.use(model, compactor)
    })
  }

  async context(): Promise<ContextMeter> {
    const { session, inUse, preset, used } = this.#parts
    const frame = await this.#frame(new AbortController().signal)
    const call = modelCallOf({ model: inUse.model, options: turnRequest(frame, [], inUse.model) })
    return contextMeter({ session, frame, call, preset, limits: inUse.limits, used: used.used })
  }

  async cost(): Promise<SessionCost> {
    const { session, sessions, profiles } = this.#parts
    return sessionCost(await sessions.read(session.id), session.snapshot, profiles)
  }

  async undoPoints(): Promise<readonly UndoPoint[]> {
    const { session, sessions } = this.#parts
    return undoPointsOf(await sessions.read(session.id), session.snapshot)
  }

  undo({ to }: UndoPoint): Promise<void> {
    return this.#alone(async () => {
      await this.session.rewind(to)
      this.#parts.used.forget()
    })
  }

  async fork(): Promise<Agent> {
    const { session, sessions, newId, resume } = this.#parts
    const id = newId()
    await this.#alone(() => sessions.fork(session.id, id))
    return resume(id)
  }

  async #alone<Result>(run: () => Promise<Result>): Promise<Result> {
    if (this.#busy) throw new RangeError('The agent is at work: wait for it, or cancel it.')
    this.#busy = true
    try {
      return await run()
    } finally {
      this.#busy = false
    }
  }

  /** One turn of the session, alone among all processes; who waits for another one is told so. */
  async #turn<Result>(run: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    const waiting = setTimeout(() => this.#parts.emit({ type: 'warning', message: TAKEN }), LONG_WAIT)
    const begun = () => {
      clearTimeout(waiting)
      return run().finally(this.#parts.settle)
    }
    try {
      return await this.session.turn(begun, { signal })
    } finally {
      clearTimeout(waiting)
    }
  }

  async #frame(signal: AbortSignal): Promise<RequestFrame> {
    return requestFrame(this.#parts.system, await this.#parts.stack.contributions(signal))
  }

  async #request(signal: AbortSignal, model = this.model) {
    const items = (await this.session.transcript()) as readonly AiSdkMessage[]
    return turnRequest(await this.#frame(signal), items, model)
  }
}

const COMPACTED = 'Context compacted.'
const TAKEN = 'Another process works on this session: waiting until its turn has ended.'
/** Milliseconds after which a wait is worth a word. */
const LONG_WAIT = 1_500

/** How the turn ended, in the words of whoever has to mend it. @throws faults of ours. */
async function outcomeOf(
  turn: () => Promise<void>,
  { signal, model }: { readonly signal: AbortSignal; readonly model: AgentModel },
): Promise<TurnEnd> {
  try {
    await turn()
    return { outcome: 'answered' }
  } catch (error) {
    if (signal.aborted) return { outcome: 'cancelled' }
    const failure = failureOf(error)
    if (failure instanceof PalimpsestError) return { outcome: 'failed', error: failure }
    if (error instanceof BrokenAnswer) return { outcome: 'failed', error: providerFailure(failure, model) }
    throw error
  }
}

/** The text of the summaries that stand in the view now. */
function summaryOf({ record }: Prepared<ModelCall>): string {
  return (record?.plan.summaries ?? []).map(({ content }) => content).join('\n\n')
}
