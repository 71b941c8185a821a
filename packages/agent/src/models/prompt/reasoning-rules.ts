import type { LanguageModelV3ReasoningPart, SharedV3ProviderOptions } from '@ai-sdk/provider'
import type { AssistantPart } from './assistant-part.ts'

/** Does a provider take this reasoning of that message back? */
export type ReasoningRule = (part: LanguageModelV3ReasoningPart, siblings: readonly AssistantPart[]) => boolean

/** What providers sign reasoning with, or know it again by. */
const SEALS = [
  'signature',
  'redactedData',
  'redactedContent',
  'reasoningEncryptedContent',
  'thoughtSignature',
  'itemId',
] as const

/** Takes what carries one of these seals under this provider's name. */
export function sealedBy(provider: string, seals: readonly (typeof SEALS)[number][]): ReasoningRule {
  return (part) => seals.some((seal) => isSet(part.providerOptions?.[provider]?.[seal]))
}

/** Takes what a provider sealed itself, and what nobody did. */
export function unsealedOr(provider: string): ReasoningRule {
  return ({ providerOptions = {} }) =>
    isSealed(providerOptions[provider]) || !Object.values(providerOptions).some(isSealed)
}

export const noReasoning: ReasoningRule = () => false

/**
 * Responses without a store: a reasoning item travels whole, as what is encrypted. It may stand in several parts with one item
 * id, of which only some carry that.
 */
export function encryptedBy(provider: string): ReasoningRule {
  const own = (part: AssistantPart) => (part.type === 'reasoning' ? part.providerOptions?.[provider] : undefined)
  return (part, siblings) => {
    if (isSet(own(part)?.reasoningEncryptedContent)) return true
    const item = own(part)?.itemId
    if (!isSet(item)) return false
    return siblings.some((other) => own(other)?.itemId === item && isSet(own(other)?.reasoningEncryptedContent))
  }
}

function isSealed(options: SharedV3ProviderOptions[string] | undefined): boolean {
  return SEALS.some((seal) => isSet(options?.[seal]))
}

function isSet(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
