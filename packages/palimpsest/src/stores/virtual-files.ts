import { pointedArtifact } from '../engine/plan/artifact-pointer.ts'
import { isArtifactKey } from './artifact-key.ts'
import { asHistory, boundedPage, matchesText, storedMatches, textMatches } from './history-answers.ts'
import type { HistorySession, SearchCall, StoreCall, Stores } from './ports.ts'
import type { OwnVersions, ReadableHistory } from './read-history.ts'
import { safeName } from './safe-name.ts'

/** Whose files these are. */
export interface VirtualScope extends OwnVersions, HistorySession {
  /** Other sessions of the same namespace whose histories may be read too: those of a sub-agent, say. */
  readonly sessions?: readonly string[]
}

/** What a model reads, where a path led somewhere and where it did not. Bounded. */
export type FileAnswer =
  /** `next`: the offset at which to read on; absent at the end. */
  | { readonly status: 'found'; readonly text: string; readonly next?: number }
  /** The text says why, and what would work. */
  | { readonly status: 'missing'; readonly text: string }

/** A part of a file. */
export interface FilePage extends StoreCall {
  /** UTF-16 units to skip: the `next` of the page before. Default 0. */
  readonly offset?: number
  /** The most UTF-16 units, from 2 to 20,000. Default 20,000; what is above counts as that. */
  readonly limit?: number
}

export interface FileSearch extends StoreCall {
  /** Where to look. Default: the history of the session. */
  readonly path?: string
  /** The most matches, up to 30. Default 10. */
  readonly matches?: number
}

/** Stored histories and artifacts as files that are only read. Every call rejects with what the store refuses. */
export interface VirtualFiles {
  /** Is this path one of these files, or would be one? All others are somebody else's to read. */
  holds(path: string, call?: StoreCall): Promise<boolean>
  /** The files below a folder, one path on a line. */
  list(path?: string, call?: StoreCall): Promise<FileAnswer>
  /** One page of a file. @throws RangeError for an offset that is no natural number, or a limit below 2. */
  read(path: string, page?: FilePage): Promise<FileAnswer>
  /** The places in a file that hold words of a query. */
  search(query: string, where?: FileSearch): Promise<FileAnswer>
}

/**
 * Files over any stores, below a root that no file system knows: `/conversation_history/<session>.md` for each session of the
 * scope, and `/artifacts/<key>` for each artifact of the namespace whose key the reader knows. A path is compared, never
 * followed: what is not one of these files is not there, whatever it looks like.
 *
 * @example
 * const files = virtualFiles(stores, { namespace: 'default', session: 's1' })
 * const { text } = await files.read('/conversation_history/s1.md', { limit: 2_000 })
 */
export function virtualFiles(stores: Pick<Stores, 'artifacts' | 'history'>, scope: VirtualScope): VirtualFiles {
  return new StoredFiles(stores, scope)
}

const HISTORIES = '/conversation_history/'
const ARTIFACTS = '/artifacts/'
const FOLDERS = [ARTIFACTS, HISTORIES]
/** Paths that are listed. */
const MOST_PATHS = 200
/** UTF-16 units of a path that an answer repeats. */
const LONGEST_ECHO = 200

type VirtualFile =
  | { readonly kind: 'history'; readonly session: HistorySession }
  | { readonly kind: 'artifact'; readonly key: string }

class StoredFiles implements VirtualFiles {
  readonly #stores: Pick<Stores, 'artifacts' | 'history'>
  readonly #scope: VirtualScope
  readonly #sessions: readonly HistorySession[]

  constructor(stores: Pick<Stores, 'artifacts' | 'history'>, scope: VirtualScope) {
    const { namespace, session, sessions = [] } = scope
    this.#stores = stores
    this.#scope = scope
    this.#sessions = [...new Set([session, ...sessions])].map((one) => ({ namespace, session: one }))
  }

  async holds(path: string, call: StoreCall = {}): Promise<boolean> {
    const folder = `${rooted(path)}/`
    return FOLDERS.some((one) => folder.startsWith(one)) || (await this.#find(path, call)) !== undefined
  }

  async list(path = '/', call: StoreCall = {}): Promise<FileAnswer> {
    const folder = `${rooted(path).replace(/\/$/, '')}/`
    if (folder === '/') return found(FOLDERS.join('\n'))
    if (folder === ARTIFACTS)
      return found('Artifacts are not listed: each is read by the path or reference that was shown.')
    if (folder !== HISTORIES) return missing(`There is no folder ${echo(path)}. There are ${FOLDERS.join(' and ')}.`)
    const paths = await this.#historyPaths(call)
    return paths.length === 0 ? missing(NOTHING_LEFT) : found(paths.join('\n'))
  }

  async read(path: string, { offset = 0, limit, signal }: FilePage = {}): Promise<FileAnswer> {
    const call = signal === undefined ? {} : { signal }
    const file = await this.#find(path, call)
    if (file === undefined) return this.#noFile(path)
    const text = await this.#textOf(file, call)
    if (text === undefined) return nothingIn(file)
    const page = boundedPage(text, { offset, ...(limit !== undefined && { limit }), ...this.#versions(file) })
    return { ...found(page.text), ...(page.next !== undefined && { next: page.next }) }
  }

  async search(query: string, { path, matches, signal }: FileSearch = {}): Promise<FileAnswer> {
    const call = signal === undefined ? {} : { signal }
    const file = path === undefined ? historyOf(this.#scope) : await this.#find(path, call)
    if (file === undefined) return this.#noFile(path ?? '')
    const bounds = { query, ...(matches !== undefined && { matches }), ...this.#versions(file), ...call }
    const text = matchesText(await this.#matchesIn(file, bounds))
    return text === undefined ? nothingIn(file) : found(text)
  }

  async #matchesIn(file: VirtualFile, bounds: SearchCall & { readonly query: string }) {
    if (file.kind === 'history') return storedMatches(this.#stores.history, file.session, bounds)
    const artifact = await this.#textOf(file, bounds)
    return artifact === undefined ? undefined : textMatches(artifact, bounds)
  }

  async #textOf(file: VirtualFile, { signal }: StoreCall): Promise<ReadableHistory | undefined> {
    const call = signal === undefined ? {} : { signal }
    if (file.kind === 'history') return this.#stores.history.read(file.session, call)
    const artifact = await this.#stores.artifacts.get(this.#scope.namespace, file.key, call)
    return artifact === undefined ? undefined : asHistory(artifact)
  }

  /** What a path names. By comparing, so that no path leads anywhere else; also by the name that the store itself gives. */
  async #find(path: string, call: StoreCall): Promise<VirtualFile | undefined> {
    const wanted = rooted(path)
    const key = pointedArtifact(path) ?? (wanted.startsWith(ARTIFACTS) ? wanted.slice(ARTIFACTS.length) : undefined)
    if (key !== undefined) return isArtifactKey(key) ? { kind: 'artifact', key } : undefined
    const named =
      this.#sessions.find((one) => virtualPath(one) === wanted) ??
      this.#sessions.find(({ session }) => `${HISTORIES}${session}.md` === wanted)
    if (named !== undefined || wanted.startsWith(HISTORIES)) return named && historyOf(named)
    for (const session of this.#sessions) {
      if ((await this.#stores.history.append(session, [], call)) === path.trim()) return historyOf(session)
    }
    return undefined
  }

  async #historyPaths(call: StoreCall): Promise<readonly string[]> {
    const paths: string[] = []
    for (const session of this.#sessions) {
      if (paths.length === MOST_PATHS) return [...paths, `… the first ${MOST_PATHS} only`]
      // of no position: only whether there is one
      const history = await this.#stores.history.read(session, { from: 0, to: 0, ...call })
      if (history !== undefined) paths.push(virtualPath(session))
    }
    return paths
  }

  /** Only the conversation that reads is known, not those of others. */
  #versions(file: VirtualFile): OwnVersions {
    const { own, session } = this.#scope
    return own !== undefined && file.kind === 'history' && file.session.session === session ? { own } : {}
  }

  #noFile(path: string): FileAnswer {
    return missing(
      `There is no file ${echo(path)}. Read ${virtualPath(this.#scope)}, or ${ARTIFACTS}<key> of an artifact.`,
    )
  }
}

const NOTHING_LEFT = 'Nothing has left the conversation yet.'

function found(text: string): FileAnswer {
  return { status: 'found', text }
}

function missing(text: string): FileAnswer {
  return { status: 'missing', text }
}

function nothingIn(file: VirtualFile): FileAnswer {
  return missing(file.kind === 'artifact' ? 'There is no such artifact.' : NOTHING_LEFT)
}

function historyOf({ namespace, session }: HistorySession): VirtualFile {
  return { kind: 'history', session: { namespace, session } }
}

function virtualPath({ session }: HistorySession): string {
  return `${HISTORIES}${safeName(session)}.md`
}

/** Models leave the first `/` out. */
function rooted(path: string): string {
  const text = path.trim()
  return text.startsWith('/') ? text : `/${text}`
}

function echo(path: string): string {
  return JSON.stringify(path.length > LONGEST_ECHO ? `${path.slice(0, LONGEST_ECHO)}…` : path)
}
