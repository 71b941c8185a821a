import { present } from '../../importers/json-fields.ts'
import type { LossTally } from '../loss-tally.ts'
import { argumentsObject } from './call-arguments.ts'
import type { NeutralContent, NeutralMedia, NeutralResult } from './neutral-conversation.ts'
import {
  type AssistantTurn,
  callsOf,
  type NeutralWriter,
  resultsPosition,
  schemaOf,
  type WrittenItem,
  wordsOf,
} from './neutral-writer.ts'
import type { Turn } from './turns.ts'

/** Writes call options of the AI SDK, as version 3 of its specification has them. */
export const writeAiSdk: NeutralWriter = {
  callIds: { refused: /[^\x21-\x7e]/g, maxLength: 64 },
  shape: {
    opening: 'any',
    ending: 'any',
    blankTexts: 'taken',
    systemInside: 'taken',
    openReasoning: 'taken',
    assistantMedia: 'taken',
  },
  items: (turns, losses) => turns.flatMap((turn) => itemsOf(turn, losses)),
  body: (items, { system, tools, settings }, losses) => {
    if (settings.model !== undefined) losses.add('model (it is no option of a call)')
    return present({
      prompt: [...system.map((content) => ({ role: 'system', content })), ...items],
      maxOutputTokens: settings.outputCap,
      temperature: settings.temperature,
      topP: settings.topP,
      stopSequences: settings.stop,
      tools: tools.length === 0 ? undefined : tools.map(functionTool),
    })
  },
}

function functionTool(tool: { name: string; description: string | undefined; schema: unknown }): object {
  const { name, description, schema } = tool
  return present({ type: 'function', name, description, inputSchema: schemaOf(schema) })
}

function itemsOf(turn: Turn, losses: LossTally): readonly WrittenItem[] {
  const { position } = turn
  if (turn.role === 'assistant') return answerItems(turn, losses)
  const content = turn.role === 'system' ? turn.text : turn.content.map(partOf)
  return [{ item: { role: turn.role, content }, position }]
}

function answerItems(turn: AssistantTurn, losses: LossTally): readonly WrittenItem[] {
  const { position } = turn
  const content = turn.parts.map((part) => {
    if (part.kind === 'reasoning') return { type: 'reasoning', text: part.text }
    if (part.kind !== 'call') return partOf(part)
    const input = argumentsObject(part, losses.at(position))
    return { type: 'tool-call', toolCallId: part.id, toolName: part.name, input }
  })
  const results = callsOf(turn).flatMap(({ id, name, result }) =>
    result === undefined
      ? []
      : [{ type: 'tool-result', toolCallId: id, toolName: name, output: outputOf(result, losses, result.position) }],
  )
  const answer = { item: { role: 'assistant', content }, position }
  return results.length === 0
    ? [answer]
    : [answer, { item: { role: 'tool', content: results }, position: resultsPosition(turn) }]
}

function partOf(part: NeutralContent): object {
  return part.kind === 'text' ? { type: 'text', text: part.text } : filePart(part)
}

function filePart(media: NeutralMedia): object {
  const mediaType = mediaTypeOf(media)
  return present({ type: 'file', mediaType, filename: media.name, data: dataOf(media) })
}

function mediaTypeOf({ mimeType, type, source }: NeutralMedia): string {
  if (source.kind === 'text') return 'text/plain'
  return mimeType ?? (type === 'image' ? 'image/*' : 'application/octet-stream')
}

function dataOf({ source }: NeutralMedia): string {
  if (source.kind === 'text') return Buffer.from(source.text).toString('base64')
  return source.kind === 'data' ? source.data : source.url
}

function outputOf({ content, isError }: NeutralResult, losses: LossTally, position: number): object {
  if (content.every((part) => part.kind === 'text')) {
    return { type: isError ? 'error-text' : 'text', value: wordsOf(content) }
  }
  if (isError) losses.add('error flag of a result with files', position)
  return { type: 'content', value: content.map(outputPart) }
}

function outputPart(part: NeutralContent): object {
  if (part.kind === 'text') return { type: 'text', text: part.text }
  const kind = part.type === 'image' ? 'image' : 'file'
  if (part.source.kind === 'url') return { type: `${kind}-url`, url: part.source.url }
  const filename = kind === 'file' ? part.name : undefined
  return present({ type: `${kind}-data`, mediaType: mediaTypeOf(part), data: dataOf(part), filename })
}
