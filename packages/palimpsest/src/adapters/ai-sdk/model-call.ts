import { type AiSdkCallOptions, type AiSdkMessage, aiSdk } from '../../dialects/ai-sdk/index.ts'
import type { Dialect } from '../../dialects/dialect.ts'

/** One call of a language model: call options do not say which model they go to. */
export interface ModelCall {
  readonly modelId: string
  readonly options: AiSdkCallOptions
  /** Does the prompt hold the whole history, whatever it points at? Then pointers leave once something of it is compacted. */
  readonly wholeHistory: boolean
}

/** Prompts of the AI SDK, with the model that they go to. */
export const modelCalls: Dialect<ModelCall, AiSdkMessage> = {
  ...aiSdk,
  open({ modelId, options, wholeHistory }) {
    const { historyOnServer, ...conversation } = aiSdk.open(options)
    const onServer = historyOnServer === true && !wholeHistory
    return { ...conversation, model: modelId, ...(historyOnServer !== undefined && { historyOnServer: onServer }) }
  },
  close(call, view) {
    const options = aiSdk.close(call.options, view) as AiSdkCallOptions
    return options === call.options ? call : { ...call, options }
  },
}
