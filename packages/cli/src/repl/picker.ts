import { type Component, type SelectItem, SelectList } from '@mariozechner/pi-tui'
import { clipped, oneLine } from '../session-text/plain-text.ts'
import type { ReplTheme } from './repl-theme.ts'
import { fitted } from './segment-lines.ts'

/** Something to choose. */
export interface Choice {
  readonly label: string
  readonly about?: string
}

/** A list to choose from; Esc and Ctrl+C choose nothing. */
export class Picker implements Component {
  readonly #title: string
  readonly #list: SelectList
  readonly #theme: ReplTheme

  constructor(
    title: string,
    choices: readonly Choice[],
    { theme, done }: { readonly theme: ReplTheme; done(at: number | undefined): void },
  ) {
    this.#title = title
    this.#theme = theme
    this.#list = new SelectList(choices.map(itemOf), MOST_ROWS, theme.list, {
      minPrimaryColumnWidth: 24,
      maxPrimaryColumnWidth: 48,
    })
    this.#list.onSelect = ({ value }) => done(Number(value))
    this.#list.onCancel = () => done(undefined)
  }

  handleInput(data: string): void {
    this.#list.handleInput(data)
  }

  render(width: number): string[] {
    const { paint } = this.#theme
    const lines = [
      '',
      paint.bold(this.#title),
      ...this.#list.render(width),
      paint.dim('Enter takes it, Esc leaves all as it is'),
    ]
    return lines.map((line) => fitted(line, width))
  }

  invalidate(): void {
    this.#list.invalidate()
  }
}

const MOST_ROWS = 8
const MOST_CHARACTERS = 200

function itemOf({ label, about }: Choice, at: number): SelectItem {
  const shown = clipped(oneLine(label), MOST_CHARACTERS)
  return {
    value: String(at),
    label: shown === '' ? '–' : shown,
    ...(about !== undefined && { description: oneLine(about) }),
  }
}
