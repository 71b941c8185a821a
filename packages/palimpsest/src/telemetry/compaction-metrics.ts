import type { Attributes, Meter } from '@opentelemetry/api'
import { modelAsked } from './compaction-spans.ts'
import { type Heard, type HeardEvent, reasonOf } from './heard-event.ts'
import { ATTRIBUTES, METRICS, type MetricDefinition, OPERATIONS, PURPOSES } from './names.ts'

type Instrument = (value: number, attributes?: Attributes) => void
type Instruments = Readonly<Record<keyof typeof METRICS, Instrument>>

/** The metrics of one meter. */
export class CompactionMetrics {
  readonly #instruments: Instruments
  readonly #providerOf: (event: HeardEvent) => string | undefined

  constructor(meter: Meter, providerOf: (event: HeardEvent) => string | undefined) {
    const made = Object.entries(METRICS).map(([key, definition]) => [key, instrument(meter, definition)])
    this.#instruments = Object.fromEntries(made) as Instruments
    this.#providerOf = providerOf
  }

  take(event: HeardEvent): void {
    const { failedCompactions, overflowRetries, storeFailures } = this.#instruments
    switch (event.type) {
      case 'compaction-applied':
        this.#applied(event)
        return
      case 'store-failed':
        storeFailures(1)
        return
      case 'compaction-failed':
        failedCompactions(1, { [ATTRIBUTES.reason]: event.reason })
        return
      case 'overflow-detected':
        if (event.remedy !== 'none') overflowRetries(1, byModel(event.model))
        return
      case 'summarizer-called':
        this.#summary(event)
        return
      case 'usage-observed':
        this.#usage(event)
    }
  }

  #applied(event: Heard<'compaction-applied'>): void {
    const { compactions, compactionRatio, evictedMessages, truncatedArguments } = this.#instruments
    const because = { [ATTRIBUTES.reason]: reasonOf(event) }
    compactions(1, because)
    if (event.tokensBefore > 0) compactionRatio(event.tokensAfter / event.tokensBefore, because)
    evictedMessages(Math.max(0, event.evicted))
    if (event.truncatedArguments > 0) truncatedArguments(event.truncatedArguments)
  }

  #usage(event: Heard<'usage-observed'>): void {
    const { inputTokens, cacheReadRatio, window } = this.#instruments
    const { usage, model } = event
    this.#tokens(event, { ...usage, model, purpose: PURPOSES.main })
    if (event.window !== undefined) window(event.window, byModel(model))
    if (usage.input <= 0) return
    inputTokens(usage.input, byModel(model))
    cacheReadRatio(Math.min(1, usage.cacheRead / usage.input), byModel(model))
  }

  #summary(event: Heard<'summarizer-called'>): void {
    const { input, output } = event.usage
    const model = modelAsked(event)
    if (model === undefined || input + output === 0) return
    this.#tokens(event, { input, output, model, purpose: PURPOSES.summarize })
  }

  #tokens(event: HeardEvent, { input, output, model, purpose }: CountedTokens): void {
    const provider = this.#providerOf(event)
    const attributes = {
      [ATTRIBUTES.operation]: OPERATIONS.chat,
      [ATTRIBUTES.purpose]: purpose,
      ...byModel(model),
      ...(provider !== undefined && { [ATTRIBUTES.provider]: provider }),
    }
    this.#instruments.tokenUsage(input, { ...attributes, [ATTRIBUTES.tokenType]: 'input' })
    this.#instruments.tokenUsage(output, { ...attributes, [ATTRIBUTES.tokenType]: 'output' })
  }
}

interface CountedTokens {
  readonly input: number
  readonly output: number
  readonly model: string | undefined
  readonly purpose: string
}

function byModel(model: string | undefined): Attributes {
  return model === undefined || model === '' ? {} : { [ATTRIBUTES.requestModel]: model }
}

function instrument(meter: Meter, { name, kind, unit, description, buckets }: MetricDefinition): Instrument {
  switch (kind) {
    case 'counter': {
      const counter = meter.createCounter(name, { unit, description })
      return (value, attributes) => counter.add(value, attributes)
    }
    case 'gauge': {
      const gauge = meter.createGauge(name, { unit, description })
      return (value, attributes) => gauge.record(value, attributes)
    }
    case 'histogram': {
      const advice = buckets === undefined ? {} : { advice: { explicitBucketBoundaries: [...buckets] } }
      const histogram = meter.createHistogram(name, { unit, description, ...advice })
      return (value, attributes) => histogram.record(value, attributes)
    }
  }
}
