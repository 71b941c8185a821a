import type { EntryBody, SessionSnapshot } from './session-entry.ts'

/** What changed in a log while something waited to be appended to it. */
export interface ChangedLog {
  /** The state now. */
  readonly state: SessionSnapshot
  /** Messages that are still those that what waits was said to. */
  readonly common: number
}

/**
 * What was to be appended to a log, for the same log after somebody else wrote there first: every message at the position
 * that is next now; undefined for what the others have settled meanwhile (a turn, an action), for a compaction that is not
 * one of what stands there now, and for checkpoints.
 */
export function carriedOver(body: EntryBody, { state, common }: ChangedLog): EntryBody | undefined {
  const runs = (action: string) => state.running.some((one) => one.action === action)
  switch (body.type) {
    case 'message-appended':
      return { ...body, position: state.length }
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
