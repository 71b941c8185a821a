import { createManifest } from '../engine/manifest/manifest.ts'
import type { Transcript } from '../engine/messages/transcript.ts'
import type { SummaryRequest } from '../engine/plan/draft.ts'
import { UNITS_PER_TOKEN } from '../engine/tokens/ledger.ts'
import { extractiveSummary } from '../summarizers/extractive.ts'

const NOTHING_TO_REPORT = 'Nothing to report.'

/** Answers summary requests from the transcript alone; the manifest is kept from one request to the next. */
export function extractiveSummarizer<Item extends object>(
  transcript: Transcript<Item>,
): (request: SummaryRequest) => string {
  const manifest = createManifest()
  return (request) => {
    for (let position = manifest.end; position < transcript.length; position++) {
      manifest.add(position, transcript.view(position))
    }
    // what a checkpoint carries of the user is told again: its summary goes with it
    const own = transcript.lastUserMessage
    const last = own === undefined || transcript.view(own).checkpoint === true ? undefined : own
    const upTo = request.ranges.at(-1)?.to ?? 0
    const summary = extractiveSummary({
      manifest,
      upTo,
      from: request.ranges[0]?.from ?? 0,
      budget: request.budget,
      estimate: (text) => transcript.ledger.meter.text(text) / UNITS_PER_TOKEN,
      ...(last !== undefined && { lastUserMessage: last }),
    })
    // a chunk may hold nothing but an orphan result: an empty summary would read as a failed one
    return summary === '' ? NOTHING_TO_REPORT : summary
  }
}
