import type { Fields } from '../../importers/json-fields.ts'
import type { Lose } from '../loss-tally.ts'
import type { NeutralMessage, NeutralSettings, NeutralTool } from './neutral-conversation.ts'

/** A message that a reader made of an item, before it is known where that stands. */
export type ReadMessage = Omit<NeutralMessage, 'position'>

/** Reads the items of one format into the neutral form, and says what it leaves behind. Never throws. */
export interface NeutralReader {
  /** The text of an entry that leads the request. */
  system(entry: unknown, lose: Lose): string
  item(item: unknown, lose: Lose): readonly ReadMessage[]
  /** Definitions of the client's own tools. */
  tools(frame: Fields, lose: Lose): readonly NeutralTool[]
  settings(frame: Fields): NeutralSettings
  /** Fields of a request that the above read, and those that say nothing beyond. The others are settings that are lost. */
  readonly frameFields: ReadonlySet<string>
  /** Neighbouring items of the assistant are one answer: each item holds one part of it. */
  readonly itemPerPart?: true
}

/** Notes the fields that a reader does not know. */
export function loseFields(fields: Fields, known: ReadonlySet<string>, lose: Lose): void {
  for (const [key, value] of Object.entries(fields)) {
    if (CACHE_MARKS.has(key) && value != null) lose('cache mark')
    else if (!known.has(key) && value != null) lose(`field "${key}"`)
  }
}

const CACHE_MARKS: ReadonlySet<string> = new Set(['cache_control', 'cachePoint', 'prompt_cache_breakpoint'])

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** Stop sequences: one or several. */
export function textsOf(value: unknown): readonly string[] | undefined {
  if (typeof value === 'string') return [value]
  const texts = Array.isArray(value) ? value.filter((text) => typeof text === 'string') : []
  return texts.length === 0 ? undefined : texts
}
