import type { TranscriptSlice } from '../engine/manifest/transcript-slice.ts'
import type { Transcript } from '../engine/messages/transcript.ts'
import type { SummaryRequest } from '../engine/plan/draft.ts'
import { EMPTY_PLAN, type Plan, type PositionRange } from '../engine/plan/plan.ts'
import { positionSetOf } from '../engine/plan/position-set.ts'
import { ownWords } from '../engine/strategies/last-user-message.ts'
import { unwrapCheckpoint } from '../engine/summary/checkpoint-text.ts'
import { UNITS_PER_TOKEN } from '../engine/tokens/ledger.ts'
import { extractiveWriter } from '../summarizers/extractive-writer.ts'
import type { SummaryInput } from '../summarizers/summarizer.ts'

/** The messages of a transcript as summarisers read them: one list that grows with it, so that nothing is read twice. */
export class GrowingSlices {
  readonly #slices: TranscriptSlice[] = []

  of<Item extends object>(transcript: Transcript<Item>): readonly TranscriptSlice[] {
    for (let position = this.#slices.length; position < transcript.length; position++) {
      this.#slices.push({ position, view: transcript.view(position) })
    }
    return this.#slices
  }
}

/** What a summariser is given for this request. */
export function summaryInput<Item extends object>(
  transcript: Transcript<Item>,
  slices: GrowingSlices,
  request: SummaryRequest,
  current: Plan = EMPTY_PLAN,
): Omit<SummaryInput, 'mode'> {
  const last = transcript.lastUserMessage
  const told = request.previous.length === 0 ? [] : toldBy(current, transcript)
  return {
    slices: slices.of(transcript),
    request,
    estimate: (text) => transcript.ledger.meter.text(text) / UNITS_PER_TOKEN,
    ...(last !== undefined && { lastUserMessage: last }),
    ...(told.length > 0 && { told }),
  }
}

/** Positions that the summaries in force tell of: all that is dropped, but for a user message that stands beside them. */
function toldBy<Item extends object>(
  { drop, summaries }: Plan,
  transcript: Transcript<Item>,
): readonly PositionRange[] {
  const quoted = new Set((summaries ?? []).flatMap(({ content }) => unwrapCheckpoint(content)?.lastUserMessage ?? []))
  const beside = new Set(
    transcript.groups
      .filter((group) => group.ownWords && quoted.has(ownWords(group, transcript.ledger) ?? ''))
      .flatMap((group) => group.slices.map(({ position }) => position)),
  )
  const positions = (drop ?? []).flatMap(({ from, to }) =>
    Array.from({ length: to - from }, (_, index) => from + index),
  )
  return positionSetOf(positions.filter((position) => !beside.has(position)))
}

/** Answers summary requests from the transcript alone, at once; what was read of it is kept from one to the next. */
export function extractiveAnswers<Item extends object>(
  transcript: Transcript<Item>,
): (request: SummaryRequest) => string | undefined {
  const write = extractiveWriter()
  const slices = new GrowingSlices()
  return (request) => {
    const outcome = write({ ...summaryInput(transcript, slices, request), mode: 'automatic' })
    return outcome.status === 'written' ? outcome.text : undefined
  }
}
