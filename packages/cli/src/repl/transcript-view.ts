import type { Component } from '@mariozechner/pi-tui'
import { formatCount } from '../format-number.ts'
import type { ReplScreen, Segment } from './repl-screen.ts'
import type { ReplTheme } from './repl-theme.ts'
import { fitted, segmentLines } from './segment-lines.ts'

type Shown = Pick<ReplScreen, 'segments' | 'unfolded'>

/**
 * Draws what was said and done. What did not change is not drawn again, and of a very long conversation the newest part alone
 * is: each picture costs what it draws.
 */
export class TranscriptView implements Component {
  screen: Shown
  readonly #theme: ReplTheme
  #drawn: Drawn | undefined

  constructor(screen: Shown, theme: ReplTheme) {
    this.screen = screen
    this.#theme = theme
  }

  render(width: number): string[] {
    const { segments, unfolded } = this.screen
    const before = this.#drawn
    const isLike = before !== undefined && before.width === width && before.unfolded === unfolded
    // another conversation begins at its first piece
    const goesOn = isLike && segments[before.from] === before.segments[0]
    let drawn = goesOn ? before : nothingDrawn({ width, unfolded, from: 0 })
    this.#draw(drawn, segments)
    if (drawn.lines.length > MOST_LINES) {
      drawn = nothingDrawn({ width, unfolded, from: firstToKeep(drawn) })
      this.#draw(drawn, segments)
    }
    this.#drawn = drawn
    return drawn.from === 0 ? drawn.lines : [this.#above(drawn), ...drawn.lines]
  }

  invalidate(): void {
    this.#drawn = undefined
  }

  /** Draws from the first segment on that is another one. */
  #draw(drawn: Drawn, segments: readonly Segment[]): void {
    const { width, unfolded, from } = drawn
    let at = from
    while (at < segments.length && drawn.segments[at - from] === segments[at]) at += 1
    drawn.ends.length = at - from
    drawn.lines.length = drawn.ends.at(-1) ?? 0
    for (const [n, segment] of segments.slice(at).entries()) {
      const own = segmentLines(segment, { width, unfolded, theme: this.#theme })
      if (own.length > 0 && isApart(segments[at + n - 1], segment)) drawn.lines.push('')
      for (const line of own) drawn.lines.push(line)
      drawn.ends.push(drawn.lines.length)
    }
    drawn.segments = segments.slice(from)
  }

  #above({ from, width }: Drawn): string {
    return this.#theme.paint.dim(fitted(`… ${formatCount(from)} earlier pieces: palimpsest sessions show`, width))
  }
}

/** Lines that are drawn at most, and those that are left when there are more: so it seldom happens. */
export const MOST_LINES = 12_000
const KEPT_LINES = 6_000

interface Drawn {
  readonly width: number
  readonly unfolded: boolean
  /** The first segment that is drawn. */
  readonly from: number
  /** Segments as drawn, from there on, and how many lines there are behind each. */
  segments: readonly Segment[]
  readonly ends: number[]
  readonly lines: string[]
}

function nothingDrawn(place: Pick<Drawn, 'width' | 'unfolded' | 'from'>): Drawn {
  return { ...place, segments: [], ends: [], lines: [] }
}

function firstToKeep({ from, ends, lines }: Drawn): number {
  const at = ends.findIndex((end) => lines.length - end <= KEPT_LINES)
  // the newest piece stays, however long it is
  return from + Math.min(at + 1, ends.length - 1)
}

/** Tool calls stand close together. */
function isApart(before: Segment | undefined, segment: Segment): boolean {
  return before !== undefined && !(before.kind === 'tool' && segment.kind === 'tool')
}
