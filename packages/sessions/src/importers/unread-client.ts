import { type Fields, isFields } from './json-fields.ts'

/** The client, with its article, whose sessions look like these records and are not read; undefined where none is known to. */
export function unreadClient(records: readonly unknown[]): string | undefined {
  const fields = records.filter(isFields)
  return UNREAD.find(({ isRecord }) => fields.some(isRecord))?.client
}

/** Signs that no other format has; what is not easy to tell is not guessed. */
const UNREAD: readonly { readonly client: string; readonly isRecord: (record: Fields) => boolean }[] = [
  { client: 'a Gemini CLI', isRecord: (record) => 'projectHash' in record && 'sessionId' in record },
  { client: 'a Gemini CLI', isRecord: (record) => record.type === 'gemini' && 'content' in record },
  {
    client: 'a Copilot CLI',
    isRecord: ({ type, data }) => typeof type === 'string' && type.startsWith('session.') && isFields(data),
  },
  { client: 'an opencode', isRecord: ({ info, parts }) => isFields(info) && Array.isArray(parts) },
  { client: 'an opencode', isRecord: ({ message }) => isFields(message) && typeof message.sessionID === 'string' },
]
