import { present } from '../../importers/json-fields.ts'
import type { LossTally } from '../loss-tally.ts'
import { argumentsText } from './call-arguments.ts'
import { type NeutralContent, type NeutralMedia, neutralText, urlOf } from './neutral-conversation.ts'
import {
  type AssistantTurn,
  callsOf,
  type NamedCall,
  type NeutralWriter,
  noteMedia,
  resultsPosition,
  schemaOf,
  type WrittenItem,
  wordsOf,
} from './neutral-writer.ts'
import type { Turn } from './turns.ts'

/** Writes OpenAI Chat Completions. */
export const writeChat: NeutralWriter = {
  callIds: { refused: /[^\x21-\x7e]/g, maxLength: 40 },
  shape: {
    opening: 'any',
    ending: 'any',
    blankTexts: 'taken',
    systemInside: 'taken',
    openReasoning: 'taken',
    assistantMedia: 'refused',
  },
  items: (turns, losses) => turns.flatMap((turn) => itemsOf(turn, losses)),
  body: (items, { system, tools, settings }) =>
    present({
      model: settings.model,
      max_completion_tokens: settings.outputCap,
      temperature: settings.temperature,
      top_p: settings.topP,
      stop: settings.stop,
      messages: [...system.map((content) => ({ role: 'system', content })), ...items],
      tools: tools.length === 0 ? undefined : tools.map(chatTool),
    }),
}

/** A tool as OpenAI's chat format defines it. */
export function chatTool(tool: { name: string; description: string | undefined; schema: unknown }): object {
  const { name, description, schema } = tool
  return { type: 'function', function: present({ name, description, parameters: schemaOf(schema) }) }
}

function itemsOf(turn: Turn, losses: LossTally): readonly WrittenItem[] {
  const { position } = turn
  if (turn.role === 'assistant') return [answer(turn), ...resultItems(turn, losses)]
  const content = turn.role === 'system' ? turn.text : contentOf(turn.content, losses, position)
  return [{ item: { role: turn.role, content }, position }]
}

function answer(turn: AssistantTurn): WrittenItem {
  const texts = turn.parts.filter((part) => part.kind === 'text')
  const reasoning = turn.parts.flatMap((part) => (part.kind === 'reasoning' ? [part.text] : [])).join('\n')
  const calls = callsOf(turn).map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: argumentsText(call) },
  }))
  const nothing = calls.length === 0 ? '' : null
  const content = texts.length > 1 ? texts.map(({ text }) => ({ type: 'text', text })) : (texts[0]?.text ?? nothing)
  const extras = {
    reasoning_content: reasoning === '' ? undefined : reasoning,
    tool_calls: calls.length === 0 ? undefined : calls,
  }
  return { item: { role: 'assistant', content, ...present(extras) }, position: turn.position }
}

/** A tool message holds text alone: what else a result has follows in a message of the user. */
function resultItems(turn: AssistantTurn, losses: LossTally): readonly WrittenItem[] {
  const answered = callsOf(turn).filter((call) => call.result !== undefined)
  const results = answered.map(({ id, result }) => {
    const position = result?.position ?? turn.position
    if (result?.isError === true) losses.add('error flag of a result', position)
    return { item: { role: 'tool', tool_call_id: id, content: wordsOf(result?.content ?? []) }, position }
  })
  const attached = answered.flatMap(attachments)
  if (attached.length === 0) return results
  const position = resultsPosition(turn)
  return [...results, { item: { role: 'user', content: contentOf(attached, losses, position) }, position }]
}

function attachments({ id, result }: NamedCall): readonly NeutralContent[] {
  const media = result?.content.filter((part) => part.kind === 'media') ?? []
  return media.length === 0 ? [] : [neutralText(`Attached to the result of ${id}:`), ...media]
}

function contentOf(
  content: readonly NeutralContent[],
  losses: LossTally,
  position: number,
): string | readonly object[] {
  const [first, ...others] = content
  if (first?.kind === 'text' && others.length === 0) return first.text
  return content.map((part) =>
    part.kind === 'text' ? textPart(part.text) : (mediaPart(part) ?? textPart(noteMedia(part, losses, position))),
  )
}

function textPart(text: string): object {
  return { type: 'text', text }
}

function mediaPart(media: NeutralMedia): object | undefined {
  const { type, mimeType, source, name } = media
  if (source.kind === 'text') return textPart(source.text)
  if (type === 'image') return { type: 'image_url', image_url: { url: urlOf(media, 'image/png') } }
  if (source.kind === 'url') return undefined
  if (type === 'document') {
    return { type: 'file', file: { filename: name ?? 'document.pdf', file_data: urlOf(media, 'application/pdf') } }
  }
  const format = /^audio\/(wav|mp3)$/.exec(mimeType ?? '')?.[1]
  return format === undefined ? undefined : { type: 'input_audio', input_audio: { data: source.data, format } }
}
