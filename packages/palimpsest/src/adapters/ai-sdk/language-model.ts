import type { AiSdkCallOptions } from '../../dialects/ai-sdk/items.ts'

/** A language model of the AI SDK, as far as it is called here. Models of AI SDK 6 (V3) and 7 (V4) are both. */
export interface LanguageModel {
  readonly provider: string
  readonly modelId: string
  /** One call, answered as a whole. */
  doGenerate(options: AiSdkCallOptions): PromiseLike<unknown>
  /** One call, answered as a stream. */
  doStream(options: AiSdkCallOptions): PromiseLike<StreamedAnswer>
}

/** What `doStream` gives; fields that are not named here are handed on. */
export interface StreamedAnswer {
  readonly stream: ReadableStream<unknown>
}

/** What a wrapped model is called with, in the types of whichever AI SDK it comes from. */
export interface WrappedCall<Options extends AiSdkCallOptions, Generated, Streamed> {
  readonly params: Options
  readonly model: {
    readonly provider: string
    readonly modelId: string
    /** One call, answered as a whole. */
    doGenerate(options: Options): PromiseLike<Generated>
    /** One call, answered as a stream. */
    doStream(options: Options): PromiseLike<Streamed>
  }
}

/** A middleware for `wrapLanguageModel` of AI SDK 6 and 7. */
export interface PalimpsestMiddleware {
  /** AI SDK 7 takes this one too. */
  readonly specificationVersion: 'v3'
  /** Compacts before the call and answers its overflow. @throws ContextOverflowError where nothing fits. */
  wrapGenerate<Options extends AiSdkCallOptions, Generated, Streamed extends StreamedAnswer>(
    call: WrappedCall<Options, Generated, Streamed>,
  ): Promise<Generated>
  /** The same for a stream, which is held until its first content. */
  wrapStream<Options extends AiSdkCallOptions, Generated, Streamed extends StreamedAnswer>(
    call: WrappedCall<Options, Generated, Streamed>,
  ): Promise<Streamed>
}
