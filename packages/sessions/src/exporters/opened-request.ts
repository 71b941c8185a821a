import { type Conversation, conversationUnderPlan, type Dialect } from 'palimpsest'
import { type Fields, isFields } from '../importers/json-fields.ts'
import type { ExportedSession } from './exported-session.ts'
import { plainMessage } from './langchain-message.ts'
import type { OpenedRequest } from './neutral/read-neutral.ts'

/** The session as the request that would go out: its frame with the whole transcript, or with what a model is sent of it. */
export function openedRequest(
  session: ExportedSession,
  dialect: Dialect<unknown, object>,
  view: 'transcript' | 'view',
): OpenedRequest {
  const whole = wholeConversation(session, dialect)
  const conversation = view === 'view' ? underNewestRecord(session, dialect, whole) : whole
  const frame = session.source?.value ?? session.frame
  return { conversation, frame: isFields(frame) ? frame : NO_FIELDS, model: session.model }
}

function wholeConversation(session: ExportedSession, dialect: Dialect<unknown, object>): Conversation<object> {
  // Instances of LangChain's classes became something else in the JSON of a log.
  const items = session.items.map(({ item }) => serializedMessage(item) ?? (item as object))
  const frame = session.source?.value ?? session.frame
  const { model } = session
  if (frame === undefined) return { system: [], items, ...(model !== undefined && { model }) }
  return { ...dialect.open(frameWithItems(frame, dialect)), items }
}

/** What the model is sent under the newest record; the transcript itself where there is none. */
function underNewestRecord(
  session: ExportedSession,
  dialect: Dialect<unknown, object>,
  conversation: Conversation<object>,
): Conversation<object> {
  const newest = session.compactions.findLast((compaction) => compaction.kind === 'record')
  if (newest?.kind !== 'record') return conversation
  const { plan, length } = newest.record
  const planned = conversationUnderPlan(dialect, conversation, { current: plan, madeAt: length })
  const { outputCap, ...rest } = planned.conversation
  // What the cap was is the caller's wish; it is lowered when a request goes out.
  return { ...rest, ...(conversation.outputCap !== undefined && { outputCap: conversation.outputCap }) }
}

/** The frame as a request that can be opened: it may lack the list that the items stood in. */
export function frameWithItems(frame: unknown, { itemsKey }: Dialect<unknown, object>): unknown {
  return isFields(frame) && frame[itemsKey] === undefined ? { ...frame, [itemsKey]: [] } : frame
}

function serializedMessage(item: unknown): object | undefined {
  return isFields(item) && item.lc === 1 ? plainMessage(item) : undefined
}

const NO_FIELDS: Fields = {}
