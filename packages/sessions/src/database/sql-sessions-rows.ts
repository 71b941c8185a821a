import type { Insertable, Selectable } from 'kysely'
import { jsonText } from 'palimpsest/engine'
import type { EntryBody, SessionEntry } from '../log/session-entry.ts'
import type { SessionSummary, StoredCheckpoint, StoredMessage } from '../log/session-store.ts'
import type { EntryRow, SessionRow } from './schema.ts'
import { textOf } from './stored-text.ts'

/** The entries before those that are made into rows. */
export interface RowsBefore {
  readonly session: number
  /** Of the transcript after them. */
  readonly messages: number
  /** The same, after each of them that is rewound to. */
  readonly lengths: ReadonlyMap<number, number>
}

/** Entries as rows. */
export function rowsOf(
  entries: readonly SessionEntry[],
  { session, messages, lengths }: RowsBefore,
): readonly Insertable<EntryRow>[] {
  const known = new Map(lengths)
  let length = messages
  return entries.map(({ seq, at, hash, ...body }) => {
    length = lengthAfter(body, length, known)
    known.set(seq, length)
    const position = body.type === 'message-appended' ? body.position : null
    return { session, seq, at, hash, type: body.type, position, messages: length, body: jsonText(body) }
  })
}

function lengthAfter(body: EntryBody, before: number, lengths: ReadonlyMap<number, number>): number {
  if (body.type === 'message-appended') return before + 1
  return body.type === 'rewound' ? (lengths.get(body.to) ?? before) : before
}

export function entryOf({ seq, at, hash, body }: Pick<EntryRow, 'seq' | 'at' | 'hash' | 'body'>): SessionEntry {
  return { ...bodyOf(body), seq, at, hash }
}

export function checkpointOf(row: Pick<EntryRow, 'seq' | 'at' | 'hash' | 'body'>): StoredCheckpoint {
  const body = bodyOf(row.body)
  if (body.type !== 'checkpoint') throw new TypeError(`The row of a checkpoint is one of ${body.type}.`)
  return { seq: row.seq, at: row.at, hash: row.hash, state: body.state }
}

export function messageOf({ body }: Pick<EntryRow, 'body'>): StoredMessage {
  const message = bodyOf(body)
  if (message.type !== 'message-appended') throw new TypeError(`The row of a message is one of ${message.type}.`)
  const { position, item, injected } = message
  return { position, item, ...(injected === true && { injected }) }
}

function bodyOf(text: string): EntryBody {
  return JSON.parse(text) as EntryBody
}

/** What a list reads of a session. */
export type SummaryRow = Selectable<SessionRow> & {
  readonly entries: number
  readonly messages: number
  readonly updated_at: number
}

export function summaryOf(row: SummaryRow): SessionSummary {
  const { model, cwd, title, last_input_tokens: lastInputTokens, forked_from: from, forked_until: until } = row
  return {
    id: textOf(row.id),
    dialect: textOf(row.dialect),
    ...(model !== null && { model: textOf(model) }),
    ...(cwd !== null && { cwd: textOf(cwd) }),
    ...(title !== null && { title: textOf(title) }),
    toolResults: row.tool_results === 'compact' ? 'compact' : 'full',
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    entries: row.entries,
    messages: row.messages,
    ...(lastInputTokens !== null && { lastInputTokens }),
    compactions: row.compactions,
    ...(from !== null && until !== null && { forked: { from: textOf(from), until } }),
  }
}
