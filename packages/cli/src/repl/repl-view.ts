import { type Component, Editor, isKeyRelease, matchesKey, type Terminal, TUI } from '@mariozechner/pi-tui'
import type { PermissionAnswer } from '@palimpsest/agent'
import { completions } from './completions.ts'
import { PermissionQuestion } from './permission-question.ts'
import { type Choice, Picker } from './picker.ts'
import type { ReplClock, ReplDevices } from './repl-devices.ts'
import type { ReplScreen } from './repl-screen.ts'
import type { ReplTheme } from './repl-theme.ts'
import { FRAME_MILLISECONDS, footerLine, statusLines } from './status-lines.ts'
import { TranscriptView } from './transcript-view.ts'

/** Keys that mean something else than text. */
export type ReplKey = 'escape' | 'ctrl-c' | 'ctrl-d' | 'take-queued' | 'unfold' | 'typing'

export interface ReplViewOptions {
  readonly terminal: Terminal
  readonly clock: ReplClock
  readonly suspend: ReplDevices['suspend']
  readonly theme: ReplTheme
  /** Where `@path` is looked for. */
  readonly cwd: string
  readonly models: () => readonly string[]
  readonly screen: ReplScreen
  readonly model: () => string
  key(key: ReplKey): void
  submit(text: string): void
  answer(question: number, answer: PermissionAnswer): void
  ticked(): void
}

/** Milliseconds without a key after which a question takes the keys: else a word that is being typed would answer it. */
const QUIET_MILLISECONDS = 700

/** The screen, its editor and its keys, on a terminal. Everything that it shows it is told. */
export class ReplView {
  readonly #options: ReplViewOptions
  readonly #tui: TUI
  readonly #editor: Editor
  readonly #transcript: TranscriptView
  #screen: ReplScreen
  #question: PermissionQuestion | undefined
  #picker: Picker | undefined
  #cancelPick: () => void = () => {}
  #typedAt = Number.NEGATIVE_INFINITY
  #timer: (() => void) | undefined
  #running = false

  constructor(options: ReplViewOptions) {
    const { terminal, theme, screen } = options
    this.#options = options
    this.#screen = screen
    this.#tui = new TUI(terminal)
    this.#editor = new Editor(this.#tui, theme.editor)
    this.#editor.onSubmit = (text) => this.#submitted(text)
    this.#editor.setAutocompleteProvider(completions(options))
    this.#transcript = new TranscriptView(screen, theme)
    const drawn = (lines: (width: number) => readonly string[]): Component => ({
      render: (width) => [...lines(width)],
      invalidate() {},
    })
    const at = () => ({ theme, at: options.clock.now() })
    const meter = () => ({ model: options.model(), meter: this.#screen.meter })
    this.#tui.addChild(this.#transcript)
    this.#tui.addChild(drawn((width) => this.#question?.render(width) ?? []))
    this.#tui.addChild(drawn((width) => statusLines(this.#screen, { width, ...at() })))
    this.#tui.addChild(drawn((width) => this.#picker?.render(width) ?? []))
    this.#tui.addChild(this.#editor)
    this.#tui.addChild(drawn((width) => [footerLine(meter(), { width, theme })]))
    this.#tui.addInputListener((data) => this.#input(data))
    this.#tui.setFocus(this.#editor)
  }

  start(): void {
    this.#running = true
    this.#tui.start()
  }

  /** Leaves the terminal as it was. Nothing happens the second time. */
  stop(): void {
    if (!this.#running) return
    this.#running = false
    this.#timer?.()
    this.#tui.stop()
  }

  /**
   * Leaves on the screen what was said alone, and takes what still comes from the keyboard, answers of the terminal too: the
   * shell would read it.
   */
  async finish(): Promise<void> {
    if (!this.#running) return
    for (const child of this.#tui.children.filter((one) => one !== this.#transcript)) this.#tui.removeChild(child)
    this.#tui.requestRender()
    await this.#options.terminal.drainInput(DRAIN_MILLISECONDS)
  }

  show(screen: ReplScreen): void {
    this.#screen = screen
    this.#transcript.screen = screen
    this.#placeQuestion()
    this.#keepTime()
    if (this.#running) this.#tui.requestRender()
  }

  /** What is typed, with pasted text whole. */
  typed(): string {
    return this.#editor.getExpandedText()
  }

  edit(text: string): void {
    this.#editor.setText(text)
    this.#redraw()
  }

  remember(text: string): void {
    this.#editor.addToHistory(text)
  }

  /** Lets the user choose one; undefined where they choose none. */
  pick(title: string, choices: readonly Choice[]): Promise<number | undefined> {
    this.#cancelPick()
    return new Promise((resolve) => {
      const done = (at: number | undefined) => {
        this.#picker = undefined
        this.#cancelPick = () => {}
        this.#tui.setFocus(this.#editor)
        this.#placeQuestion()
        this.#redraw()
        resolve(at)
      }
      this.#cancelPick = () => done(undefined)
      this.#picker = new Picker(title, choices, { theme: this.#options.theme, done })
      this.#tui.setFocus(this.#picker)
      this.#redraw()
    })
  }

  /** A user who is choosing chooses nothing. */
  cancelPick(): void {
    this.#cancelPick()
  }

  #redraw(): void {
    if (this.#running) this.#tui.requestRender()
  }

  #submitted(text: string): void {
    this.#typedAt = Number.NEGATIVE_INFINITY
    this.#options.submit(text)
  }

  #input(data: string): { consume: boolean } | undefined {
    if (isKeyRelease(data)) return undefined
    if (matchesKey(data, 'ctrl+z')) return this.#suspended()
    if (this.#picker !== undefined) return undefined
    const key = this.#keyOf(data)
    if (key === undefined) return undefined
    if (key === 'typing') this.#typedAt = this.#options.clock.now()
    this.#options.key(key)
    return key === 'typing' ? undefined : { consume: true }
  }

  #suspended(): { consume: boolean } {
    this.#tui.stop()
    this.#options.suspend(() => {
      if (!this.#running) return
      this.#tui.start()
      this.#tui.requestRender(true)
    })
    return { consume: true }
  }

  #keyOf(data: string): ReplKey | undefined {
    if (matchesKey(data, 'ctrl+c')) return 'ctrl-c'
    if (matchesKey(data, 'ctrl+o')) return 'unfold'
    if (this.#question?.focused === true) return undefined
    if (matchesKey(data, 'escape') && !this.#editor.isShowingAutocomplete()) return 'escape'
    if (this.#takesQueued(data)) return 'take-queued'
    if (matchesKey(data, 'ctrl+d') && this.#isEmpty()) return 'ctrl-d'
    return 'typing'
  }

  #takesQueued(data: string): boolean {
    if (this.#screen.queue.length === 0) return false
    return matchesKey(data, 'alt+up') || (matchesKey(data, 'up') && this.#isEmpty())
  }

  #isEmpty(): boolean {
    return this.#editor.getText() === ''
  }

  /** Shows the first question that waits; it has the keys once nothing was typed for a moment. */
  #placeQuestion(): void {
    const [first, ...others] = this.#screen.questions
    if (this.#question?.question.id !== first?.id) {
      if (this.#question?.focused === true) this.#tui.setFocus(this.#editor)
      this.#question = first && this.#newQuestion(first)
    }
    if (this.#question === undefined) return
    this.#question.more = others.length
    const quiet = this.#options.clock.now() - this.#typedAt
    if (!this.#question.focused && this.#picker === undefined && quiet >= QUIET_MILLISECONDS)
      this.#tui.setFocus(this.#question)
  }

  #newQuestion(question: ReplScreen['questions'][number]): PermissionQuestion {
    const { theme, answer } = this.#options
    return new PermissionQuestion(question, {
      theme,
      more: 0,
      answer: (given) => {
        // a key that is pressed twice is no answer to the next question
        this.#typedAt = this.#options.clock.now()
        answer(question.id, given)
      },
    })
  }

  /** Time passes on the screen as long as something shows it. */
  #keepTime(): void {
    const { work, notice } = this.#screen
    const waiting = this.#question !== undefined && !this.#question.focused
    if (this.#timer !== undefined || !this.#running) return
    if (work === undefined && notice === undefined && !waiting) return
    this.#timer = this.#options.clock.after(FRAME_MILLISECONDS, () => {
      this.#timer = undefined
      this.#options.ticked()
    })
  }
}

const DRAIN_MILLISECONDS = 300
