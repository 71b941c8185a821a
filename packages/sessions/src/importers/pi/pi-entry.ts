import type { RecordedCall, RecordedCompaction } from '../imported-session.ts'
import { countOf, type Fields, fieldsOf, present, textOf, timeOf } from '../json-fields.ts'
import { branchSummaryText, piMessage, piUsage } from './pi-messages.ts'

/** One entry of a pi session, with only what the transcript needs of it. */
export interface PiEntry {
  readonly line: number
  readonly id: string | undefined
  /** `null`: a root. `undefined`: the file does not say (version 1), the entry before is the parent. */
  readonly parent: string | null | undefined
  readonly timestamp: number | undefined
  readonly body: PiBody
}

export type PiBody =
  | {
      readonly kind: 'message'
      readonly role: 'user' | 'assistant'
      readonly content: string | readonly unknown[]
      readonly call: Pick<RecordedCall, 'usage' | 'model'> | undefined
    }
  /** `kept`: id of the first entry that stayed in view; in version 1 its place among the entries, the header being 0. */
  | {
      readonly kind: 'compaction'
      readonly made: Pick<RecordedCompaction, 'kind' | 'trigger' | 'tokensAfter'>
      readonly summary: string | undefined
      readonly tokensBefore: number | undefined
      readonly kept: string | number | undefined
    }
  | { readonly kind: 'model'; readonly model: string | undefined }
  | { readonly kind: 'setting' }
  | { readonly kind: 'skip'; readonly reason: string }

/** The entry that a record is. Never throws. */
export function piEntry(record: Fields, line: number): PiEntry {
  return {
    line,
    id: textOf(record.id),
    parent: record.parentId === null ? null : textOf(record.parentId),
    timestamp: timeOf(record.timestamp),
    body: bodyOf(record),
  }
}

function bodyOf(record: Fields): PiBody {
  switch (record.type) {
    case 'message':
      return messageBody(fieldsOf(record.message))
    case 'custom_message':
      return messageBody({ role: 'custom', content: record.content })
    case 'branch_summary':
      return branchSummary(textOf(record.summary))
    case 'compaction':
      return {
        kind: 'compaction',
        made: madeOf(fieldsOf(fieldsOf(record.details)[COMPACTION_NOTE])),
        summary: textOf(record.summary),
        tokensBefore: countOf(record.tokensBefore),
        kept: textOf(record.firstKeptEntryId) ?? countOf(record.firstKeptEntryIndex),
      }
    case 'model_change':
      return { kind: 'model', model: textOf(record.modelId) }
    case 'session':
    case 'session_info':
    case 'thinking_level_change':
      return { kind: 'setting' }
    case 'custom':
      if (record.customType === COMPACTION_NOTE) return compactionNote(fieldsOf(record.data))
      return { kind: 'skip', reason: 'client record' }
    case 'label':
      return { kind: 'skip', reason: 'client record' }
    default:
      return { kind: 'skip', reason: 'unknown record' }
  }
}

/** What exports tell beside pi's own fields of a compaction; and of one that pi has no entry for. */
const COMPACTION_NOTE = 'palimpsest-compaction'

function compactionNote(data: Fields): PiBody {
  return {
    kind: 'compaction',
    made: madeOf(data),
    summary: undefined,
    tokensBefore: countOf(data.tokensBefore),
    kept: undefined,
  }
}

function madeOf({ kind, trigger, tokensAfter }: Fields): Pick<RecordedCompaction, 'kind' | 'trigger' | 'tokensAfter'> {
  return {
    kind: kind === 'micro' || kind === 'opaque' ? kind : 'summary',
    trigger: trigger === 'auto' || trigger === 'manual' ? trigger : 'unknown',
    ...present({ tokensAfter: countOf(tokensAfter) }),
  }
}

function messageBody(message: Fields): PiBody {
  const made = piMessage(message)
  if ('skip' in made) return { kind: 'skip', reason: made.skip }
  const usage = made.role === 'assistant' ? piUsage(message) : undefined
  const model = made.role === 'assistant' ? textOf(message.model) : undefined
  const call = usage === undefined ? undefined : present({ usage, model })
  return { kind: 'message', ...made, call }
}

/** A branch of which there was nothing to tell leaves an empty summary. */
function branchSummary(summary: string | undefined): PiBody {
  if (summary === undefined) return { kind: 'skip', reason: 'empty message' }
  return { kind: 'message', role: 'user', content: branchSummaryText(summary), call: undefined }
}
