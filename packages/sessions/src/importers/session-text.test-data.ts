import type { ImportedSession } from './imported-session.ts'

/** A JSON Lines file of these records. */
export function jsonLines(records: readonly unknown[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('')
}

/** The text as a stream of bytes, in pieces of `size` bytes. */
export async function* chunked(text: string | Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size)
}

/** How many lines were skipped, by reason. */
export function skippedCounts(session: ImportedSession): Record<string, number> {
  return Object.fromEntries(Object.entries(session.skipped).map(([reason, { count }]) => [reason, count]))
}

/** The items alone. */
export function itemsOf(session: ImportedSession): unknown[] {
  return session.items.map(({ item }) => item)
}

/** A conversation in one word per item, calls and results by their ids: `user:hi`, `assistant:text+call a`, `user:result a`. */
export function outline(session: ImportedSession): string[] {
  return session.items.map(({ item }) => {
    const { role, content } = item as { role: string; content: string | Record<string, unknown>[] }
    const blocks = typeof content === 'string' ? [content] : content.map(word)
    return `${role}:${blocks.join('+')}`
  })
}

function word(block: Record<string, unknown>): string {
  if (block.type === 'tool_use') return `call ${String(block.id)}`
  if (block.type === 'tool_result') return `result ${String(block.tool_use_id)}`
  return block.type === 'text' ? String(block.text) : String(block.type)
}
