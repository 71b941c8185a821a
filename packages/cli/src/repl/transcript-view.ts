import type { Component } from '@mariozechner/pi-tui'
import type { ReplScreen, Segment } from './repl-screen.ts'
import type { ReplTheme } from './repl-theme.ts'
import { segmentLines } from './segment-lines.ts'

/** Draws what was said and done. A segment that did not change is not drawn again. */
export class TranscriptView implements Component {
  screen: Pick<ReplScreen, 'segments' | 'unfolded'>
  readonly #theme: ReplTheme
  #drawn: Drawn | undefined

  constructor(screen: Pick<ReplScreen, 'segments' | 'unfolded'>, theme: ReplTheme) {
    this.screen = screen
    this.#theme = theme
  }

  render(width: number): string[] {
    const { segments, unfolded } = this.screen
    const before = this.#drawn?.width === width && this.#drawn.unfolded === unfolded ? this.#drawn.lines : undefined
    const lines = new Map<Segment, readonly string[]>()
    const all: string[] = []
    segments.forEach((segment, at) => {
      const own = before?.get(segment) ?? segmentLines(segment, { width, unfolded, theme: this.#theme })
      lines.set(segment, own)
      if (own.length > 0 && isApart(segments[at - 1], segment)) all.push('')
      for (const line of own) all.push(line)
    })
    this.#drawn = { width, unfolded, lines }
    return all
  }

  invalidate(): void {
    this.#drawn = undefined
  }
}

interface Drawn {
  readonly width: number
  readonly unfolded: boolean
  readonly lines: ReadonlyMap<Segment, readonly string[]>
}

/** Tool calls stand close together. */
function isApart(before: Segment | undefined, segment: Segment): boolean {
  return before !== undefined && !(before.kind === 'tool' && segment.kind === 'tool')
}
