import type { CompactionRecord } from '../engine/record/compaction-record.ts'
import { artifactKey, isArtifactKey, storedContent } from './artifact-key.ts'
import { BoundedMap } from './bounded-map.ts'
import { entryMark, freshEntries, historyText } from './history-text.ts'
import { assertLimit, type LimitMemory, lowers, lowestLimit, remembered } from './learned-limits.ts'
import type { ArtifactStore, HistoryStore, LearnedLimit, LimitStore, RecordStore, StoreCall, Stores } from './ports.ts'
import { safeName } from './safe-name.ts'
import { Turns } from './turns.ts'

/** Bounds of what is kept. Beyond one, what was not touched for longest is forgotten. */
export interface MemoryOptions extends LimitMemory {
  /** Conversations with their forks. Default 10,000. */
  readonly roots?: number
  /** Bytes of artifacts, two for each UTF-16 unit. Default 256 MiB. */
  readonly artifactBytes?: number
  /** Bytes of histories, likewise. Default 256 MiB. */
  readonly historyBytes?: number
  /** Triples of namespace, upstream and model. Default 10,000. */
  readonly limits?: number
}

const COUNT = 10_000
const BYTES = 256 * 1024 * 1024

/**
 * Stores that live as long as the process, in any JavaScript runtime. Each call of this function gives new, empty ones.
 * @throws RangeError for a bound that is not above 0.
 *
 * @example
 * const compactor = createCompactor({ dialect: anthropicMessages, stores: memoryStores() })
 */
export function memoryStores(options: MemoryOptions = {}): Stores {
  return {
    records: memoryRecords(options.roots ?? COUNT),
    artifacts: memoryArtifacts(options.artifactBytes ?? BYTES),
    history: memoryHistory(options.historyBytes ?? BYTES),
    limits: memoryLimits(options.limits ?? COUNT, options),
  }
}

function memoryRecords(roots: number): RecordStore {
  const byRoot = new BoundedMap<Map<string, CompactionRecord>>(roots)
  const turns = new Turns()
  return {
    async list(root, call) {
      assertActive(call)
      return [...(byRoot.get(root)?.values() ?? [])]
    },
    async commit(root, record, call) {
      assertActive(call)
      const records = byRoot.get(root) ?? new Map<string, CompactionRecord>()
      const first = records.get(record.key) ?? record
      byRoot.set(root, records.set(record.key, first))
      return first
    },
    alone: (root, run, call) => turns.next(root, run, call?.signal),
  }
}

function memoryArtifacts(bytes: number): ArtifactStore {
  const contents = new BoundedMap<string>(bytes, (content) => 2 * content.length)
  const place = (namespace: string, key: string) => JSON.stringify([namespace, key])
  return {
    async put(namespace, content, call) {
      assertActive(call)
      const stored = storedContent(content)
      const key = artifactKey(namespace, stored)
      contents.set(place(namespace, key), stored)
      return key
    },
    async get(namespace, key, call) {
      assertActive(call)
      return isArtifactKey(key) ? contents.get(place(namespace, key)) : undefined
    },
  }
}

interface MemoryHistory {
  readonly text: string
  readonly marks: ReadonlySet<string>
}

function memoryHistory(bytes: number): HistoryStore {
  const histories = new BoundedMap<MemoryHistory>(bytes, ({ text }) => 2 * text.length)
  return {
    async append({ namespace, session }, entries, call) {
      assertActive(call)
      const place = JSON.stringify([namespace, session])
      const { text, marks } = histories.get(place) ?? { text: '', marks: new Set<string>() }
      const fresh = freshEntries(entries, marks)
      if (fresh.length > 0) {
        histories.set(place, {
          text: text + historyText(fresh, text),
          marks: new Set([...marks, ...fresh.map(entryMark)]),
        })
      }
      return `/conversation_history/${safeName(session)}.md`
    },
    async read({ namespace, session }, call) {
      assertActive(call)
      return histories.get(JSON.stringify([namespace, session]))?.text
    },
  }
}

function memoryLimits(scopes: number, memory: LimitMemory): LimitStore {
  const byScope = new BoundedMap<readonly LearnedLimit[]>(scopes)
  const place = (scope: { namespace: string; upstream: string; model: string }) =>
    JSON.stringify([scope.namespace, scope.upstream, scope.model])
  return {
    async get(scope, call) {
      assertActive(call)
      return lowestLimit(remembered(byScope.get(place(scope)) ?? [], memory))
    },
    async learn(scope, limit, call) {
      assertActive(call)
      assertLimit(limit)
      const known = remembered(byScope.get(place(scope)) ?? [], memory)
      if (lowers(limit, lowestLimit(known))) byScope.set(place(scope), [...known, limit])
    },
  }
}

function assertActive(call: StoreCall | undefined): void {
  call?.signal?.throwIfAborted()
}
