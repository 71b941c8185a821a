import type { Terminal } from './terminal.ts'

/** Tells a person who watches how far long work has come. */
export interface Progress {
  /** Work on the next thing begins. */
  next(name: string): void
  /** How far into it, as a share of one. */
  share(done: number): void
  done(): void
}

/**
 * Progress over `total` things: one line that renews itself where a person watches, nothing elsewhere. It is written
 * only when its text changes, so it may be told as often as one likes.
 */
export function progressOf(total: number, doing: string, terminal: Pick<Terminal, 'status'>): Progress {
  let at = 0
  let name = ''
  let shown = ''
  const show = (line: string) => {
    if (line !== shown) terminal.status(line)
    shown = line
  }
  return {
    next(thing) {
      at += 1
      name = thing
      show(`${doing} ${at}/${total}  ${name}`)
    },
    share(done) {
      const percent = Math.floor(Math.min(1, Math.max(0, done)) * 100)
      show(`${doing} ${at}/${total}  ${String(percent).padStart(2)}%  ${name}`)
    },
    done: () => show(''),
  }
}
