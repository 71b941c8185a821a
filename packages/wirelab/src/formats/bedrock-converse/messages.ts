import { asFields, type Fields, field, listField, textField } from '../../json-fields.ts'

/** A message as the rules read it; its blocks are the request's own objects. */
export interface ReadMessage {
  readonly index: number
  readonly role: string
  readonly blocks: readonly Fields[]
  /** Ids of the calls in it. */
  readonly uses: readonly string[]
  /** Ids of the calls whose results are in it. */
  readonly results: readonly string[]
}

/** The converse request: a count call carries one inside itself. */
export function converseRequest(body: unknown): unknown {
  return field(field(body, 'input'), 'converse') ?? body
}

/** The messages in order. */
export function readMessages(body: unknown): readonly ReadMessage[] {
  return listField(converseRequest(body), 'messages').map((message, index) => {
    const blocks = listField(message, 'content').map((block) => asFields(block) ?? {})
    return {
      index,
      role: textField(message, 'role') ?? '',
      blocks,
      uses: idsOf(blocks, 'toolUse'),
      results: idsOf(blocks, 'toolResult'),
    }
  })
}

function idsOf(blocks: readonly Fields[], key: 'toolUse' | 'toolResult'): readonly string[] {
  return blocks.flatMap((block) => (block[key] === undefined ? [] : [textField(block[key], 'toolUseId') ?? '']))
}

/** The blocks without cache points, which the model does not read. */
export function spokenBlocks(blocks: readonly Fields[]): readonly Fields[] {
  return blocks.filter((block) => block.cachePoint === undefined)
}

/** Where the open turn begins: behind the last message in which the user speaks, rather than a tool. */
export function openTurnStart(messages: readonly ReadMessage[]): number {
  return messages.findLastIndex(({ role, results }) => role === 'user' && results.length === 0) + 1
}
