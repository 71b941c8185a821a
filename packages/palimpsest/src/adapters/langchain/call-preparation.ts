import type { Compactor, Prepared, PrepareOptions } from '../../compactor/compactor.ts'
import { createCompactor } from '../../compactor/create-compactor.ts'
import { fieldsOf, stringOf } from '../../dialects/json-fields.ts'
import {
  type LangChainMessage,
  type LangChainRequest,
  langChainDialect,
  summaryLike,
} from '../../dialects/langchain/index.ts'
import { DEFAULT_PRESET } from '../../engine/presets/presets.ts'
import { BoundedMap } from '../../stores/bounded-map.ts'
import { extractiveSummarizerOf } from '../../summarizers/extractive-writer.ts'
import type { Summarizer } from '../../summarizers/summarizer.ts'
import type { AgentRequest } from './agent-middleware.ts'
import { askedCompaction } from './asked-compaction.ts'
import type { PalimpsestOptions, SummarizerModel } from './palimpsest-options.ts'
import { chatModelSummarizer } from './run-summarizer.ts'

/** Compactions that the model asked for and got: a middleware around this one may make the same call again. */
const REMEMBERED = 1_000

/** Prepares the model calls of one middleware, whatever their model and agent. */
export class CallPreparation {
  readonly namespace: string
  readonly #options: PalimpsestOptions
  readonly #compactor: Compactor<LangChainRequest>
  readonly #granted = new BoundedMap<true>(REMEMBERED)
  /** A human message that was seen: summaries are of its class, though their view may hold none. */
  #human: LangChainMessage | undefined

  constructor(options: PalimpsestOptions) {
    this.#options = options
    this.namespace = options.namespace ?? 'default'
    const { name: _, session: __, summarizer: ___, tools: ____, ...shared } = options
    const humanMessage = (text: string, others: readonly LangChainMessage[]) =>
      summaryLike(text, this.#human === undefined ? others : [this.#human])
    // prompt caching is the business of other middleware, which comes later and counts its own marks alone
    this.#compactor = createCompactor({ cache: 'off', ...shared, dialect: langChainDialect({ humanMessage }) })
  }

  /** The call as it should go out now. @throws ContextOverflowError where it cannot be made to fit. */
  async prepare(request: AgentRequest): Promise<Prepared<LangChainRequest>> {
    this.#human ??= request.messages.find((message) => fieldsOf(message).type === 'human')
    const how = this.#how(request)
    const prepared = await this.#compactor.prepare(request, how)
    const asked = this.#options.tools === true ? askedCompaction(request.messages) : undefined
    if (asked === undefined) return prepared
    const wish = JSON.stringify([prepared.session, asked])
    const isGranted = prepared.compacted || this.#granted.get(wish) === true
    this.#granted.set(wish, true)
    return isGranted ? prepared : this.#compactor.compactNow(request, 'tool', how)
  }

  #sessionOf(request: AgentRequest): string | undefined {
    const { session } = this.#options
    if (typeof session === 'function') return session(request)
    return this.sessionOfRun(stringOf(request.runtime?.configurable?.thread_id))
  }

  /** The conversation of a run of this thread, where that alone tells it. */
  sessionOfRun(threadId: string | undefined): string | undefined {
    const { session } = this.#options
    return typeof session === 'function' ? undefined : (session ?? threadId)
  }

  #how(request: AgentRequest): PrepareOptions {
    const session = this.#sessionOf(request)
    const { signal } = request.runtime ?? {}
    // messages without an answer among them are no history: there the provider is asked first
    const isFirst = !request.messages.some((message) => fieldsOf(message).type === 'ai')
    return {
      upstream: this.#options.upstream ?? serverOf(request.model),
      summarizer: this.#summarizer(request.model),
      ...(session !== undefined && { session }),
      ...(signal !== undefined && { signal }),
      ...(isFirst && { effort: 'recovery' }),
    }
  }

  #summarizer(model: unknown): Summarizer {
    const { summarizer = 'model', preset = DEFAULT_PRESET, window, profiles } = this.#options
    if (typeof summarizer === 'function') return summarizer
    const known = { fallback: preset.summaryFallback ?? 'extractive', ...(profiles !== undefined && { profiles }) }
    if (typeof summarizer === 'object') return chatModelSummarizer({ ...known, model: summarizer.model })
    if (summarizer === 'extractive' || !isChatModel(model)) return extractiveSummarizerOf()
    return chatModelSummarizer({ ...known, model, ...(window !== undefined && { window }) })
  }
}

function isChatModel(model: unknown): model is SummarizerModel {
  return typeof fieldsOf(model).invoke === 'function'
}

/** The server that a model is asked at, for limits that it states: two servers may serve different models of one name. */
function serverOf(model: unknown): string {
  const { _llmType: tell, clientConfig, apiUrl } = fieldsOf(model)
  const kind = typeof tell === 'function' ? String(tell.call(model)) : 'default'
  const address = stringOf(fieldsOf(clientConfig).baseURL) ?? stringOf(apiUrl)
  return address === undefined || !URL.canParse(address) ? kind : `${kind} ${new URL(address).host}`
}
