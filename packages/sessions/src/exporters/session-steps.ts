import { createHash } from 'node:crypto'
import { dialectByName, type Usage } from 'palimpsest'
import type { RecordedCall } from '../importers/imported-session.ts'
import { type Fields, fieldsOf, present } from '../importers/json-fields.ts'
import { compactionMarker, type Marker } from './compaction-marker.ts'
import type { ExportedSession, ExportView } from './exported-session.ts'
import { jsonDocument } from './json-document.ts'
import type { LossTally } from './loss-tally.ts'
import { convertedItems } from './neutral/write-neutral.ts'
import { openedRequest } from './opened-request.ts'

/** One thing that a session file tells: an item in the form of Anthropic Messages, or a compaction. */
export type SessionStep = ItemStep | MarkerStep

export interface ItemStep {
  readonly kind: 'item'
  readonly item: { readonly role: string; readonly content: string | readonly unknown[] }
  /** Position in the transcript. */
  readonly position: number
  readonly timestamp: number
  readonly injected: boolean
  /** 64 hexadecimal digits: what identifies the item and all before it. */
  readonly seed: string
  readonly call?: { readonly usage?: Usage; readonly model?: string }
}

export interface MarkerStep {
  readonly kind: 'marker'
  readonly marker: Marker
  readonly position: number
  readonly timestamp: number
  readonly seed: string
}

/**
 * The items and compactions of a session in the order in which a client would have written them. Both clients keep
 * Anthropic's messages, so items of other dialects become those.
 */
export function sessionSteps(session: ExportedSession, view: ExportView, losses: LossTally): readonly SessionStep[] {
  const items = itemSteps(session, view === 'view' ? 'view' : 'transcript', losses)
  if (session.frame !== undefined || session.source !== undefined)
    losses.add('system, tools and settings of the request')
  return view === 'full-with-markers' ? withMarkers(items, session, losses) : items
}

function itemSteps(session: ExportedSession, view: 'transcript' | 'view', losses: LossTally): readonly ItemStep[] {
  const written = anthropicItems(session, view, losses)
  const seeds = view === 'transcript' ? session.items.map(({ hash }) => hash) : []
  const callAt = callsByItem(written, view === 'transcript' ? session.calls : [], losses)
  let timestamp = session.createdAt
  let seed = hashOf(session.id)
  return written.map(({ item, position }, at): ItemStep => {
    const source = view === 'transcript' ? session.items[position] : undefined
    timestamp = source?.timestamp ?? timestamp
    const own = seeds[position]
    seed = own === undefined ? hashOf(`${seed}${jsonDocument(item)}`) : hashOf(`${own}${at}`)
    const call = callAt.get(at)
    const injected = source?.injected === true
    return { kind: 'item', item: messageOf(item), position, timestamp, injected, seed, ...present({ call }) }
  })
}

function anthropicItems(
  session: ExportedSession,
  view: 'transcript' | 'view',
  losses: LossTally,
): readonly { readonly item: object; readonly position: number }[] {
  const opened = openedRequest(session, dialectByName(session.dialect), view)
  const { items } = opened.conversation
  if (session.dialect === 'anthropic-messages') return items.map((item, position) => ({ item, position }))
  const bare = { ...opened, frame: {}, conversation: { ...opened.conversation, system: [] } }
  return convertedItems(bare, { from: session.dialect, to: 'anthropic-messages', losses, openCalls: 'keep' })
}

function messageOf(item: object): ItemStep['item'] {
  const { role, content }: Fields = fieldsOf(item)
  const said = typeof content === 'string' || Array.isArray(content) ? content : []
  return { role: typeof role === 'string' ? role : 'user', content: said }
}

/** Each model call belongs to the first answer at or behind its position that stands before the next call. */
function callsByItem(
  written: readonly { readonly item: object; readonly position: number }[],
  calls: readonly RecordedCall[],
  losses: LossTally,
): ReadonlyMap<number, NonNullable<ItemStep['call']>> {
  const answers = written.flatMap(({ item, position }, at) =>
    messageOf(item).role === 'assistant' ? [{ at, position }] : [],
  )
  const found = new Map<number, NonNullable<ItemStep['call']>>()
  let next = 0
  calls.forEach(({ position, usage, model }, index) => {
    while ((answers[next]?.position ?? Number.POSITIVE_INFINITY) < position) next++
    const answer = answers[next]
    const end = calls[index + 1]?.position ?? Number.POSITIVE_INFINITY
    if (answer === undefined || (answer.position >= end && answer.position !== position)) {
      losses.add('usage of a call', position)
    } else {
      found.set(answer.at, present({ usage, model }))
      next++
    }
  })
  return found
}

/** Markers stand behind everything that had been said. */
function withMarkers(items: readonly ItemStep[], session: ExportedSession, losses: LossTally): readonly SessionStep[] {
  const steps: SessionStep[] = []
  let taken = 0
  session.compactions.forEach((compaction, index) => {
    const end = items.findLastIndex(({ position }) => position < compaction.position) + 1
    steps.push(...items.slice(taken, Math.max(taken, end)))
    taken = Math.max(taken, end)
    const last = items[taken - 1]
    steps.push({
      kind: 'marker',
      marker: compactionMarker(compaction, session, losses),
      position: compaction.position,
      timestamp: compaction.timestamp ?? last?.timestamp ?? session.createdAt,
      seed: hashOf(`${last?.seed ?? session.id}compaction${index}`),
    })
  })
  return [...steps, ...items.slice(taken)]
}

/** SHA-256 of a text, as hexadecimal digits. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** A UUID made of a seed: equal seeds, equal ids. */
export function uuidOf(seed: string): string {
  const digits = /^[0-9a-f]{64}$/.test(seed) ? seed : hashOf(seed)
  const variant = '89ab'[Number.parseInt(digits[16] ?? '0', 16) & 3]
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20, 32)}`
}

/** The session's id, if it is a UUID; else one made of it. */
export function sessionUuid({ id }: ExportedSession): string {
  return UUID.test(id) ? id : uuidOf(id)
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The moment as clients write it; one that no date reaches is the last or first that there is. */
export function isoTime(timestamp: number): string {
  return new Date(Math.max(-FARTHEST_DATE, Math.min(timestamp, FARTHEST_DATE))).toISOString()
}

/** Milliseconds from the epoch: what a date of JavaScript can tell. */
const FARTHEST_DATE = 8.64e15
