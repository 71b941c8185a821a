import { aiSdk, bedrock } from './ai-sdk.test-data.ts'
import { anthropic } from './anthropic.test-data.ts'
import { gemini } from './gemini.test-data.ts'
import { openaiChat } from './openai-chat.test-data.ts'
import { openaiCodex, openaiResponses } from './openai-responses.test-data.ts'
import type { Way } from './way.test-data.ts'

/** Every way in. */
export const WAYS: readonly Way[] = [anthropic, openaiChat, openaiResponses, openaiCodex, gemini, bedrock, aiSdk]
