import xterm from '@xterm/headless'

/** Reads what a program wrote to its terminal as a person would see it, and waits for what will be there. */
export class ScreenReader {
  readonly #terminal: xterm.Terminal
  readonly #waiting = new Set<() => void>()
  #written = ''
  /** The end of what was parsed, and whether a picture was begun there that is not whole yet. */
  #tail = ''
  #isDrawing = false

  constructor({ columns, rows }: { readonly columns: number; readonly rows: number }) {
    this.#terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true })
  }

  /** All bytes so far, as they came. */
  get written(): string {
    return this.#written
  }

  get columns(): number {
    return this.#terminal.cols
  }

  get rows(): number {
    return this.#terminal.rows
  }

  feed(data: string): void {
    this.#written += data
    this.#terminal.write(data, () => {
      const parsed = this.#tail + data
      const [begun, done] = [parsed.lastIndexOf(PICTURE_BEGINS), parsed.lastIndexOf(PICTURE_ENDS)]
      if (begun !== done) this.#isDrawing = begun > done
      this.#tail = parsed.slice(-PICTURE_BEGINS.length)
      for (const look of [...this.#waiting]) look()
    })
  }

  /** Resolves when all that was written is seen. */
  settled(): Promise<void> {
    return new Promise((resolve) => this.#terminal.write('', resolve))
  }

  /** What the terminal itself would type: answers to questions of the program. */
  onReply(listener: (data: string) => void): void {
    this.#terminal.onData(listener)
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows)
  }

  /** The lines that are seen now, without spaces at their ends. */
  get lines(): readonly string[] {
    const { baseY } = this.#terminal.buffer.active
    return this.#linesFrom(baseY)
  }

  /** What is seen now. */
  get text(): string {
    return this.lines.join('\n')
  }

  /** Everything, what was scrolled away too. */
  get whole(): string {
    return this.#linesFrom(0).join('\n')
  }

  /** Has any cell a colour, a font weight, or is it dim? */
  get painted(): boolean {
    const buffer = this.#terminal.buffer.active
    for (let y = 0; y < buffer.length; y += 1) {
      const line = buffer.getLine(y)
      for (let x = 0; line !== undefined && x < line.length; x += 1) {
        const cell = line.getCell(x)
        if (cell === undefined) continue
        if (!cell.isFgDefault() || !cell.isBgDefault() || cell.isBold() || cell.isDim()) return true
      }
    }
    return false
  }

  /** Resolves when the condition holds. Rejects with what is seen, where it does not come about. */
  until(what: string, holds: (screen: this) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        // half of a picture is nothing that a person sees
        if (this.#isDrawing || !holds(this)) return
        clearTimeout(timer)
        this.#waiting.delete(look)
        resolve()
      }
      const timer = setTimeout(() => {
        this.#waiting.delete(look)
        reject(new Error(`${what} did not come about. On the screen:\n${this.text}`))
      }, LONGEST_MILLISECONDS)
      this.#waiting.add(look)
      look()
    })
  }

  /** Waits until this text is seen. */
  sees(text: string): Promise<void> {
    return this.until(`"${text}"`, (screen) => screen.text.includes(text))
  }

  /** Waits until this text is not seen any more. */
  losesSight(text: string): Promise<void> {
    return this.until(`the end of "${text}"`, (screen) => !screen.text.includes(text))
  }

  #linesFrom(start: number): readonly string[] {
    const buffer = this.#terminal.buffer.active
    const lines = Array.from({ length: buffer.length - start }, (_, at) => buffer.getLine(start + at))
    return lines.map((line) => line?.translateToString(true).trimEnd() ?? '')
  }
}

const PICTURE_BEGINS = '\u001b[?2026h'
const PICTURE_ENDS = '\u001b[?2026l'

/** How often a text stands there. */
export function timesIn(text: string, part: string): number {
  return text.split(part).length - 1
}

const LONGEST_MILLISECONDS = 40_000
