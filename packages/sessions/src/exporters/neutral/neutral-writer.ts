import { isFields } from '../../importers/json-fields.ts'
import type { LossTally } from '../loss-tally.ts'
import type { CallIdRule, NamedCall } from './call-ids.ts'
import { mediaNote, type NeutralContent, type NeutralConversation, type NeutralMedia } from './neutral-conversation.ts'
import type { AssistantTurn, Turn } from './turns.ts'

/** Writes the neutral form as a request of one format. */
export interface NeutralWriter {
  readonly callIds: CallIdRule
  /** How a conversation must begin and end, and whether the system may speak inside it. */
  readonly shape: TurnShape
  items(turns: readonly Turn[], losses: LossTally): readonly WrittenItem[]
  /** The request around the items. */
  body(items: readonly object[], conversation: NeutralConversation, losses: LossTally): object
}

export interface TurnShape {
  readonly opening: 'any' | 'user'
  readonly ending: 'any' | 'trimmed' | 'user'
  /** A text that is empty or white space alone is refused. */
  readonly blankTexts: 'taken' | 'refused'
  readonly systemInside: 'taken' | 'refused'
  /** Reasoning that no signature of this provider stands on. */
  readonly openReasoning: 'taken' | 'refused'
  /** Media in what the assistant says. */
  readonly assistantMedia: 'taken' | 'refused'
}

/** A native item, with the first position of the transcript that it was made from. */
export interface WrittenItem {
  readonly item: object
  readonly position: number
}

export type { AssistantTurn, NamedCall }

/** The calls of a turn, which have ids by now. */
export function callsOf(turn: AssistantTurn): readonly NamedCall[] {
  return turn.parts.filter((part): part is NamedCall => part.kind === 'call')
}

/** The words of a list of contents; media must have been taken out or noted before. */
export function wordsOf(content: readonly NeutralContent[]): string {
  return content.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n')
}

/** Notes that this format cannot take the media; gives the text that stands in its place. */
export function noteMedia(media: NeutralMedia, losses: LossTally, position: number): string {
  losses.add(`${media.type} (a note stands in its place)`, position)
  return mediaNote(media)
}

/** The first position of the results of a turn, which stand in an item of their own. */
export function resultsPosition(turn: AssistantTurn): number {
  const positions = callsOf(turn).flatMap(({ result }) => (result === undefined ? [] : [result.position]))
  return positions.reduce((first, position) => Math.min(first, position), Number.POSITIVE_INFINITY)
}

/** The schema of a tool's arguments; of one that is not known, anything. */
export function schemaOf(schema: unknown): object {
  return isFields(schema) ? schema : { type: 'object' }
}
