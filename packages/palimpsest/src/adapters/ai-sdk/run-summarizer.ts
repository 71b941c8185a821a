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
  /** As the run itself calls the model: some models can only stream. Default `generate`. */
  readonly way?: 'generate' | 'stream'
  readonly fallback: 'extractive' | 'none'
  /** Tokens that the model takes at once, where its profile does not say. */
  readonly window?: number
  readonly profiles?: ProfileOverrides
}

/** Summaries by a language model of the AI SDK: single calls without tools, thinking settings or server-side edits. */
export function aiSdkSummarizer({ model, fallback, window, profiles, ...how }: SummaryModel): Summarizer {
  return modelSummarizer({
    generate: generateWith(model, how),
    model: model.modelId,
    window: () => window ?? resolveProfile(model.modelId, profiles).window,
    fallback,
    isOverflow: (error) => aiSdk.overflow(error, { size: 0, window: Number.POSITIVE_INFINITY }) !== undefined,
  })
}

function generateWith(model: SummarizerModel, { like, way }: Pick<SummaryModel, 'like' | 'way'>): Generate {
  return async (prompt, { signal }) => {
    const request = aiSdkTextCall.request(prompt, like ?? []) as AiSdkCallOptions
    const options = { ...request, ...(signal !== undefined && { abortSignal: signal }) }
    if (way !== 'stream') return aiSdkTextCall.read(await model.doGenerate(options))
    const { stream } = await model.doStream(options)
    return readStreamed(stream)
  }
}

/** The whole answer of a stream. @throws what the stream holds as an error. */
async function readStreamed(stream: ReadableStream<unknown>): Promise<Generated> {
  const content: object[] = []
  let text = ''
  let finish = {}
  for await (const part of stream) {
    const { type, delta, error } = fieldsOf(part)
    if (type === 'error') throw error
    if (type === 'text-delta') text += stringOr(delta, '')
    if (type === 'reasoning-start') content.push({ type: 'reasoning', text: '' })
    if (type === 'tool-call') content.push(part as object)
    if (type === 'finish') finish = part as object
  }
  return aiSdkTextCall.read({ ...finish, content: [...content, { type: 'text', text }] })
}
