import { clientFormats } from './client-formats.ts'
import type { ClientFormatName, SessionFormat } from './imported-session.ts'
import { isFields } from './json-fields.ts'
import { isListedMessage, isMessage, isRequestBody } from './request/request-shape.ts'

/**
 * The session format a line or document belongs to, by its own fields; undefined where they do not say. File names play
 * no part. A request body, or a message or list of messages on its own, is `request`.
 */
export function formatOfRecord(record: unknown): SessionFormat | undefined {
  const client = formatOfLine(record) ?? clientFormats.find(({ isDocument }) => isDocument?.(record))?.name
  if (client !== undefined) return client
  const isRequest = Array.isArray(record) ? record.some(isListedMessage) : isRequestBody(record) || isMessage(record)
  return isRequest ? 'request' : undefined
}

/** The client of which this is a line of a session log. */
export function formatOfLine(record: unknown): ClientFormatName | undefined {
  return isFields(record) ? clientFormats.find(({ isLine }) => isLine?.(record))?.name : undefined
}

/** The client of which this is a piece of a document. */
export function formatOfPiece(record: unknown): ClientFormatName | undefined {
  return isFields(record) ? clientFormats.find(({ isPiece }) => isPiece?.(record))?.name : undefined
}
