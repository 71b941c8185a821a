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

/** The request in another dialect: its items with the positions they come from, and the body around them. */
export function converted(
  opened: OpenedRequest,
  { from, to, losses, openCalls }: Conversion,
): { readonly items: readonly WrittenItem[]; readonly body: object } {
  const reader = NEUTRAL_READERS[from]
  const writer = NEUTRAL_WRITERS[to]
  if (reader === undefined || writer === undefined) throw noConversion(reader === undefined ? from : to)
  const neutral = readNeutral(reader, opened, losses)
  const turns = turnsOf(neutral.messages, losses, { joinAnswers: reader.itemPerPart === true, openCalls })
  const legal = legalTurns(withCallIds(turns, writer.callIds, losses), writer.shape, losses)
  const items = writer.items(legal, losses)
  const body = writer.body(
    items.map(({ item }) => item),
    { ...neutral, tools: toolsOf(neutral, legal, { to, losses }) },
    losses,
  )
  return { items, body }
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
