import { type AiSdkCallOptions, type AiSdkMessage, aiSdk } from '../../dialects/ai-sdk/index.ts'
import type { Dialect } from '../../dialects/dialect.ts'
import { derive } from '../../engine/json/derive.ts'
import type { Conversation } from '../../engine/messages/message.ts'

/** One call of a language model: call options do not say which model they go to. */
export interface ModelCall {
  readonly modelId: string
  readonly options: AiSdkCallOptions
  /** Does the prompt hold the whole history, whatever it points at? Then pointers leave once something of it is compacted. */
  readonly wholeHistory: boolean
  /** The output cap that the provider sends where the call names none, thinking included. */
  readonly impliedCap?: number
}

/**
 * Prompts of the AI SDK, with the model that they go to: the wire format of a loop that calls language models itself.
 *
 * @example
 * const compactor = createCompactor({ dialect: modelCalls })
 * const prepared = await compactor.prepare({ modelId: model.modelId, options: { prompt, tools }, wholeHistory: true })
 * prepared.observe(await model.doGenerate(prepared.request.options))
 * prepared.done()
 */
export const modelCalls: Dialect<ModelCall, AiSdkMessage> = {
  ...aiSdk,
  open({ modelId, options, wholeHistory, impliedCap }) {
    const { historyOnServer, ...conversation } = aiSdk.open(options)
    const outputCap = conversation.outputCap ?? impliedCap
    return {
      ...conversation,
      model: modelId,
      ...(outputCap !== undefined && { outputCap }),
      ...(historyOnServer !== undefined && { historyOnServer: historyOnServer && !wholeHistory }),
    }
  },
  close(call, view) {
    const options = withCap(call, aiSdk.close(call.options, view) as AiSdkCallOptions, view)
    return options === call.options ? call : { ...call, options }
  },
}

/** A cap that only the provider would set is set here where it has to be lower; thinking comes on top of it there. */
function withCap(
  { impliedCap }: ModelCall,
  options: AiSdkCallOptions,
  { outputCap, thinkingBudget = 0 }: Conversation<AiSdkMessage>,
): AiSdkCallOptions {
  const isLower = impliedCap !== undefined && outputCap !== undefined && outputCap < impliedCap
  if (!isLower || options.maxOutputTokens !== undefined) return options
  return derive(options, { maxOutputTokens: Math.max(1, outputCap - thinkingBudget) })
}
