import { type Fields, fieldsOf, isFields, listOf } from './json-fields.ts'

/** The client, with its article, whose sessions look like these records and are not read; undefined where none is known to. */
export function unreadClient(records: readonly unknown[]): string | undefined {
  const fields = records.flatMap((record) => (Array.isArray(record) ? record : [record])).filter(isFields)
  return UNREAD.find(({ isRecord }) => fields.some(isRecord))?.client
}

/** Signs that no other format has; what is not easy to tell is not guessed. */
const UNREAD: readonly { readonly client: string; readonly isRecord: (record: Fields) => boolean }[] = [
  // What the editor shows; the messages that were sent stand beside it in another file.
  {
    client: 'a Cline or Roo Code',
    isRecord: ({ ts, type, say, ask }) =>
      typeof ts === 'number' && (type === 'say' ? typeof say === 'string' : type === 'ask' && typeof ask === 'string'),
  },
  {
    client: 'an older Copilot CLI',
    isRecord: (record) => Array.isArray(record.chatMessages) && Array.isArray(record.timeline),
  },
  {
    client: 'a Continue',
    isRecord: (record) => 'workspaceDirectory' in record && isFields(fieldsOf(listOf(record.history)[0]).message),
  },
]
