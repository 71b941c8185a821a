import type { CompactorEvent } from 'palimpsest'

/**
 * What is counted, in the words of `/metrics`: kind, help, and whether it has labels. Label values are of small, fixed sets: never of what a
 * client sent.
 */
const SERIES = {
  palimpsest_proxy_requests_total: ['counter', 'Requests by wire format and outcome.', 'labelled'],
  palimpsest_proxy_request_body_bytes_total: [
    'counter',
    'Bytes of the bodies of model calls, as they came in.',
    'labelled',
  ],
  palimpsest_proxy_upstream_calls_total: ['counter', 'Requests sent to upstreams, by purpose.', 'labelled'],
  palimpsest_proxy_streams_in_flight: ['gauge', 'Streamed answers that are open.', 'plain'],
  palimpsest_compactions_total: ['counter', 'Compactions applied, by reason.', 'labelled'],
  palimpsest_compactions_unapplied_total: ['counter', 'Compactions that failed or were cancelled, by end.', 'labelled'],
  palimpsest_compaction_tokens_before_total: ['counter', 'Tokens of requests before their compactions.', 'plain'],
  palimpsest_compaction_tokens_after_total: ['counter', 'Tokens of the same requests after them.', 'plain'],
  palimpsest_evicted_messages_total: ['counter', 'Messages that left the view in compactions.', 'plain'],
  palimpsest_overflows_total: ['counter', 'Answers of upstreams that meant that the input did not fit.', 'plain'],
  palimpsest_overflow_retries_total: ['counter', 'Requests sent again, smaller, after an overflow.', 'plain'],
  palimpsest_summarizer_tokens_total: ['counter', 'Tokens of calls for summaries, by direction.', 'labelled'],
  palimpsest_store_failures_total: ['counter', 'Calls of the stores that failed.', 'plain'],
  palimpsest_unprepared_calls_total: [
    'counter',
    'Calls that went on as they came because something failed, by kind.',
    'labelled',
  ],
} as const

export type SeriesName = keyof typeof SERIES
type Labels = Readonly<Record<string, string>>

/** Counters of one proxy, for Prometheus. */
export class Metrics {
  readonly #values = new Map<SeriesName, Map<string, number>>()

  add(name: SeriesName, labels: Labels = {}, by = 1): void {
    const series = this.#values.get(name) ?? new Map<string, number>()
    const key = labelText(labels)
    series.set(key, (series.get(key) ?? 0) + by)
    this.#values.set(name, series)
  }

  /** Counts what an event of a compactor tells. */
  observe(event: CompactorEvent): void {
    if (event.type === 'compaction-applied') this.#applied(event)
    if (event.type === 'compaction-failed') this.add('palimpsest_compactions_unapplied_total', { end: 'failed' })
    if (event.type === 'compaction-cancelled') this.add('palimpsest_compactions_unapplied_total', { end: 'cancelled' })
    if (event.type === 'overflow-detected') this.add('palimpsest_overflows_total')
    if (event.type === 'store-failed') this.add('palimpsest_store_failures_total')
    if (event.type === 'summarizer-called') {
      this.add('palimpsest_summarizer_tokens_total', { direction: 'input' }, event.usage.input)
      this.add('palimpsest_summarizer_tokens_total', { direction: 'output' }, event.usage.output)
    }
  }

  #applied(event: Extract<CompactorEvent, { type: 'compaction-applied' }>): void {
    this.add('palimpsest_compactions_total', { reason: event.reason })
    this.add('palimpsest_compaction_tokens_before_total', {}, event.tokensBefore)
    this.add('palimpsest_compaction_tokens_after_total', {}, event.tokensAfter)
    this.add('palimpsest_evicted_messages_total', {}, event.evicted)
  }

  /** In the text format of Prometheus; every series, from the start. */
  text(): string {
    return (Object.keys(SERIES) as SeriesName[])
      .map((name) => {
        const [kind, help, labels] = SERIES[name]
        // a series with labels begins with its first value
        const values = this.#values.get(name) ?? new Map<string, number>(labels === 'plain' ? [['', 0]] : [])
        const lines = [...values].map(([key, value]) => `${name}${key} ${value}\n`)
        return `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${lines.join('')}`
      })
      .join('')
  }
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replace(/[\\"\n]/g, '\\$&')}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}
