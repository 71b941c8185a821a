import type { Dialect } from 'palimpsest'
import { GroupIndex } from 'palimpsest/engine'
import type { EntryBody, MessageAppended, SessionSnapshot } from './session-entry.ts'

/** What changed in a log while something waited to be appended to it. */
export interface ChangedLog {
  /** The state now. */
  readonly state: SessionSnapshot
  /** Messages that are still those that what waits was said to. */
  readonly common: number
  /** Tells results that still answer something. */
  readonly unsettled: UnsettledResults
}

/**
 * What was to be appended to a log, for the same log after somebody else wrote there first: every message at the position
 * that is next now; undefined for what the others have settled meanwhile (a turn, an action, a call), for a compaction that is
 * not one of what stands there now, and for checkpoints.
 */
export function carriedOver(body: EntryBody, { state, common, unsettled }: ChangedLog): EntryBody | undefined {
  const runs = (action: string) => state.running.some((one) => one.action === action)
  switch (body.type) {
    case 'message-appended':
      return carriedMessage(body, state.length, unsettled)
    case 'turn-started':
      return state.turnOpen ? undefined : body
    case 'turn-ended':
      return state.turnOpen ? body : undefined
    case 'action-requested':
      return runs(body.action) ? undefined : body
    case 'action-completed':
      return runs(body.action) ? body : undefined
    case 'compaction-applied':
      return body.record.extent <= common && body.record.after === state.record?.key ? body : undefined
    case 'session-started':
    case 'rewound':
    case 'checkpoint':
      return undefined
    default:
      return body
  }
}

function carriedMessage(
  message: MessageAppended,
  position: number,
  unsettled: UnsettledResults,
): MessageAppended | undefined {
  const item = unsettled.of(message.item as object)
  return item === undefined ? undefined : { ...message, position, item }
}

/** Results that wait to be stored, behind a transcript in which others may have answered the same calls. */
export class UnsettledResults {
  readonly #dialect: Dialect<unknown, object>
  readonly #groups: GroupIndex | undefined

  /** `before`: the newest items of the transcript, without a gap; undefined where the others said nothing. */
  constructor(dialect: Dialect<unknown, object>, before: readonly object[] | undefined) {
    this.#dialect = dialect
    if (before === undefined) return
    this.#groups = new GroupIndex()
    for (const item of before) this.#groups.push(dialect.view(item))
  }

  /** The next item without results that answer no call; undefined where it has nothing else. In order, each once. */
  of(item: object): object | undefined {
    if (this.#groups === undefined) return item
    const view = this.#dialect.view(item)
    const known = this.#groups.groups.length
    this.#groups.push(view)
    const orphans = this.#groups.groups.slice(known).filter(({ orphan }) => orphan)
    if (orphans.length === 0) return item
    const numbers = orphans.flatMap(({ slices }) =>
      slices.flatMap(({ parts }) => (parts === 'all' ? [...view.parts.keys()] : parts)),
    )
    return this.#dialect.edit(
      item,
      numbers.map((part) => ({ kind: 'remove' as const, part })),
    )
  }
}
