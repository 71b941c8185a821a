import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  LanguageModelV3StreamPart,
} from '@ai-sdk/provider'
import { generateByStream } from './generate-by-stream.ts'

/**
 * A Responses model as the Codex backend has it: system messages are its `instructions`, it always streams, and takes no
 * output cap or temperature. What it writes is marked as Codex's own: OpenAI's API cannot read the reasoning that this backend
 * encrypts, nor this one what that encrypts.
 */
export function codexLanguage(responses: LanguageModelV3): LanguageModelV3 {
  const doStream: LanguageModelV3['doStream'] = async (options) => {
    const { stream, ...rest } = await responses.doStream(codexCall(options))
    return { ...rest, stream: stream.pipeThrough(markedAsCodex()) }
  }
  return {
    specificationVersion: 'v3',
    provider: 'codex.responses',
    modelId: responses.modelId,
    supportedUrls: responses.supportedUrls,
    doStream,
    doGenerate: (options) => generateByStream(doStream, options),
  }
}

function codexCall(options: LanguageModelV3CallOptions): LanguageModelV3CallOptions {
  const { maxOutputTokens: _cap, temperature: _temperature, topP: _topP, prompt, ...rest } = options
  const lead = prompt.findIndex(({ role }) => role !== 'system')
  const system = lead < 0 ? prompt : prompt.slice(0, lead)
  const instructions = system.map(({ content }) => content).join('\n\n') || 'You are a helpful assistant.'
  const openai = { ...rest.providerOptions?.openai, store: false, instructions }
  return {
    ...rest,
    prompt: prompt.slice(system.length).map(asOpenai),
    providerOptions: { ...rest.providerOptions, openai },
  }
}

/** The SDK knows its own name alone. */
function asOpenai(message: LanguageModelV3Message): LanguageModelV3Prompt[number] {
  if (message.role !== 'assistant') return message
  const content = message.content.map((part) => {
    const { openai: _, codex, ...others } = part.providerOptions ?? {}
    return { ...part, providerOptions: { ...others, ...(codex !== undefined && { openai: codex }) } }
  })
  return { ...message, content }
}

function markedAsCodex(): TransformStream<LanguageModelV3StreamPart, LanguageModelV3StreamPart> {
  return new TransformStream({
    transform(part, controller) {
      controller.enqueue(asCodex(part))
    },
  })
}

function asCodex(part: LanguageModelV3StreamPart): LanguageModelV3StreamPart {
  if (!('providerMetadata' in part) || part.providerMetadata?.openai === undefined) return part
  const { openai, ...others } = part.providerMetadata
  return { ...part, providerMetadata: { ...others, codex: openai } }
}
