import { present } from '../../importers/json-fields.ts'
import type { LossTally } from '../loss-tally.ts'
import { argumentsObject } from './call-arguments.ts'
import type { NeutralContent, NeutralMedia } from './neutral-conversation.ts'
import { type AssistantTurn, callsOf, type NeutralWriter, type WrittenItem } from './neutral-writer.ts'
import type { Turn } from './turns.ts'
import { chatTool } from './write-chat.ts'

/** Writes messages as LangChain takes them from plain objects, with its own content blocks. */
export const writeLangChain: NeutralWriter = {
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
  body: (items, { system, tools, settings }) => {
    const bound = present({
      max_tokens: settings.outputCap,
      temperature: settings.temperature,
      top_p: settings.topP,
      stop: settings.stop,
    })
    return present({
      model: settings.model,
      messages: [...system.map((content) => ({ type: 'system', content })), ...items],
      tools: tools.length === 0 ? undefined : tools.map(chatTool),
      modelSettings: Object.keys(bound).length === 0 ? undefined : bound,
    })
  },
}

function itemsOf(turn: Turn, losses: LossTally): readonly WrittenItem[] {
  const { position } = turn
  if (turn.role === 'assistant') return answerItems(turn, losses)
  if (turn.role === 'system') return [{ item: { type: 'system', content: turn.text }, position }]
  return [{ item: { type: 'human', content: contentOf(turn.content) }, position }]
}

function answerItems(turn: AssistantTurn, losses: LossTally): readonly WrittenItem[] {
  const { position } = turn
  const said = turn.parts.filter((part) => part.kind !== 'call')
  const content = said.map((part) =>
    part.kind === 'reasoning' ? { type: 'reasoning', reasoning: part.text } : blockOf(part),
  )
  const [first, ...others] = said
  const calls = callsOf(turn).map((call) => {
    const args = argumentsObject(call, losses.at(position))
    return { type: 'tool_call', id: call.id, name: call.name, args }
  })
  const results = callsOf(turn).flatMap(({ id, name, result }): readonly WrittenItem[] => {
    if (result === undefined) return []
    const status = result.isError ? 'error' : 'success'
    const item = { type: 'tool', tool_call_id: id, name, status, content: contentOf(result.content) }
    return [{ item, position: result.position }]
  })
  const words = first === undefined ? '' : first.kind === 'text' && others.length === 0 ? first.text : content
  return [{ item: { type: 'ai', content: words, tool_calls: calls }, position }, ...results]
}

function contentOf(content: readonly NeutralContent[]): string | readonly object[] {
  const [first, ...others] = content
  if (first === undefined) return ''
  return first.kind === 'text' && others.length === 0 ? first.text : content.map(blockOf)
}

function blockOf(part: NeutralContent): object {
  if (part.kind === 'text') return { type: 'text', text: part.text }
  const { source, name } = part
  const mimeType = part.mimeType ?? (part.type === 'image' ? 'image/png' : 'application/octet-stream')
  const metadata = name === undefined ? undefined : { filename: name }
  if (source.kind === 'text')
    return present({ type: 'text-plain', mimeType: 'text/plain', text: source.text, metadata })
  if (source.kind === 'url') return present({ type: BLOCKS[part.type], url: source.url, metadata })
  return present({ type: BLOCKS[part.type], mimeType, data: source.data, metadata })
}

const BLOCKS: Readonly<Record<NeutralMedia['type'], string>> = {
  image: 'image',
  document: 'file',
  audio: 'audio',
  video: 'video',
}
