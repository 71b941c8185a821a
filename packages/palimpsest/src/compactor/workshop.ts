import type { Dialect } from '../dialects/dialect.ts'
import { compactResults } from '../engine/manifest/compact-results.ts'
import { type Preset, withoutArtifacts } from '../engine/presets/preset.ts'
import { DEFAULT_PRESET } from '../engine/presets/presets.ts'
import { modelFamily } from '../engine/tokens/model-family.ts'
import { BoundedMap } from '../stores/bounded-map.ts'
import { memoryStores } from '../stores/memory-stores.ts'
import type { Stores } from '../stores/ports.ts'
import { withTimeout } from '../stores/with-timeout.ts'
import { extractiveSummarizerOf } from '../summarizers/extractive-writer.ts'
import type { Summarizer } from '../summarizers/summarizer.ts'
import type { Meters } from './branch.ts'
import type { CompactorOptions, PrepareOptions } from './compactor.ts'
import { dialectMeter } from './dialect-meter.ts'
import { type EventDraft, EventSource } from './event-source.ts'
import { KnownLimits } from './known-limits.ts'
import { OverheadMemory } from './overhead-memory.ts'

const REQUESTS = 10_000
const DEFAULT_NAME = 'default'
/** Names that are remembered: behind a proxy clients name what they like. */
const UNKNOWN_MODELS = 1_000

/** What all calls of one compactor share. */
export class Workshop<Request> {
  readonly options: CompactorOptions<Request>
  readonly dialect: Dialect<unknown, object>
  readonly preset: Preset
  readonly stores: Stores
  readonly extractive: Summarizer = extractiveSummarizerOf()
  readonly summarizer: Summarizer
  /** Are evicted messages kept? Not in a memory that nobody can read. */
  readonly keepHistory: boolean
  /** What of an item may be kept beyond this process; undefined: all of it. */
  readonly keptForm: ((item: object) => object) | undefined
  readonly overheads = new OverheadMemory()
  readonly limits: KnownLimits
  readonly #events: EventSource
  readonly #requested = new Set<string>()
  readonly #meters = new Map<string, Meters>()
  readonly #unknownModels = new BoundedMap<true>(UNKNOWN_MODELS)

  constructor(options: CompactorOptions<Request>) {
    this.options = options
    // the wire format is one for all: only the caller knows its requests by type
    this.dialect = options.dialect as unknown as Dialect<unknown, object>
    const preset = options.preset ?? DEFAULT_PRESET
    const isCompact = options.toolResults === 'compact'
    this.preset = isCompact ? withoutArtifacts(preset) : preset
    this.keptForm = isCompact ? (item) => compactResults(this.dialect, item) : undefined
    this.stores = options.stores === undefined ? memoryStores() : withTimeout(options.stores)
    this.summarizer = options.summarizer ?? this.extractive
    this.keepHistory = options.stores !== undefined || options.reader !== undefined
    this.#events = new EventSource(options.onEvent)
    this.limits = new KnownLimits(this.stores.limits, this.now)
  }

  readonly now = (): number => (this.options.now ?? Date.now)()

  /** Sends the events of one thing that happens to a call for this model. */
  emitterOf(session: string, model: string, { upstream }: PrepareOptions): (event: EventDraft) => void {
    return this.#events.of(session, { model, upstream: upstream ?? this.options.upstream })
  }

  namespaceOf({ namespace }: PrepareOptions): string {
    return namespace ?? this.options.namespace ?? DEFAULT_NAME
  }

  upstreamOf({ upstream }: PrepareOptions): string {
    return upstream ?? this.options.upstream ?? DEFAULT_NAME
  }

  metersOf(model: string): Meters {
    const family = modelFamily(model)
    const known = this.#meters.get(family)
    if (known !== undefined) return known
    const meters = {
      mean: dialectMeter(this.dialect, model, 'mean'),
      upper: dialectMeter(this.dialect, model, 'upper'),
    }
    this.#meters.set(family, meters)
    return meters
  }

  /** The model of this session asked for a compaction. Of very many that never call again the oldest are forgotten. */
  requestCompaction(namespace: string, session: string): void {
    this.#requested.add(JSON.stringify([namespace, session]))
    const [oldest] = this.#requested
    if (this.#requested.size > REQUESTS && oldest !== undefined) this.#requested.delete(oldest)
  }

  /** Did it? Told once. */
  takeRequested(namespace: string, session: string): boolean {
    return this.#requested.delete(JSON.stringify([namespace, session]))
  }

  /** True the first time that a model turns out to be unknown. */
  isNewlyUnknown(model: string): boolean {
    const isKnown = this.#unknownModels.get(model) === true
    this.#unknownModels.set(model, true)
    return !isKnown
  }
}
