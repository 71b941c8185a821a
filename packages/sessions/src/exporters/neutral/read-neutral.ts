import type { Conversation } from 'palimpsest'
import { type Fields, fieldsOf, textOf } from '../../importers/json-fields.ts'
import type { LossTally } from '../loss-tally.ts'
import type { NeutralConversation, NeutralMessage, NeutralSettings } from './neutral-conversation.ts'
import type { NeutralReader } from './neutral-reader.ts'
import { readAiSdk } from './read-ai-sdk.ts'
import { readAnthropic } from './read-anthropic.ts'
import { readBedrock } from './read-bedrock.ts'
import { readChat } from './read-chat.ts'
import { readGemini } from './read-gemini.ts'
import { readLangChain } from './read-langchain.ts'
import { readResponses } from './read-responses.ts'

/** The reader of each dialect. */
export const NEUTRAL_READERS: Readonly<Record<string, NeutralReader>> = {
  'anthropic-messages': readAnthropic,
  'openai-chat': readChat,
  'openai-responses': readResponses,
  'openai-codex': readResponses,
  gemini: readGemini,
  'bedrock-converse': readBedrock,
  'ai-sdk': readAiSdk,
  langchain: readLangChain,
}

export interface OpenedRequest {
  readonly conversation: Conversation<object>
  /** The request that it was opened from; without fields for a session that has none. */
  readonly frame: Fields
  readonly model: string | undefined
}

/** A request in the neutral form. What has no place in it is noted with the position of its item. */
export function readNeutral(
  reader: NeutralReader,
  opened: OpenedRequest,
  losses: LossTally,
): NeutralConversation & { /** Positions of items that lead as system. */ readonly leading: readonly number[] } {
  const { conversation, frame } = opened
  const lose = losses.at()
  const texts = conversation.system.map((entry) => reader.system(entry, lose))
  const all = conversation.items.flatMap((item, position) =>
    reader.item(item, losses.at(position)).map((message) => ({ ...message, position })),
  )
  const start = all.findIndex(({ role }) => role !== 'system')
  const leading = all.slice(0, start < 0 ? all.length : start)
  for (const [key, value] of Object.entries(frame)) {
    if (!reader.frameFields.has(key) && value != null) lose(`setting "${key}"`)
  }
  return {
    system: [...texts, ...leading.map(textOfMessage)].filter((text) => text.trim() !== ''),
    leading: leading.map(({ position }) => position),
    messages: all.slice(leading.length),
    tools: reader.tools(frame, lose),
    settings: { ...reader.settings(frame), ...modelOf(opened) },
  }
}

function textOfMessage({ parts }: NeutralMessage): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n')
}

function modelOf({ conversation, frame, model }: OpenedRequest): Pick<NeutralSettings, 'model'> {
  const name = conversation.model ?? model ?? textOf(fieldsOf(frame).model)
  return name === undefined ? {} : { model: name }
}
