import { asFields, type Fields, field, listField, textField } from '../../json-fields.ts'

/** One message of a request, read: its blocks as a list, whatever way they were written. */
export interface ReadMessage {
  readonly role: string
  readonly blocks: readonly Fields[]
  /** Was the content a plain string? */
  readonly plain: boolean
}

/** The messages of a body. Entries that cannot be read have no role. */
export function readMessages(body: unknown): readonly ReadMessage[] {
  return listField(body, 'messages').map((message) => ({
    role: textField(message, 'role') ?? '',
    blocks: readBlocks(field(message, 'content')),
    plain: typeof field(message, 'content') === 'string',
  }))
}

/** Blocks of a content: a string is one text block, the empty string none. */
export function readBlocks(content: unknown): readonly Fields[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.map((block) => asFields(block) ?? {}) : []
}

/** Is this one of the two kinds of thinking blocks? */
export function isThinking(block: Fields): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking'
}

/** Indexes of the messages of the open turn: behind the last user message with something other than tool results. */
export function openTurnStart(messages: readonly ReadMessage[]): number {
  return (
    messages.findLastIndex(
      ({ role, blocks }) => role === 'user' && blocks.some((block) => block.type !== 'tool_result'),
    ) + 1
  )
}
