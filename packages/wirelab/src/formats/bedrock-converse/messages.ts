import { asFields, type Fields, field, listField, textField } from '../../json-fields.ts'

/** A message as the rules read it; its blocks are the request's own objects. */
export interface ReadMessage {
  readonly index: number
  readonly role: string
  readonly blocks: readonly Fields[]
  /** Ids of the calls in it that the client answers. */
  readonly uses: readonly string[]
  /** Ids of the calls whose results the client brings in it. */
  readonly results: readonly string[]
  /** The same of tools that run on the server: call and result stand in one assistant message. */
  readonly server: { readonly uses: readonly string[]; readonly results: readonly string[] }
}

/** The converse request: a count call carries one inside itself. */
export function converseRequest(body: unknown): unknown {
  return field(field(body, 'input'), 'converse') ?? body
}

/** The messages in order. */
export function readMessages(body: unknown): readonly ReadMessage[] {
  return listField(converseRequest(body), 'messages').map((message, index) => {
    const role = textField(message, 'role') ?? ''
    const blocks = listField(message, 'content').map((block) => asFields(block) ?? {})
    const uses = fieldsOf(blocks, 'toolUse')
    const serverUses = idsOf(uses.filter(({ type }) => type === 'server_tool_use'))
    const results = fieldsOf(blocks, 'toolResult')
    const byServer = results.filter((result) => role === 'assistant' && result.type !== undefined)
    return {
      index,
      role,
      blocks,
      uses: idsOf(uses.filter(({ type }) => type !== 'server_tool_use')),
      results: idsOf(results.filter((result) => !byServer.includes(result))),
      server: { uses: serverUses, results: idsOf(byServer) },
    }
  })
}

function fieldsOf(blocks: readonly Fields[], key: 'toolUse' | 'toolResult'): readonly Fields[] {
  return blocks.map((block) => asFields(block[key])).filter((fields) => fields !== undefined)
}

function idsOf(ends: readonly Fields[]): readonly string[] {
  return ends.map((end) => textField(end, 'toolUseId') ?? '')
}

/** The blocks without cache points, which the model does not read. */
export function spokenBlocks(blocks: readonly Fields[]): readonly Fields[] {
  return blocks.filter((block) => block.cachePoint === undefined)
}

/** Where the open turn begins: behind the last message in which the user speaks, rather than a tool. */
export function openTurnStart(messages: readonly ReadMessage[]): number {
  return messages.findLastIndex(({ role, results }) => role === 'user' && results.length === 0) + 1
}
