import { present } from '../../importers/json-fields.ts'
import type { LossTally } from '../loss-tally.ts'
import { argumentsObject } from './call-arguments.ts'
import type { NeutralContent, NeutralMedia } from './neutral-conversation.ts'
import {
  type AssistantTurn,
  callsOf,
  type NeutralWriter,
  noteMedia,
  resultsPosition,
  schemaOf,
} from './neutral-writer.ts'
import { DOCUMENT_TYPES } from './read-bedrock.ts'
import type { Turn } from './turns.ts'

/** Writes Bedrock Converse. */
export const writeBedrock: NeutralWriter = {
  callIds: { refused: /[^a-zA-Z0-9_-]/g, maxLength: 64 },
  shape: {
    opening: 'user',
    ending: 'user',
    blankTexts: 'refused',
    systemInside: 'refused',
    openReasoning: 'refused',
    assistantMedia: 'refused',
  },
  items: (turns, losses) => {
    const names = new DocumentNames()
    const messages = turns.flatMap((turn) => messagesOf(turn, { losses, names }))
    return joined(messages).map(({ role, content, position }) => ({
      item: { role, content: role === 'user' ? withWords(content) : content },
      position,
    }))
  },
  body: (messages, { system, tools, settings }) => {
    const config = present({
      maxTokens: settings.outputCap,
      temperature: settings.temperature,
      topP: settings.topP,
      stopSequences: settings.stop,
    })
    return present({
      modelId: settings.model,
      system: system.length === 0 ? undefined : system.map((text) => ({ text })),
      messages,
      inferenceConfig: Object.keys(config).length === 0 ? undefined : config,
      toolConfig: tools.length === 0 ? undefined : { tools: tools.map(bedrockTool) },
    })
  },
}

/** A tool as Bedrock defines it. */
export function bedrockTool(tool: { name: string; description?: string | undefined; schema?: unknown }): object {
  const { name, description, schema } = tool
  return { toolSpec: present({ name, description, inputSchema: { json: schemaOf(schema) } }) }
}

interface Message {
  readonly role: 'user' | 'assistant'
  readonly content: readonly object[]
  readonly position: number
}

interface Writing {
  readonly losses: LossTally
  readonly names: DocumentNames
}

function messagesOf(turn: Turn, writing: Writing): readonly Message[] {
  const { position } = turn
  if (turn.role === 'assistant') return answerMessages(turn, writing)
  if (turn.role === 'system') return []
  return [{ role: 'user', content: turn.content.map((part) => blockOf(part, writing, position)), position }]
}

function answerMessages(turn: AssistantTurn, writing: Writing): readonly Message[] {
  const { position } = turn
  const content = turn.parts.flatMap((part): readonly object[] => {
    if (part.kind === 'text') return [{ text: part.text }]
    if (part.kind !== 'call') return []
    const input = argumentsObject(part, writing.losses.at(position))
    return [{ toolUse: { toolUseId: part.id, name: part.name, input } }]
  })
  const results = callsOf(turn).flatMap(({ id, result }) => {
    if (result === undefined) return []
    const blocks = result.content.map((part) => blockOf(part, writing, result.position))
    const status = result.isError ? 'error' : undefined
    return [{ toolResult: { toolUseId: id, content: blocks, ...present({ status }) } }]
  })
  const answer: Message = { role: 'assistant', content, position }
  return results.length === 0 ? [answer] : [answer, { role: 'user', content: results, position: resultsPosition(turn) }]
}

function blockOf(part: NeutralContent, { losses, names }: Writing, position: number): object {
  if (part.kind === 'text') return { text: part.text }
  return mediaBlock(part, names) ?? { text: noteMedia(part, losses, position) }
}

function mediaBlock(media: NeutralMedia, names: DocumentNames): object | undefined {
  const { type, mimeType = '', source, name } = media
  if (source.kind === 'url') return undefined
  const bytes = source.kind === 'text' ? Buffer.from(source.text).toString('base64') : source.data
  const format = /^image\/(png|jpeg|gif|webp)$/.exec(mimeType)?.[1]
  if (type === 'image') return format === undefined ? undefined : { image: { format, source: { bytes } } }
  if (type !== 'document') return undefined
  const kind = source.kind === 'text' ? 'txt' : DOCUMENT_FORMATS.get(mimeType)
  return kind === undefined ? undefined : { document: { format: kind, name: names.next(name), source: { bytes } } }
}

const DOCUMENT_FORMATS: ReadonlyMap<string, string> = new Map(
  Object.entries(DOCUMENT_TYPES).map(([format, mimeType]) => [mimeType, format]),
)

/** Names of documents: each its own, of few characters. */
class DocumentNames {
  readonly #taken = new Set<string>()

  next(name = 'document'): string {
    const clean =
      name
        .replace(/[^a-zA-Z0-9 ()[\]-]+/g, '-')
        .replace(/ {2,}/g, ' ')
        .trim() || 'document'
    let own = clean
    for (let number = 2; this.#taken.has(own); number++) own = `${clean}-${number}`
    this.#taken.add(own)
    return own
  }
}

/** Roles alternate: neighbours of one role are one message. */
function joined(messages: readonly Message[]): readonly Message[] {
  const all: Message[] = []
  for (const message of messages) {
    const last = all.at(-1)
    if (last?.role !== message.role) all.push(message)
    else all[all.length - 1] = { ...last, content: [...last.content, ...message.content] }
  }
  return all
}

/** A document stands beside a text. */
function withWords(content: readonly object[]): readonly object[] {
  const isAlone = content.some((block) => 'document' in block) && !content.some((block) => 'text' in block)
  return isAlone ? [...content, { text: 'See the attached file.' }] : content
}
