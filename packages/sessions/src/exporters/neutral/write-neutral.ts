import { PalimpsestError } from 'palimpsest'
import type { LossTally } from '../loss-tally.ts'
import { withCallIds } from './call-ids.ts'
import { legalTurns } from './legal-turns.ts'
import type { NeutralConversation, NeutralTool } from './neutral-conversation.ts'
import type { NeutralWriter, WrittenItem } from './neutral-writer.ts'
import { NEUTRAL_READERS, type OpenedRequest, readNeutral } from './read-neutral.ts'
import { type Turn, turnsOf } from './turns.ts'
import { writeAiSdk } from './write-ai-sdk.ts'
import { writeAnthropic } from './write-anthropic.ts'
import { writeBedrock } from './write-bedrock.ts'
import { writeChat } from './write-chat.ts'
import { writeGemini } from './write-gemini.ts'
import { writeLangChain } from './write-langchain.ts'
import { writeCodex, writeResponses } from './write-responses.ts'

const NEUTRAL_WRITERS: Readonly<Record<string, NeutralWriter>> = {
  'anthropic-messages': writeAnthropic,
  'openai-chat': writeChat,
  'openai-responses': writeResponses,
  'openai-codex': writeCodex,
  gemini: writeGemini,
  'bedrock-converse': writeBedrock,
  'ai-sdk': writeAiSdk,
  langchain: writeLangChain,
}

/** A conversation on its way from one dialect to another. */
export interface Conversion {
  readonly from: string
  readonly to: string
  readonly losses: LossTally
  /** Session files may end in calls that nobody answered, requests may not. */
  readonly openCalls: 'keep' | 'drop'
}

/** The request in another dialect. */
export function convertedRequest(opened: OpenedRequest, conversion: Conversion): object {
  const { neutral, turns, items, writer } = convert(opened, conversion)
  const tools = toolsOf(neutral, turns, conversion)
  return writer.body(
    items.map(({ item }) => item),
    { ...neutral, tools },
    conversion.losses,
  )
}

/**
 * The items alone, with the positions they come from, for a file that has no place for the rest: of the system only what
 * stands among the items is told as lost.
 */
export function convertedItems(opened: OpenedRequest, conversion: Conversion): readonly WrittenItem[] {
  const { neutral, items } = convert(opened, conversion)
  for (const position of neutral.leading) conversion.losses.add('system message (the client has its own)', position)
  return items
}

function convert(opened: OpenedRequest, { from, to, losses, openCalls }: Conversion) {
  const reader = NEUTRAL_READERS[from]
  const writer = NEUTRAL_WRITERS[to]
  if (reader === undefined || writer === undefined) throw noConversion(reader === undefined ? from : to)
  const neutral = readNeutral(reader, opened, losses)
  const sorted = turnsOf(neutral.messages, losses, { joinAnswers: reader.itemPerPart === true, openCalls })
  const turns = legalTurns(withCallIds(sorted, writer.callIds, losses), writer.shape, losses)
  return { neutral, turns, items: writer.items(turns, losses), writer }
}

/** Formats that refuse calls where no tools are defined get definitions of the tools that were called. */
export const DEMANDS_TOOLS: ReadonlySet<string> = new Set(['anthropic-messages', 'bedrock-converse'])

function toolsOf(
  { tools }: NeutralConversation,
  turns: readonly Turn[],
  { to, losses }: Pick<Conversion, 'to' | 'losses'>,
): readonly NeutralTool[] {
  const calls = turns.flatMap((turn) => (turn.role === 'assistant' ? turn.parts : []))
  const names = new Set(calls.flatMap((part) => (part.kind === 'call' ? [part.name] : [])))
  if (tools.length > 0 || names.size === 0 || !DEMANDS_TOOLS.has(to)) return tools
  losses.add(ADDED_TOOLS)
  return [...names].map((name) => ({ name, description: undefined, schema: undefined }))
}

export const ADDED_TOOLS = 'added: definitions of tools, by their names alone'

function noConversion(dialect: string): PalimpsestError {
  const known = Object.keys(NEUTRAL_WRITERS).join(', ')
  return new PalimpsestError('invalid-input', `Nothing is known of conversations in "${dialect}".`, {
    hint: `Known are ${known}.`,
  })
}
