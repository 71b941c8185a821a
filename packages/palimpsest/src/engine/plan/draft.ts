import type { Offload, Plan, PlanSummary, PositionRange } from './plan.ts'

/** What a summariser is asked for. */
export interface SummaryRequest {
  /** The positions that the summary stands for, earlier summaries' ranges included. */
  readonly ranges: readonly PositionRange[]
  /** Tokens that the summary's own text may take. */
  readonly budget: number
  /** Texts of the summaries that this one replaces, oldest first. */
  readonly previous: readonly string[]
  /** System messages that leave with the ranges: the engine puts them into the summary verbatim. */
  readonly standing?: readonly string[]
  /** The last user message, when it leaves with the ranges: kept verbatim beside the summary, not to be repeated. */
  readonly lastUserMessage?: string
  /** What a person asked the summary to dwell on. */
  readonly focus?: string
}

/** What a store is asked to keep before a pointer to it is shown. */
export interface StoreRequest {
  readonly position: number
  readonly part: number
  /** UTF-8 bytes of the original. */
  readonly bytes: number
}

/** A summary, or the request for one at its place. */
export type DraftSummary = PlanSummary | { readonly insert_after: number; readonly summary_request: SummaryRequest }
/** An offload, or the request to store what it will point to. */
export type DraftOffload =
  | Offload
  | {
      readonly message_index: number
      readonly part: number
      readonly threshold: number
      readonly store_request: StoreRequest
    }

/** A plan with holes, as a strategy makes it: where an effect is needed stands what is asked for. */
export interface Draft extends Omit<Plan, 'summaries' | 'offloads'> {
  readonly summaries?: readonly DraftSummary[]
  readonly offloads?: readonly DraftOffload[]
}

/** What came of the requests, in the order of `requestsOf`. `undefined` for a store that failed: the result stays as it was. */
export type EffectResults = {
  readonly summaries: readonly string[]
  readonly artifactKeys: readonly (string | undefined)[]
}

/**
 * The requests of a draft, summaries and stores each in the order in which they stand.
 *
 * @example
 * requestsOf(draft).summaries.map(({ ranges, budget }) => `${ranges.length} ranges in ${budget} tokens`)
 */
export function requestsOf(draft: Draft): {
  readonly summaries: readonly SummaryRequest[]
  readonly stores: readonly StoreRequest[]
} {
  return {
    summaries: (draft.summaries ?? []).flatMap((summary) =>
      'summary_request' in summary ? [summary.summary_request] : [],
    ),
    stores: (draft.offloads ?? []).flatMap((offload) => ('store_request' in offload ? [offload.store_request] : [])),
  }
}

/**
 * The plan that the draft becomes. Results fill the holes in order; an offload whose store failed is left out.
 * @throws RangeError when there are not as many results as requests.
 *
 * @example
 * const summaries = requestsOf(draft).summaries.map(() => 'Renamed the flag; the tests pass.')
 * fillDraft(draft, { summaries, artifactKeys: [] })
 */
export function fillDraft(draft: Draft, results: EffectResults): Plan {
  const contents = results.summaries.values()
  const keys = results.artifactKeys.values()
  const requests = requestsOf(draft)
  if (
    requests.summaries.length !== results.summaries.length ||
    requests.stores.length !== results.artifactKeys.length
  ) {
    throw new RangeError('A draft is filled with exactly one result for each of its requests.')
  }
  const summaries = (draft.summaries ?? []).map((summary) =>
    'summary_request' in summary
      ? { insert_after: summary.insert_after, content: contents.next().value ?? '' }
      : summary,
  )
  const offloads = (draft.offloads ?? []).flatMap((offload): Offload[] => {
    if (!('store_request' in offload)) return [offload]
    const key = keys.next().value
    if (key === undefined) return []
    const { message_index, part, threshold } = offload
    return [{ message_index, part, artifact_key: key, threshold }]
  })
  const { summaries: _summaries, offloads: _offloads, ...rest } = draft
  return { ...rest, ...(summaries.length > 0 && { summaries }), ...(offloads.length > 0 && { offloads }) }
}
