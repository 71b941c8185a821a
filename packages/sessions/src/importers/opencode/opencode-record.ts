import { type Fields, isFields } from '../json-fields.ts'

/** A message together with its parts, as opencode exports it. */
export interface MessageWithParts {
  readonly info: Fields
  readonly parts: readonly unknown[]
}

export function isMessageWithParts(record: unknown): record is Fields & MessageWithParts {
  return (
    isFields(record) && isFields(record.info) && typeof record.info.role === 'string' && Array.isArray(record.parts)
  )
}

/** What opencode says about a session as a whole; in the folder of older versions its id can be in the path alone. */
export function isSessionInfo(record: unknown): record is Fields {
  if (!isFields(record) || typeof record.title !== 'string' || !isFields(record.time)) return false
  return typeof record.directory === 'string' || typeof record.projectID === 'string'
}
