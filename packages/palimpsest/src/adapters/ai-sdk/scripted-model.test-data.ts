import type { LanguageModelV3, LanguageModelV3CallOptions, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { APICallError } from '@ai-sdk/provider'

/** What the scripted model does with one call. */
export type ScriptedAnswer =
  | {
      readonly text?: string
      readonly calls?: readonly { readonly id: string; readonly name: string; readonly input: object }[]
      readonly raw?: string
      readonly usage?: number
      /** In a stream: an error part behind the text. */
      readonly error?: unknown
    }
  | { readonly throws: unknown }

/** A model that answers by a script, in order; the last answer stays. What it was asked is kept. */
export class ScriptedModel implements LanguageModelV3 {
  readonly specificationVersion = 'v3'
  readonly provider: string
  readonly modelId: string
  readonly supportedUrls = {}
  readonly seen: LanguageModelV3CallOptions[] = []
  /** Parts of streams that were asked for. */
  pulled = 0
  cancelled: unknown
  readonly #answers: ScriptedAnswer[]

  constructor(answers: readonly ScriptedAnswer[], modelId = 'gpt-4.1', provider = 'scripted') {
    this.#answers = [...answers]
    this.modelId = modelId
    this.provider = provider
  }

  async doGenerate(options: LanguageModelV3CallOptions) {
    const { text, calls = [], raw, usage } = this.#next(options)
    return {
      content: [
        ...(text === undefined ? [] : [{ type: 'text' as const, text }]),
        ...calls.map(({ id, name, input }) => callPart(id, name, input)),
      ],
      finishReason: finishOf(raw),
      usage: usageOf(usage),
      warnings: [],
    }
  }

  async doStream(options: LanguageModelV3CallOptions) {
    const parts = partsOf(this.#next(options))
    const stream = new ReadableStream<LanguageModelV3StreamPart>(
      {
        pull: (controller) => {
          const part = parts[this.pulled]
          this.pulled += 1
          if (part === undefined) controller.close()
          else controller.enqueue(part)
        },
        cancel: (reason) => {
          this.cancelled = reason ?? 'cancelled'
        },
      },
      { highWaterMark: 0 },
    )
    this.pulled = 0
    return { stream }
  }

  #next(options: LanguageModelV3CallOptions) {
    this.seen.push(options)
    const answer = this.#answers.length > 1 ? this.#answers.shift() : this.#answers[0]
    if (answer === undefined) throw new RangeError('A scripted model needs an answer.')
    if ('throws' in answer) throw answer.throws
    return answer
  }
}

/** The refusal of a request as too large, as providers of the SDK throw it. */
export function tooLarge(size: number, limit: number): APICallError {
  return new APICallError({
    message: `prompt is too long: ${size} tokens > ${limit} maximum`,
    url: 'https://api.example/v1/messages',
    requestBodyValues: {},
    statusCode: 400,
    isRetryable: false,
  })
}

function partsOf({ text, calls = [], raw, usage, error }: Exclude<ScriptedAnswer, { throws: unknown }>) {
  const words = text?.split(/(?<= )/) ?? []
  const parts: LanguageModelV3StreamPart[] = [
    { type: 'stream-start', warnings: [] },
    { type: 'response-metadata', id: 'r' },
    ...(words.length === 0 ? [] : [{ type: 'text-start' as const, id: 't' }]),
    ...words.map((delta) => ({ type: 'text-delta' as const, id: 't', delta })),
    ...(words.length === 0 ? [] : [{ type: 'text-end' as const, id: 't' }]),
    ...calls.map(({ id, name, input }) => callPart(id, name, input)),
    ...(error === undefined ? [] : [{ type: 'error' as const, error }]),
    { type: 'finish', usage: usageOf(usage), finishReason: finishOf(error === undefined ? raw : 'error') },
  ]
  return parts
}

function callPart(id: string, name: string, input: object) {
  return { type: 'tool-call' as const, toolCallId: id, toolName: name, input: JSON.stringify(input) }
}

function finishOf(raw = 'stop') {
  const unified = raw === 'stop' ? ('stop' as const) : raw === 'error' ? ('error' as const) : ('length' as const)
  return { unified, raw }
}

function usageOf(total = 100) {
  return {
    inputTokens: { total, noCache: total, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 10, text: 10, reasoning: 0 },
  }
}
