import { asFields, type Fields, field, listField, textField } from '../../json-fields.ts'

/** One message of a request, read: its blocks as a list, whatever way they were written. */
export interface ReadMessage {
  readonly role: string
  readonly blocks: readonly Fields[]
  /** A system message that only changes settings: it has no content, and may stand anywhere. */
  readonly directive: boolean
}

/** The messages of a body. Entries that cannot be read have no role. */
export function readMessages(body: unknown): readonly ReadMessage[] {
  return listField(body, 'messages').map((message) => {
    const role = textField(message, 'role') ?? ''
    const blocks = readBlocks(field(message, 'content'))
    const setsOutput = asFields(field(message, 'output_config')) !== undefined
    return { role, blocks, directive: role === 'system' && blocks.length === 0 && setsOutput }
  })
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

/** Is this the result of a tool that the provider itself runs? */
export function isServerResult({ type }: Fields): boolean {
  return typeof type === 'string' && type !== 'tool_result' && type.endsWith('_tool_result')
}

/** Is this a call of a tool that the provider itself runs? */
export function isServerCall({ type }: Fields): boolean {
  return typeof type === 'string' && type !== 'tool_use' && type.endsWith('_tool_use')
}

/** Indexes of the messages of the open turn: behind the last user message with something other than tool results. */
export function openTurnStart(messages: readonly ReadMessage[]): number {
  return (
    messages.findLastIndex(
      ({ role, blocks }) => role === 'user' && blocks.some((block) => block.type !== 'tool_result'),
    ) + 1
  )
}
