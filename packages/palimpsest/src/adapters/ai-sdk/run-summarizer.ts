import { type AiSdkCallOptions, aiSdk } from '../../dialects/ai-sdk/index.ts'
import { aiSdkTextCall } from '../../dialects/ai-sdk/text-call.ts'
import { fieldsOf, stringOr } from '../../dialects/json-fields.ts'
import type { Generate, Generated } from '../../engine/summary/text-generation.ts'
import { type ProfileOverrides, resolveProfile } from '../../engine/tokens/profiles.ts'
import { modelSummarizer } from '../../summarizers/model-summarizer.ts'
import type { Summarizer } from '../../summarizers/summarizer.ts'
import type { SummarizerModel } from './palimpsest-options.ts'

/** The model that writes summaries, and how it is asked. */
export interface SummaryModel {
  readonly model: SummarizerModel
  /** The call that the summary is made for; of it headers and storage settings are taken, nothing else. */
  readonly like?: AiSdkCallOptions
  /** As the run itself calls the model: some models can only stream. Default `generate`; a summary that is watched is streamed. */
  readonly way?: 'generate' | 'stream'
  /** Sees a summary while it is written. */
  readonly watch?: SummaryWatcher
  readonly fallback: 'extractive' | 'none'
  /** Tokens that the model takes at once, where its profile does not say. */
  readonly window?: number
  readonly profiles?: ProfileOverrides
}

/** What it throws is passed over; it hears nothing more of a call that was given up. */
export interface SummaryWatcher {
  /** A call begins: the first one, one more after an answer that was refused, or for the next chunk. What came before is void. */
  started(): void
  /** The next piece of the summary. */
  text(delta: string): void
}

/**
 * Summaries by a language model of the AI SDK: single calls without tools, thinking settings or server-side edits.
 *
 * @example
 * const summarizer = aiSdkSummarizer({
 *   model: anthropic('claude-haiku-4-5'),
 *   fallback: 'extractive',
 *   watch: { started: () => screen.clear(), text: (delta) => screen.write(delta) },
 * })
 * const compacted = await compactor.compactNow(call, 'manual', { summarizer, focus: 'the failing test' })
 */
export function aiSdkSummarizer({ model, fallback, window, profiles, ...how }: SummaryModel): Summarizer {
  return modelSummarizer({
    generate: generateWith(model, how),
    model: model.modelId,
    window: () => window ?? resolveProfile(model.modelId, profiles).window,
    fallback,
    isOverflow: (error) => aiSdk.overflow(error, { size: 0, window: Number.POSITIVE_INFINITY }) !== undefined,
  })
}

function generateWith(
  model: SummarizerModel,
  { like, way, watch }: Pick<SummaryModel, 'like' | 'way' | 'watch'>,
): Generate {
  return async (prompt, { signal }) => {
    const request = aiSdkTextCall.request(prompt, like ?? []) as AiSdkCallOptions
    const options = { ...request, ...(signal !== undefined && { abortSignal: signal }) }
    if (way !== 'stream' && watch === undefined) return aiSdkTextCall.read(await model.doGenerate(options))
    const tell = (event: (watcher: SummaryWatcher) => void) => {
      if (watch !== undefined && signal?.aborted !== true) ignoringFaults(() => event(watch))
    }
    tell((watcher) => watcher.started())
    const { stream } = await model.doStream(options)
    return readStreamed(stream, (delta) => tell((watcher) => watcher.text(delta)))
  }
}

/** The whole answer of a stream. @throws what the stream holds as an error. */
async function readStreamed(stream: ReadableStream<unknown>, onText: (delta: string) => void): Promise<Generated> {
  const content: object[] = []
  let text = ''
  let finish = {}
  for await (const part of stream) {
    const { type, delta, error } = fieldsOf(part)
    if (type === 'error') throw error
    if (type === 'text-delta') {
      text += stringOr(delta, '')
      onText(stringOr(delta, ''))
    }
    if (type === 'reasoning-start') content.push({ type: 'reasoning', text: '' })
    if (type === 'tool-call') content.push(part as object)
    if (type === 'finish') finish = part as object
  }
  return aiSdkTextCall.read({ ...finish, content: [...content, { type: 'text', text }] })
}

/** A watcher's own fault is not the summary's. */
function ignoringFaults(tell: () => void): void {
  try {
    tell()
  } catch {}
}
