import type { WireFormat } from '../format.ts'
import { anthropicMessagesFormat } from './anthropic-messages/index.ts'
import { bedrockConverseFormat } from './bedrock-converse/index.ts'
import { geminiFormat, geminiListFormat } from './gemini/index.ts'
import { openaiChatFormat } from './openai-chat/index.ts'
import { openaiCodexFormat, openaiCompactFormat, openaiResponsesFormat } from './openai-responses/index.ts'

/** Every API that the simulator speaks. */
export const FORMATS: readonly WireFormat[] = [
  anthropicMessagesFormat,
  openaiChatFormat,
  openaiResponsesFormat,
  openaiCodexFormat,
  openaiCompactFormat,
  geminiFormat,
  geminiListFormat,
  bedrockConverseFormat,
]
