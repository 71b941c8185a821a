import type { Agent, AgentEvent, TurnEnd } from '@palimpsest/agent'
import { PalimpsestError } from 'palimpsest'
import { type ExitCode, exitCode } from '../exit-code.ts'
import { oneLine } from '../session-text/plain-text.ts'
import { Questions } from './questions.ts'
import { type CommandDesk, runSlashCommand } from './repl-commands.ts'
import type { ReplDevices } from './repl-devices.ts'
import type { ReplAgent, ReplOptions, ReplPorts } from './repl-options.ts'
import { emptyScreen, type ReplScreen, type Segment } from './repl-screen.ts'
import { type ReplTheme, replTheme } from './repl-theme.ts'
import { ReplView } from './repl-view.ts'
import { briefsOf, replaySession } from './replay-session.ts'
import { isAlwaysThere, type SlashCommand } from './slash-commands.ts'
import { errorSegment, type ReplAction, type ReplEffect, updateRepl } from './update-repl.ts'

/** A person and an agent: hands what happens to `updateRepl`, shows what the screen becomes, and does what must be done. */
export class Conversation {
  readonly view: ReplView
  screen: ReplScreen = emptyScreen
  readonly #opened: ReplAgent
  readonly #options: ReplOptions
  readonly #devices: ReplDevices
  readonly #theme: ReplTheme
  #agent: Agent
  /** Models that were offered or used. */
  #models: readonly string[] = []
  /** Ends what runs. */
  #abort: AbortController | undefined
  /** What runs: a turn, a command. */
  #running: Promise<void> = Promise.resolve()
  #end: ((code: ExitCode) => void) | undefined
  #fault: ((error: unknown) => void) | undefined
  #left = false

  /** Opens the agent. @throws what the opener throws. */
  static async open(options: ReplOptions, devices: ReplDevices): Promise<Conversation> {
    let heard: (event: AgentEvent) => void = () => {}
    const questions = new Questions()
    const ports: ReplPorts = { ask: questions.ask, onEvent: (event) => heard(event) }
    const conversation = new Conversation(await options.open(ports), { options, devices, questions })
    heard = (event) => conversation.#heard(event)
    return conversation
  }

  private constructor(
    opened: ReplAgent,
    given: { readonly options: ReplOptions; readonly devices: ReplDevices; readonly questions: Questions },
  ) {
    const { options, devices, questions } = given
    this.#opened = opened
    this.#agent = opened.agent
    this.#options = options
    this.#devices = devices
    this.#theme = replTheme(options.color)
    questions.onAsked = (question) => this.#do({ type: 'asked', question })
    questions.onSettled = (id) => this.#do({ type: 'answered', id })
    this.view = new ReplView({
      ...devices,
      theme: this.#theme,
      cwd: options.cwd,
      screen: this.screen,
      model: () => this.#agent.model.name,
      models: () => this.#models,
      key: (key) => this.#do({ type: key, typed: this.view.typed(), at: this.#now() }),
      submit: (text) => this.#do({ type: 'submitted', text, at: this.#now() }),
      answer: (id, answer) => questions.answer(id, answer),
      ticked: () => this.#do({ type: 'ticked', at: this.#now() }),
    })
  }

  get agent(): Agent {
    return this.#agent
  }

  /** Shows what the session has shown, sends the first prompt, and goes on until the person leaves. @throws faults of ours. */
  async untilLeft(): Promise<ExitCode> {
    const left = new Promise<ExitCode>((resolve, reject) => {
      this.#end = resolve
      this.#fault = reject
    })
    await this.#goOnWith(this.#agent)
    for (const text of this.#opened.notes ?? []) this.#do({ type: 'showed', segment: { kind: 'warning', text } })
    this.view.start()
    this.view.show(this.screen)
    const { prompt } = this.#options
    if (prompt !== undefined) this.#do({ type: 'submitted', text: prompt, at: this.#now() })
    return left
  }

  /** Ends what runs, lets it be stored, and then all. */
  leave(code: ExitCode): void {
    if (this.#left) return
    this.#left = true
    this.view.cancelPick()
    this.#abort?.abort()
    const giveUp = this.#devices.clock.after(PATIENCE_MILLISECONDS, () => this.#end?.(code))
    void this.#running.finally(() => {
      giveUp()
      this.#end?.(code)
    })
  }

  fail(error: unknown): void {
    this.#left = true
    this.#abort?.abort()
    this.#fault?.(error)
  }

  close(): Promise<void> {
    return this.#opened.close()
  }

  #now(): number {
    return this.#devices.clock.now()
  }

  #do(action: ReplAction): void {
    const { screen, effects } = updateRepl(this.screen, action)
    this.screen = screen
    this.view.show(screen)
    for (const effect of effects) this.#perform(effect)
  }

  #perform(effect: ReplEffect): void {
    switch (effect.type) {
      case 'send':
        this.#run(() => this.#send(effect.text))
        break
      case 'command':
        this.#run(() => this.#command(effect.name, effect.argument))
        break
      case 'cancel-compaction':
        effect.cancel()
        break
      case 'cancel-work':
        this.#abort?.abort()
        break
      case 'edit':
        this.view.edit(effect.text)
        break
      case 'remember':
        this.view.remember(effect.text)
        break
      case 'leave':
        this.leave(exitCode.fine)
    }
  }

  /** What the world did is shown; a fault of ours ends the program. */
  #run(run: () => Promise<void>): void {
    const before = this.#running
    const shown = async () => {
      try {
        await run()
      } catch (error) {
        if (error instanceof PalimpsestError) this.#do({ type: 'showed', segment: errorSegment(error) })
        else this.fail(error)
      }
      await before
    }
    this.#running = shown()
  }

  async #send(text: string): Promise<void> {
    const abort = new AbortController()
    this.#abort = abort
    this.#ended(await this.#agent.send(text, { signal: abort.signal }))
    void this.#measure()
  }

  /** What runs beside a turn says by itself what it cannot do; everything else is work, like a turn. */
  async #command(name: SlashCommand['name'], argument: string): Promise<void> {
    if (isAlwaysThere(name)) return runSlashCommand(name, argument, this.#desk(new AbortController().signal))
    const abort = new AbortController()
    this.#abort = abort
    try {
      await runSlashCommand(name, argument, this.#desk(abort.signal))
      this.#ended({ outcome: 'answered' })
    } catch (error) {
      if (abort.signal.aborted) this.#ended({ outcome: 'cancelled' })
      else if (error instanceof PalimpsestError) this.#ended({ outcome: 'failed', error })
      else throw error
    }
    void this.#measure()
  }

  #ended(end: TurnEnd): void {
    this.#abort = undefined
    // what waits is not sent any more when the person leaves
    const told: TurnEnd = this.#left && end.outcome === 'answered' ? { outcome: 'cancelled' } : end
    this.#do({ type: 'ended', end: told, typed: this.view.typed(), at: this.#now() })
  }

  #heard(event: AgentEvent): void {
    this.#do({ type: 'event', event, at: this.#now() })
    if (event.type === 'step-ended') void this.#measure()
  }

  async #measure(): Promise<void> {
    const epoch = this.screen.meterEpoch
    try {
      this.#do({ type: 'measured', epoch, meter: await this.#agent.context() })
    } catch (error) {
      // the meter is no reason to stop
      if (!(error instanceof PalimpsestError)) this.fail(error)
    }
  }

  async #goOnWith(agent: Agent): Promise<void> {
    const { id, dialect, snapshot } = agent.session
    const display = await agent.session.display()
    const briefs = briefsOf(await this.#opened.sessions.read(id), snapshot)
    this.#agent = agent
    const replayed = replaySession(display, dialect, briefs)
    const segments = replayed.length === 0 ? [greeting(this.#options.cwd)] : replayed
    for (const segment of segments) if (segment.kind === 'user') this.view.remember(segment.text)
    this.#do({ type: 'session-opened', segments })
    void this.#measure()
  }

  #desk(signal: AbortSignal): CommandDesk {
    return {
      agent: this.#agent,
      sessions: this.#opened.sessions,
      openModel: this.#opened.openModel,
      paint: this.#theme.paint,
      width: this.#devices.terminal.columns,
      now: this.#now(),
      models: () => this.#knownModels(),
      resume: (id) => this.#opened.resume(id),
      goOnWith: (agent) => this.#goOnWith(agent),
      pick: (title, choices) => this.view.pick(title, choices),
      signal,
      show: (segment) => this.#do({ type: 'showed', segment }),
      notice: (text) => this.#do({ type: 'refused', text, at: this.#now() }),
      giveBack: (text) => this.view.edit([text, this.view.typed()].filter((one) => one !== '').join('\n\n')),
      leave: () => this.leave(exitCode.fine),
    }
  }

  async #knownModels(): Promise<readonly string[]> {
    const [{ models }, offered] = await Promise.all([this.#agent.cost(), this.#options.models?.() ?? []])
    const used = models.filter((name) => name.includes(':'))
    this.#models = [...new Set([this.#agent.model.name, ...used, ...offered])]
    return this.#models
  }
}

function greeting(cwd: string): Segment {
  return { kind: 'report', lines: [`Palimpsest, in ${oneLine(cwd)}. /help lists what works here.`] }
}

/** Milliseconds that what runs has to end, before the program ends without it. */
const PATIENCE_MILLISECONDS = 5_000
