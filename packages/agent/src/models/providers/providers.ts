import { anthropic } from './anthropic.ts'
import { bedrock } from './bedrock.ts'
import { codex } from './codex.ts'
import { google } from './google.ts'
import { openai } from './openai.ts'
import { openaiChat } from './openai-chat.ts'
import type { ModelProvider } from './provider.ts'

/** All that an agent can speak to. Their SDKs are loaded when a model is opened. */
export const PROVIDERS: readonly ModelProvider[] = [anthropic, openai, openaiChat, codex, google, bedrock]
