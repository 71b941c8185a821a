import type { HistoryEntry } from '../../stores/history-entry.ts'
import type { StoreCall, Stores } from '../../stores/ports.ts'
import type { ReadableHistory } from '../../stores/read-history.ts'
import type { ConversationScope } from './answering-calls.ts'

const ARTIFACT = /^artifact:\/\/([0-9a-f]+)$/

/**
 * What a path stands for in this conversation: an artifact, or the evicted messages. There is one history for a tool to read,
 * so that no path leads to another conversation's. Undefined where nothing is stored.
 */
export async function storedText(
  stores: Pick<Stores, 'artifacts' | 'history'>,
  scope: ConversationScope,
  where: { readonly path?: string | undefined } & StoreCall,
): Promise<ReadableHistory | undefined> {
  const call = where.signal === undefined ? {} : { signal: where.signal }
  const key = ARTIFACT.exec(where.path?.trim() ?? '')?.[1]
  if (key === undefined) return stores.history.read(scope, call)
  const content = await stores.artifacts.get(scope.namespace, key, call)
  return content === undefined ? undefined : [asEntry(content)]
}

/** An artifact reads like a history of one message. */
function asEntry(markdown: string): HistoryEntry {
  return { position: 0, fingerprint: '', markdown }
}
