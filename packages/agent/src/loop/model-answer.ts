import type { LanguageModelV3FinishReason } from '@ai-sdk/provider'
import type { AiSdkMessage, Usage } from 'palimpsest'

/** What one model call gave. */
export interface ModelAnswer {
  /** The assistant message, as it stands in the transcript; undefined where the model said nothing. */
  readonly message: AiSdkMessage | undefined
  readonly text: string
  readonly calls: readonly RequestedCall[]
  readonly finish: LanguageModelV3FinishReason
  readonly usage: Usage | undefined
  /** The part that ended the stream, for whoever reads usage and stop reasons. */
  readonly end: unknown
}

/** A tool call of the model. */
export interface RequestedCall {
  readonly id: string
  readonly name: string
  /** The arguments as parsed; the text as it came where that is no JSON. */
  readonly input: unknown
}
