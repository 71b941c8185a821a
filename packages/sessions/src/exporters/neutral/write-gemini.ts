import { present } from '../../importers/json-fields.ts'
import type { LossTally } from '../loss-tally.ts'
import { argumentsObject } from './call-arguments.ts'
import type { NeutralMedia, NeutralText } from './neutral-conversation.ts'
import {
  type AssistantTurn,
  callsOf,
  type NamedCall,
  type NeutralWriter,
  noteMedia,
  resultsPosition,
  schemaOf,
  type WrittenItem,
} from './neutral-writer.ts'
import type { Turn } from './turns.ts'

/** Writes Gemini's `generateContent`. */
export const writeGemini: NeutralWriter = {
  callIds: { refused: /[^\x21-\x7e]/g, maxLength: 64 },
  shape: {
    opening: 'user',
    ending: 'any',
    blankTexts: 'taken',
    systemInside: 'refused',
    openReasoning: 'taken',
    assistantMedia: 'taken',
  },
  items: (turns, losses) => turns.flatMap((turn) => itemsOf(turn, losses)),
  body: (contents, { system, tools, settings }, losses) => {
    if (settings.model !== undefined) losses.add('model (it stands in the address of the call)')
    const declared = tools.map(({ name, description, schema }) =>
      present({ name, description, parametersJsonSchema: schemaOf(schema) }),
    )
    const config = present({
      maxOutputTokens: settings.outputCap,
      temperature: settings.temperature,
      topP: settings.topP,
      stopSequences: settings.stop,
    })
    return present({
      systemInstruction: system.length === 0 ? undefined : { parts: system.map((text) => ({ text })) },
      tools: declared.length === 0 ? undefined : [{ functionDeclarations: declared }],
      generationConfig: Object.keys(config).length === 0 ? undefined : config,
      contents,
    })
  },
}

function itemsOf(turn: Turn, losses: LossTally): readonly WrittenItem[] {
  const { position } = turn
  if (turn.role === 'assistant') return answerItems(turn, losses)
  if (turn.role === 'system') return []
  return [{ item: { role: 'user', parts: turn.content.map((part) => partOf(part, losses, position)) }, position }]
}

function answerItems(turn: AssistantTurn, losses: LossTally): readonly WrittenItem[] {
  const { position } = turn
  const parts = turn.parts.map((part) => {
    if (part.kind === 'reasoning') return { text: part.text, thought: true }
    if (part.kind !== 'call') return partOf(part, losses, position)
    return { functionCall: { id: part.id, name: part.name, args: argumentsObject(part, losses.at(position)) } }
  })
  const answered = callsOf(turn).filter((call) => call.result !== undefined)
  const answer = { item: { role: 'model', parts }, position }
  if (answered.length === 0) return [answer]
  const responses = answered.map((call) => ({ functionResponse: responseOf(call, losses) }))
  return [answer, { item: { role: 'user', parts: responses }, position: resultsPosition(turn) }]
}

function responseOf({ id, name, result }: NamedCall, losses: LossTally): object {
  const { content = [], isError = false, position = 0 } = result ?? {}
  const texts: string[] = []
  const media: object[] = []
  for (const part of content) {
    const data = part.kind === 'text' ? undefined : mediaPart(part)
    if (data === undefined) texts.push(part.kind === 'text' ? part.text : wordsFor(part, losses, position))
    else media.push(data)
  }
  const words = texts.join('\n')
  const response = isError ? { error: words } : { output: words }
  return { id, name, response, ...(media.length > 0 && { parts: media }) }
}

function partOf(part: NeutralText | NeutralMedia, losses: LossTally, position: number): object {
  if (part.kind === 'text') return { text: part.text }
  return mediaPart(part) ?? { text: wordsFor(part, losses, position) }
}

function wordsFor(media: NeutralMedia, losses: LossTally, position: number): string {
  return media.source.kind === 'text' ? media.source.text : noteMedia(media, losses, position)
}

function mediaPart({ source, type, mimeType }: NeutralMedia): object | undefined {
  if (source.kind === 'text') return undefined
  if (source.kind === 'data') return { inlineData: { mimeType: mimeType ?? USUAL_TYPES[type], data: source.data } }
  // The API fetches files by address, and wants to be told what they are.
  const isTold = mimeType !== undefined || type === 'image'
  return isTold ? { fileData: { mimeType: mimeType ?? USUAL_TYPES[type], fileUri: source.url } } : undefined
}

const USUAL_TYPES: Readonly<Record<NeutralMedia['type'], string>> = {
  image: 'image/png',
  document: 'application/pdf',
  audio: 'audio/wav',
  video: 'video/mp4',
}
