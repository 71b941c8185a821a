import type { Compactor, CompactorOptions, Prepared, PrepareOptions } from '../../compactor/compactor.ts'
import { createCompactor } from '../../compactor/create-compactor.ts'
import type { AiSdkCallOptions } from '../../dialects/ai-sdk/index.ts'
import type { Preset } from '../../engine/presets/preset.ts'
import { DEFAULT_PRESET } from '../../engine/presets/presets.ts'
import { resolveProfile } from '../../engine/tokens/profiles.ts'
import { BoundedMap } from '../../stores/bounded-map.ts'
import { extractiveSummarizerOf } from '../../summarizers/extractive-writer.ts'
import type { Summarizer } from '../../summarizers/summarizer.ts'
import type { AskingConversation } from './answering-calls.ts'
import { askedCompaction } from './asked-compaction.ts'
import type { LanguageModel } from './language-model.ts'
import { type ModelCall, modelCalls } from './model-call.ts'
import { type OwnOptions, takeOwnOptions } from './own-options.ts'
import type { PalimpsestOptions } from './palimpsest-options.ts'
import { aiSdkSummarizer } from './run-summarizer.ts'

/** A call, ready to be sent. */
export interface PreparedCall {
  readonly prepared: Prepared<ModelCall>
  readonly namespace: string
}

/** Compactions that the model asked for and got: the SDK may make the same call again. */
const REMEMBERED = 1_000

/** Prepares the calls of one middleware, whatever their model. */
export class CallPreparation {
  /** Whose conversations these are where a call does not say. */
  readonly namespace: string
  readonly #options: PalimpsestOptions
  readonly #tools: 'with-tools' | 'without-tools'
  readonly #compactor: Compactor<ModelCall>
  readonly #granted = new BoundedMap<true>(REMEMBERED)

  constructor(options: PalimpsestOptions, tools: 'with-tools' | 'without-tools' = 'without-tools') {
    this.#options = options
    this.#tools = tools
    this.namespace = options.namespace ?? 'default'
    this.#compactor = createCompactor(compactorOptions(options))
  }

  /** The call as it should go out now. @throws ContextOverflowError where it cannot be made to fit. */
  async prepare(model: LanguageModel, params: AiSdkCallOptions, way: 'generate' | 'stream'): Promise<PreparedCall> {
    const { own, rest } = takeOwnOptions(params)
    const wholeHistory = own.wholeHistory ?? this.#options.wholeHistory ?? false
    const impliedCap = this.#impliedCap(model)
    const call = {
      modelId: model.modelId,
      options: rest,
      wholeHistory,
      ...(impliedCap !== undefined && { impliedCap }),
    }
    const namespace = own.namespace ?? this.namespace
    const how = { ...this.#how(own, rest), namespace, summarizer: this.#summarizer(model, rest, way) }
    const upstream = this.#options.upstream ?? model.provider
    return { prepared: await this.#prepared(call, { ...how, upstream }), namespace }
  }

  /** The conversation of an attempt, as it stands. */
  conversationOf(namespace: string, { session, size, window, own }: Prepared<ModelCall>): AskingConversation {
    const { preset = DEFAULT_PRESET } = this.#options
    return { namespace, session, own, mayCompact: size.tokens >= earliestWish(preset, window) }
  }

  #how(own: OwnOptions, options: AiSdkCallOptions): PrepareOptions {
    const session = own.session ?? this.#options.session
    const { abortSignal } = options as { readonly abortSignal?: AbortSignal }
    // a prompt without an answer in it is no history: there the provider is asked first
    const isFirst = !options.prompt.some((message) => message.role === 'assistant')
    return {
      ...(session !== undefined && { session }),
      ...(abortSignal !== undefined && { signal: abortSignal }),
      ...(isFirst && { effort: 'recovery' }),
    }
  }

  async #prepared(call: ModelCall, how: PrepareOptions): Promise<Prepared<ModelCall>> {
    const prepared = await this.#compactor.prepare(call, how)
    const asked = this.#tools === 'with-tools' ? askedCompaction(call.options.prompt) : undefined
    if (asked === undefined) return prepared
    const wish = JSON.stringify([how.namespace, prepared.session, asked])
    const isGranted = prepared.compacted || this.#granted.get(wish) === true
    this.#granted.set(wish, true)
    return isGranted ? prepared : this.#compactor.compactNow(call, 'tool', how)
  }

  /** Providers of Anthropic's models ask for all that the model can write, unless they are told. */
  #impliedCap({ provider, modelId }: LanguageModel): number | undefined {
    return provider.includes('anthropic') ? resolveProfile(modelId, this.#options.profiles).maxOutput : undefined
  }

  #summarizer(model: LanguageModel, like: AiSdkCallOptions, way: 'generate' | 'stream'): Summarizer {
    const { summarizer = 'model', preset = DEFAULT_PRESET, window, profiles } = this.#options
    if (typeof summarizer === 'function') return summarizer
    if (summarizer === 'extractive') return extractiveSummarizerOf()
    const fallback = preset.summaryFallback ?? 'extractive'
    const known = { fallback, ...(profiles !== undefined && { profiles }) }
    // what belongs to the run's own provider stays with it
    if (summarizer !== 'model') return aiSdkSummarizer({ ...known, model: summarizer.model })
    return aiSdkSummarizer({ ...known, model, like, way, ...(window !== undefined && { window }) })
  }
}

/** The size in tokens from which on a model may ask for a compaction. One preset refuses it below half of its trigger. */
function earliestWish({ name, trigger, triggerWithoutWindow }: Preset, window: number | undefined): number {
  if (name !== 'deepagents') return 0
  const starts = 'tokens' in trigger ? trigger.tokens : window && window * trigger.fraction
  return (starts ?? triggerWithoutWindow) / 2
}

function compactorOptions(options: PalimpsestOptions): CompactorOptions<ModelCall> {
  const { summarizer: _, session: __, wholeHistory: ___, countTokens, ...shared } = options
  return {
    ...shared,
    dialect: modelCalls,
    ...(countTokens !== undefined && { countTokens: ({ options: one }, call) => countTokens(one, call) }),
  }
}
