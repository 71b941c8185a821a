import {
  type Compactor,
  type CompactorEvent,
  type CompactorOptions,
  createCompactor,
  extractiveSummarizerOf,
  type ProfileOverrides,
  type Summarizer,
} from 'palimpsest'
import { aiSdkSummarizer, type ModelCall, modelCalls, type SummaryModel } from 'palimpsest/ai-sdk'
import type { AgentModel } from '../models/agent-model.ts'

/** What compactors of one agent share, whatever the model. */
export interface ModelInUseSetup
  extends Required<Pick<CompactorOptions, 'preset' | 'stores' | 'namespace' | 'toolResults'>> {
  readonly model: AgentModel
  /** Writes summaries; `own`: the model that is in use. */
  readonly summarizer: AgentModel | 'extractive' | 'own'
  /** The window that the user named, whatever the model. */
  readonly window: number | undefined
  readonly profiles: ProfileOverrides
  readonly onEvent: (event: CompactorEvent) => void
}

/** The model that an agent calls, with the compactor that keeps its calls in the window. */
export class ModelInUse {
  readonly #setup: ModelInUseSetup
  #model: AgentModel
  #compactor: Compactor<ModelCall>

  constructor(setup: ModelInUseSetup) {
    this.#setup = setup
    this.#model = setup.model
    this.#compactor = this.compactorOf(setup.model)
  }

  get model(): AgentModel {
    return this.#model
  }

  get compactor(): Compactor<ModelCall> {
    return this.#compactor
  }

  /** What sizes are judged by. */
  get limits(): Pick<CompactorOptions, 'window' | 'profiles'> {
    return this.#limitsOf(this.#model)
  }

  use(model: AgentModel, compactor = this.compactorOf(model)): void {
    this.#model = model
    this.#compactor = compactor
  }

  /** A compactor for calls of this model; summaries are written by the model in use, or by the one that always does. */
  compactorOf(model: AgentModel): Compactor<ModelCall> {
    const { preset, stores, namespace, toolResults, onEvent } = this.#setup
    return createCompactor({
      dialect: modelCalls,
      preset,
      stores,
      namespace,
      toolResults,
      onEvent,
      ...this.#limitsOf(model),
      upstream: model.upstream,
      summarizer: (input, call) => this.summarizer()(input, call),
      reader: READER,
      // the prompt-cache slot puts the marks: it knows which system blocks stay
      cache: 'off',
    })
  }

  /** Who writes summaries, as the session names it. */
  get summarizerName(): string {
    const { summarizer } = this.#setup
    if (summarizer === 'extractive') return summarizer
    return summarizer === 'own' ? this.#model.name : summarizer.name
  }

  /** Writes summaries now; `watch` sees them grow. */
  summarizer(watch?: SummaryModel['watch']): Summarizer {
    const { summarizer, preset } = this.#setup
    if (summarizer === 'extractive') return extractiveSummarizerOf()
    const model = summarizer === 'own' ? this.#model : summarizer
    return aiSdkSummarizer({
      model: model.language,
      like: { prompt: [], ...model.settings },
      way: 'stream',
      fallback: preset.summaryFallback ?? 'extractive',
      ...this.#limitsOf(model),
      ...(watch !== undefined && { watch }),
    })
  }

  #limitsOf({ id, window }: AgentModel): { readonly profiles: ProfileOverrides; readonly window?: number } {
    const { profiles, window: named } = this.#setup
    // a simulated model is in no table
    const known =
      window === undefined || profiles[id]?.window !== undefined ? profiles : withWindow(profiles, id, window)
    return { profiles: known, ...(named !== undefined && { window: named }) }
  }
}

/** Summaries and cut results point to this tool; what any of them answers is not stored again. */
const READER = { tool: 'read_file', also: ['read_history', 'search_history'] } as const

function withWindow(profiles: ProfileOverrides, id: string, window: number): ProfileOverrides {
  return { ...profiles, [id]: { caching: true, ...profiles[id], window } }
}
