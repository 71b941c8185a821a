import type { Insertable, Selectable } from 'kysely'
import { PalimpsestError } from 'palimpsest'
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
  return { ...bodyOf({ seq, body }), seq, at, hash }
}

export function checkpointOf(row: Pick<EntryRow, 'seq' | 'at' | 'hash' | 'body'>): StoredCheckpoint {
  const body = bodyOf(row)
  if (body.type !== 'checkpoint') throw damaged(row.seq, `it is a ${body.type}, and its row says checkpoint`)
  return { seq: row.seq, at: row.at, hash: row.hash, state: body.state }
}

export function messageOf(row: Pick<EntryRow, 'seq' | 'body'>): StoredMessage {
  const message = bodyOf(row)
  if (message.type !== 'message-appended') throw damaged(row.seq, `it is a ${message.type}, and its row has a position`)
  const { position, item, injected } = message
  return { position, item, ...(injected === true && { injected }) }
}

function bodyOf({ seq, body }: Pick<EntryRow, 'seq' | 'body'>): EntryBody {
  try {
    return JSON.parse(body) as EntryBody
  } catch {
    // without the cause: it quotes the text
    throw damaged(seq, 'its text is no JSON')
  }
}

function damaged(seq: number, what: string): PalimpsestError {
  return new PalimpsestError('invalid-input', `Entry ${seq} is damaged: ${what}.`, {
    hint: 'palimpsest sessions verify says what else is; restore the store from a backup.',
  })
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
