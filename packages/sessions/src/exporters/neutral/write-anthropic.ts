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
  type WrittenItem,
} from './neutral-writer.ts'
import type { Turn } from './turns.ts'

/** Writes Anthropic Messages. */
export const writeAnthropic: NeutralWriter = {
  callIds: { refused: /[^a-zA-Z0-9_-]/g, maxLength: 128 },
  shape: {
    opening: 'user',
    ending: 'trimmed',
    blankTexts: 'refused',
    systemInside: 'refused',
    openReasoning: 'refused',
    assistantMedia: 'refused',
  },
  items: (turns, losses) => turns.flatMap((turn) => itemsOf(turn, losses)),
  body: (messages, { system, tools, settings }, losses) => {
    if (settings.outputCap === undefined) losses.add('added: an output cap')
    return present({
      model: settings.model,
      max_tokens: settings.outputCap ?? USUAL_OUTPUT_CAP,
      temperature: settings.temperature,
      top_p: settings.topP,
      stop_sequences: settings.stop,
      system: system.length === 0 ? undefined : system.join('\n\n'),
      tools: tools.length === 0 ? undefined : tools.map(anthropicTool),
      messages,
    })
  },
}

/** A tool as Anthropic defines it. */
export function anthropicTool(tool: { name: string; description?: string | undefined; schema?: unknown }): object {
  const { name, description, schema } = tool
  return present({ name, description, input_schema: schemaOf(schema) })
}

/** The API demands a cap; this one every model takes. */
const USUAL_OUTPUT_CAP = 4_096

function itemsOf(turn: Turn, losses: LossTally): readonly WrittenItem[] {
  const { position } = turn
  if (turn.role === 'user')
    return [{ item: { role: 'user', content: contentOf(turn.content, losses, position) }, position }]
  return turn.role === 'assistant' ? answerItems(turn, losses) : []
}

function answerItems(turn: AssistantTurn, losses: LossTally): readonly WrittenItem[] {
  const content = turn.parts.flatMap((part): readonly object[] => {
    if (part.kind === 'text') return [{ type: 'text', text: part.text }]
    if (part.kind !== 'call') return []
    const input = argumentsObject(part, losses.at(turn.position))
    return [{ type: 'tool_use', id: part.id, name: part.name, input }]
  })
  const results = callsOf(turn).flatMap(({ id, result }) => {
    if (result === undefined) return []
    const said = result.content.length === 0 ? undefined : contentOf(result.content, losses, result.position)
    const error = result.isError ? true : undefined
    return [{ type: 'tool_result', tool_use_id: id, ...present({ content: said, is_error: error }) }]
  })
  const answer = { item: { role: 'assistant', content }, position: turn.position }
  if (results.length === 0) return [answer]
  return [answer, { item: { role: 'user', content: results }, position: resultsPosition(turn) }]
}

function contentOf(
  content: readonly NeutralContent[],
  losses: LossTally,
  position: number,
): string | readonly object[] {
  const [first, ...others] = content
  if (first?.kind === 'text' && others.length === 0) return first.text
  const textBlock = (text: string) => ({ type: 'text', text })
  return content.map((part) =>
    part.kind === 'text' ? textBlock(part.text) : (mediaBlock(part) ?? textBlock(noteMedia(part, losses, position))),
  )
}

function mediaBlock(media: NeutralMedia): object | undefined {
  const { type, mimeType, source, name } = media
  if (type === 'image') {
    if (source.kind === 'url') return { type, source: { type: 'url', url: source.url } }
    const isTaken = source.kind === 'data' && IMAGE_TYPES.has(mimeType ?? '')
    return isTaken ? { type, source: { type: 'base64', media_type: mimeType, data: source.data } } : undefined
  }
  if (type !== 'document') return undefined
  const title = present({ title: name })
  if (source.kind === 'url') return { type, source: { type: 'url', url: source.url }, ...title }
  if (source.kind === 'text')
    return { type, source: { type: 'text', media_type: 'text/plain', data: source.text }, ...title }
  if (mimeType !== 'application/pdf') return undefined
  return { type, source: { type: 'base64', media_type: mimeType, data: source.data }, ...title }
}

const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
