import { present } from '../../importers/json-fields.ts'
import type { LossTally } from '../loss-tally.ts'
import { argumentsText } from './call-arguments.ts'
import {
  type NeutralContent,
  type NeutralConversation,
  type NeutralMedia,
  neutralText,
  urlOf,
} from './neutral-conversation.ts'
import {
  type AssistantTurn,
  callsOf,
  type NeutralWriter,
  noteMedia,
  schemaOf,
  type WrittenItem,
} from './neutral-writer.ts'
import type { Turn } from './turns.ts'

/** Writes OpenAI Responses. */
export const writeResponses: NeutralWriter = {
  callIds: { refused: /[^\x21-\x7e]/g, maxLength: 64 },
  shape: {
    opening: 'any',
    ending: 'any',
    blankTexts: 'taken',
    systemInside: 'taken',
    // Reasoning goes back by its id or sealed; neither can be made.
    openReasoning: 'refused',
    assistantMedia: 'refused',
  },
  items: (turns, losses) => turns.flatMap((turn) => itemsOf(turn, losses)),
  body: (input, conversation, losses) => responsesBody(input, conversation, losses),
}

/** Writes what Codex sends. */
export const writeCodex: NeutralWriter = {
  ...writeResponses,
  body: (input, conversation, losses) => {
    const { outputCap, ...settings } = conversation.settings
    if (outputCap !== undefined) losses.add('output cap')
    return codexBody(responsesBody(input, { ...conversation, settings }, losses), losses)
  },
}

/** The request with what Codex demands: instructions, a stream, nothing stored. */
export function codexBody(body: object, losses: LossTally): object {
  const { instructions, ...rest } = body as { readonly instructions?: unknown }
  const isGiven = typeof instructions === 'string' && instructions !== ''
  if (!isGiven) losses.add('added: instructions')
  const sealed = ['reasoning.encrypted_content']
  return { ...rest, instructions: isGiven ? instructions : INSTRUCTIONS, store: false, stream: true, include: sealed }
}

const INSTRUCTIONS = 'Continue this conversation.'

function responsesBody(input: readonly object[], conversation: NeutralConversation, losses: LossTally): object {
  const { system, tools, settings } = conversation
  if (settings.stop !== undefined) losses.add('stop sequences')
  return present({
    model: settings.model,
    instructions: system.length === 0 ? undefined : system.join('\n\n'),
    max_output_tokens: settings.outputCap,
    temperature: settings.temperature,
    top_p: settings.topP,
    input,
    tools: tools.length === 0 ? undefined : tools.map(functionTool),
  })
}

function functionTool(tool: NeutralConversation['tools'][number]): object {
  const { name, description, schema } = tool
  return present({ type: 'function', name, description, parameters: schemaOf(schema), strict: false })
}

function itemsOf(turn: Turn, losses: LossTally): readonly WrittenItem[] {
  const { position } = turn
  if (turn.role === 'assistant') return answerItems(turn, losses)
  const content = turn.role === 'system' ? [neutralText(turn.text)] : turn.content
  return [{ item: { type: 'message', role: turn.role, content: contentOf(content, losses, position) }, position }]
}

function answerItems(turn: AssistantTurn, losses: LossTally): readonly WrittenItem[] {
  const said = turn.parts.flatMap((part): readonly object[] => {
    if (part.kind === 'text') {
      return [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: part.text }] }]
    }
    return part.kind === 'call' && part.id !== undefined
      ? [{ type: 'function_call', call_id: part.id, name: part.name, arguments: argumentsText(part) }]
      : []
  })
  const outputs = callsOf(turn).flatMap(({ id, result }): readonly WrittenItem[] => {
    if (result === undefined) return []
    const { position } = result
    if (result.isError) losses.add('error flag of a result', position)
    const [first, ...others] = result.content
    const isText = first?.kind === 'text' && others.length === 0
    const content = first === undefined ? '' : contentOf(result.content, losses, position)
    const output = isText ? first.text : content
    return [{ item: { type: 'function_call_output', call_id: id, output }, position }]
  })
  return [...said.map((item) => ({ item, position: turn.position })), ...outputs]
}

function contentOf(content: readonly NeutralContent[], losses: LossTally, position: number): readonly object[] {
  return content.map((part) =>
    part.kind === 'text' ? textPart(part.text) : (mediaPart(part) ?? textPart(noteMedia(part, losses, position))),
  )
}

function textPart(text: string): object {
  return { type: 'input_text', text }
}

function mediaPart(media: NeutralMedia): object | undefined {
  const { type, source, name } = media
  if (source.kind === 'text') return textPart(source.text)
  if (type === 'image') return { type: 'input_image', image_url: urlOf(media, 'image/png'), detail: 'auto' }
  if (type !== 'document') return undefined
  if (source.kind === 'url') return { type: 'input_file', file_url: source.url }
  return { type: 'input_file', filename: name ?? 'document.pdf', file_data: urlOf(media, 'application/pdf') }
}
