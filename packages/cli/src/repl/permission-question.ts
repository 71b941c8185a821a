import { type Component, type Focusable, Input, matchesKey, wrapTextWithAnsi } from '@mariozechner/pi-tui'
import { type PermissionAnswer, sessionCovers } from '@palimpsest/agent'
import { diffLines } from './diff-lines.ts'
import type { Question } from './repl-screen.ts'
import { type ReplTheme, shownText } from './repl-theme.ts'
import { fitted } from './segment-lines.ts'

export interface QuestionOptions {
  readonly theme: ReplTheme
  /** Further questions that wait behind this one. */
  readonly more: number
  answer(answer: PermissionAnswer): void
}

/** Asks whether a tool may do something: the command whole, or the diff. What is typed in the editor stays there. */
export class PermissionQuestion implements Component, Focusable {
  /** False while the user types something else: then keys are not for us. */
  focused = false
  readonly question: Question
  more: number
  readonly #theme: ReplTheme
  readonly #answer: QuestionOptions['answer']
  #reason: Input | undefined

  constructor(question: Question, { theme, more, answer }: QuestionOptions) {
    this.question = question
    this.more = more
    this.#theme = theme
    this.#answer = answer
  }

  handleInput(data: string): void {
    if (this.#reason !== undefined) this.#reason.handleInput(data)
    else if (matchesKey(data, 'y')) this.#answer('once')
    else if (matchesKey(data, 'a')) this.#answer('session')
    else if (matchesKey(data, 'n') || matchesKey(data, 'escape')) this.#answer({ denied: '' })
    else if (matchesKey(data, 'r')) this.#reason = this.#reasonInput()
  }

  render(width: number): string[] {
    const { paint } = this.#theme
    const { kind, target, tool } = this.question.request
    const title = kind === 'command' ? 'Run this command?' : `Let ${shownText(tool)} write this file?`
    const waiting = this.more === 0 ? '' : paint.dim(` (${this.more} more to ask)`)
    const lines = [
      '',
      paint.bold(paint.yellow(title)) + waiting,
      ...indented(shownText(target), width),
      ...this.#preview(width),
      ...this.#keys(width),
    ]
    return lines.map((line) => fitted(line, width))
  }

  invalidate(): void {}

  #preview(width: number): readonly string[] {
    const { preview } = this.question.request
    if (preview === undefined) return []
    return diffLines(shownText(preview).split('\n'), this.#theme.paint).flatMap((line) => indented(line, width))
  }

  #keys(width: number): readonly string[] {
    const { paint } = this.#theme
    if (this.#reason !== undefined) {
      this.#reason.focused = this.focused
      return [paint.dim('Why not? Enter tells the model, Esc goes back.'), ...this.#reason.render(width)]
    }
    if (!this.focused) return [paint.dim('Stop typing for a moment to answer.')]
    const covered = shownText(sessionCovers(this.question.request))
    const keys = `y yes · a yes, in this session: ${covered} · n or Esc no · r no, with a reason`
    return wrapTextWithAnsi(keys, width).map(paint.cyan)
  }

  #reasonInput(): Input {
    const input = new Input()
    input.onSubmit = (text) => this.#answer({ denied: text.trim() })
    input.onEscape = () => {
      this.#reason = undefined
    }
    return input
  }
}

function indented(text: string, width: number): readonly string[] {
  return wrapTextWithAnsi(text, Math.max(1, width - 2)).map((line) => `  ${line}`)
}
