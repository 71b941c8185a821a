import type { HistoryEntry } from './history-entry.ts'
import type { ArtifactStore, HistoryStore, Stores } from './ports.ts'
import { maskNamedSecrets } from './secret-names.ts'
import { maskPrivateKeys } from './secret-private-keys.ts'
import { maskShapes } from './secret-shapes.ts'

/** How texts are redacted before they are stored. */
export interface RedactionOptions {
  /** The text as it may be stored. Twice must be the same as once: else one text has two keys. Default `redactSecrets`. */
  readonly redact?: (text: string) => string
}

/**
 * The same stores, of which artifacts and histories never see what `redact` takes out: what is read back is the redacted text,
 * and a text and its redacted form have one key. A redaction that throws fails the call, and nothing is written. Records
 * and limits pass as they are: a summary is made of the messages themselves.
 *
 * @example const stores = redacting(directoryStores(folder))
 */
export function redacting(stores: Stores, { redact = redactSecrets }: RedactionOptions = {}): Stores {
  return {
    records: stores.records,
    artifacts: redactingArtifacts(stores.artifacts, redact),
    history: redactingHistory(stores.history, redact),
    limits: stores.limits,
  }
}

/**
 * The text with `[redacted:kind]` in the place of what has the shape of a secret: keys and tokens of well-known services, JSON
 * Web Tokens, private keys, `Authorization` headers, passwords in URLs, and values with names like `API_KEY=` or
 * `password:`. It knows shapes, not meanings: a secret that looks like any other word stays, and so do UUIDs, hashes,
 * pictures as base64 and code. Takes time in proportion to the text, and changes nothing the second time.
 *
 * @example redactSecrets('DB_PASSWORD=hunter2') // 'DB_PASSWORD=[redacted:password]'
 */
export function redactSecrets(text: string): string {
  return maskNamedSecrets(maskShapes(maskPrivateKeys(text)))
}

function redactingArtifacts(artifacts: ArtifactStore, redact: (text: string) => string): ArtifactStore {
  return {
    put: async (namespace, content, call) => artifacts.put(namespace, redact(content), call),
    get: (namespace, key, call) => artifacts.get(namespace, key, call),
  }
}

function redactingHistory(history: HistoryStore, redact: (text: string) => string): HistoryStore {
  const redacted = (entry: HistoryEntry) => ({ ...entry, markdown: redact(entry.markdown) })
  const search = history.search?.bind(history)
  return {
    append: async (session, entries, call) => history.append(session, entries.map(redacted), call),
    read: (session, call) => history.read(session, call),
    ...(search !== undefined && { search }),
  }
}
