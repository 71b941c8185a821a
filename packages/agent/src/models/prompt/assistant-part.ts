import type { LanguageModelV3Message } from '@ai-sdk/provider'

/** What a model said in one step. */
export type AssistantMessage = Extract<LanguageModelV3Message, { role: 'assistant' }>

export type AssistantPart = AssistantMessage['content'][number]
