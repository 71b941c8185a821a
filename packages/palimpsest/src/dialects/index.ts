import { PalimpsestError } from '../engine/errors.ts'
import { aiSdk } from './ai-sdk/index.ts'
import { anthropicMessages } from './anthropic-messages/index.ts'
import { bedrockConverse } from './bedrock-converse/index.ts'
import type { Dialect } from './dialect.ts'
import { gemini } from './gemini/index.ts'
import { langchain } from './langchain/index.ts'
import { openaiChat } from './openai-chat/index.ts'
import { openaiCodex, openaiResponses } from './openai-responses/index.ts'

/** Every wire format this library reads. Each knows its own request and item types; who asks by name does not. */
export const DIALECTS: readonly Dialect<unknown, object>[] = [
  anthropicMessages,
  openaiChat,
  openaiResponses,
  openaiCodex,
  gemini,
  bedrockConverse,
  aiSdk,
  langchain,
] as unknown as readonly Dialect<unknown, object>[]

/**
 * The dialect of this name. @throws PalimpsestError `invalid-input` that lists the names there are.
 *
 * @example
 * dialectByName('openai-chat').itemsKey // 'messages'
 */
export function dialectByName(name: string): Dialect<unknown, object> {
  const dialect = DIALECTS.find((one) => one.name === name)
  if (dialect !== undefined) return dialect
  throw new PalimpsestError('invalid-input', `There is no wire format "${name}".`, {
    hint: `Known are ${DIALECTS.map((one) => one.name).join(', ')}.`,
  })
}

/**
 * The dialect that recognises this parsed request body best; undefined when none does.
 *
 * @example
 * detectDialect({ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] })?.name // 'gemini'
 */
export function detectDialect(body: unknown): Dialect<unknown, object> | undefined {
  const scored = DIALECTS.map((dialect) => ({ dialect, score: dialect.recognises(body) }))
  const best = scored.reduce((a, b) => (b.score > a.score ? b : a))
  return best.score > 0 ? best.dialect : undefined
}

export { aiSdk, anthropicMessages, bedrockConverse, gemini, langchain, openaiChat, openaiCodex, openaiResponses }
