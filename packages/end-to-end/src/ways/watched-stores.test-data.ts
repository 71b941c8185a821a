import { type CompactionRecord, type HistoryEntry, type HistorySession, memoryStores, type Stores } from 'palimpsest'

/** Stores in memory with all that was written to them, in order. */
export interface WatchedStores extends Stores {
  readonly appended: readonly { readonly session: HistorySession; readonly entries: readonly HistoryEntry[] }[]
  readonly committed: readonly CompactionRecord[]
  readonly artifactKeys: readonly string[]
}

export function watchedStores(stores: Stores = memoryStores()): WatchedStores {
  const appended: { session: HistorySession; entries: readonly HistoryEntry[] }[] = []
  const committed: CompactionRecord[] = []
  const artifactKeys: string[] = []
  return {
    ...stores,
    appended,
    committed,
    artifactKeys,
    records: {
      ...stores.records,
      async commit(root, record, options) {
        const kept = await stores.records.commit(root, record, options)
        committed.push(kept)
        return kept
      },
    },
    history: {
      ...stores.history,
      async append(session, entries, options) {
        const path = await stores.history.append(session, entries, options)
        appended.push({ session, entries })
        return path
      },
    },
    artifacts: {
      ...stores.artifacts,
      async put(namespace, content, options) {
        const key = await stores.artifacts.put(namespace, content, options)
        artifactKeys.push(key)
        return key
      },
    },
  }
}
