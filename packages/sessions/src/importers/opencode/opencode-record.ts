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

/** What opencode says about a session as a whole. */
export function isSessionInfo(record: unknown): record is Fields & { readonly id: string } {
  if (!isFields(record) || typeof record.id !== 'string' || typeof record.title !== 'string') return false
  return isFields(record.time) && (typeof record.directory === 'string' || typeof record.projectID === 'string')
}
