import type { TranscriptSlice } from '../engine/manifest/transcript-slice.ts'
import type { Transcript } from '../engine/messages/transcript.ts'
import type { SummaryRequest } from '../engine/plan/draft.ts'
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
): Omit<SummaryInput, 'mode'> {
  const last = transcript.lastUserMessage
  return {
    slices: slices.of(transcript),
    request,
    estimate: (text) => transcript.ledger.meter.text(text) / UNITS_PER_TOKEN,
    ...(last !== undefined && { lastUserMessage: last }),
  }
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
