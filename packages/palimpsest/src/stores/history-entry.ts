import type { MessageView, PartView } from '../engine/messages/message.ts'
import type { Transcript } from '../engine/messages/transcript.ts'
import { EMPTY_PLAN, type Plan } from '../engine/plan/plan.ts'
import { indexPlan } from '../engine/plan/plan-index.ts'
import { hasPosition } from '../engine/plan/position-set.ts'
import { sha256 } from '../engine/record/sha256.ts'

/** One evicted message, ready to be appended to a history. */
export interface HistoryEntry {
  readonly position: number
  /** Hash of the item's fingerprint: with the position it tells entries apart. 16 hexadecimal digits. */
  readonly fingerprint: string
  /** The message as Markdown, its texts verbatim. */
  readonly markdown: string
}

/**
 * What a plan takes out of the view, whole or in part, as history entries in transcript order. What `stored` took out is left out:
 * the history has it.
 *
 * @example
 * evictedEntries(transcript, { drop: [{ from: 0, to: 41 }] }).length // 41
 */
export function evictedEntries<Item extends object>(
  transcript: Transcript<Item>,
  plan: Plan,
  stored: Plan = EMPTY_PLAN,
): readonly HistoryEntry[] {
  const [isEvicted, isStored] = [evictedBy(plan), evictedBy(stored)]
  const entries: HistoryEntry[] = []
  for (let position = 0; position < transcript.length; position++) {
    if (!isEvicted(position) || isStored(position)) continue
    const fingerprint = entryFingerprint(sha256(transcript.lens.fingerprint(transcript.item(position))))
    entries.push({ position, fingerprint, markdown: messageMarkdown(position, transcript.view(position)) })
  }
  return entries
}

function evictedBy(plan: Plan): (position: number) => boolean {
  const { drop, items } = indexPlan(plan)
  return (position) => hasPosition(drop, position) || items.has(position)
}

/** By this a history knows an item, of which this is the hash, as a `PositionChain` has it. */
export function entryFingerprint(itemHash: string): string {
  return itemHash.slice(0, 16)
}

function messageMarkdown(position: number, view: MessageView): string {
  const parts = view.parts.map(partMarkdown).filter((text) => text !== '')
  return `## ${position} ${view.role}\n\n${parts.join('\n\n')}\n`
}

function partMarkdown(part: PartView): string {
  const text = part.text()
  const media = (part.media ?? []).map((one) => `[${one.kind}, ${one.bytes} bytes]`)
  if (part.kind === 'text') return withMedia(text, media)
  const title = [part.kind, part.toolName, part.callId].filter((word) => word !== undefined).join(' ')
  const body = text === '' ? [] : [fenced(text)]
  return withMedia([`**${title}**${part.isError ? ' (error)' : ''}`, ...body].join('\n'), media)
}

function withMedia(text: string, media: readonly string[]): string {
  return [text, ...media].filter((line) => line !== '').join('\n')
}

/** A fence longer than any run of backticks inside. */
function fenced(text: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0)
  const fence = '`'.repeat(Math.max(3, longest + 1))
  return `${fence}\n${text}\n${fence}`
}
